"""Models in people's own code."""
