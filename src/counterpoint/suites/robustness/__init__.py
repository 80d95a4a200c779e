"""Robustness: noise in pixels, in words and in features, picture changes, and adversarial rewrites."""
