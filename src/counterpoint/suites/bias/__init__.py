"""Modality bias and blind controls: an input is exchanged or taken away."""
