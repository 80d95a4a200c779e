"""The values every room passes on, the protocols of a model, and the errors; knows no other room."""
