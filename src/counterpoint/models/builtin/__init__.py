"""The models that come with the package, trained on the built-in world."""
