"""The kinds of questions of CARETS, Q1 to Q7, by name; apart from their templates, which are slow to load."""

VERIFICATIONS = ("object verification", "conjunctive verification", "disjunctive verification")
"""Questions whether something is present, which can be negated as a whole."""
BINARY = (*VERIFICATIONS, "attribute verification")
"""Questions with the answers yes and no."""
CHOICES = ("object choice", "attribute choice", "action choice")
"""Questions that list their possible answers."""
KINDS = (*BINARY, *CHOICES)
"""All types of questions, Q1 to Q7."""
