"""Contrast sets: a question about a scene, and others that differ from it in one atom and have another answer."""
