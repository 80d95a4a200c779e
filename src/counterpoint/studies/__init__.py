"""Experiments made of everything else: augmentation, prediction, blind baselines."""
