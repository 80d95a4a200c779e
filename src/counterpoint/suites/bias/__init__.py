"""Modality bias and blind controls: the picture or the question is swapped or removed."""
