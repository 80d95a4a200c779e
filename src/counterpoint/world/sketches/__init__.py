"""One module per family of things, each with a function per kind that draws it as a sketch."""
