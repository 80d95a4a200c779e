"""One module per way of reaching a model; heavy libraries are imported on use."""
