"""RAD, robustness to augmented data: questions and augmentations that a consistent model answers as well."""
