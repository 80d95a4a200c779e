"""Annotation formats of published data sets and of files of one's own: one reader each, yielding core values."""
