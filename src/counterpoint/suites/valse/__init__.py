"""Captions and foils: a true caption, and the same with one phrase changed so that it is false (VALSE)."""
