"""Models that read text alone: language models, grammar, entailment and translation."""
