"""One module per phenomenon: scenes, questions or captions in, groups out."""
