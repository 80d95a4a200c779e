"""Groups that need no generation: plain questions, and groups as their authors released them."""
