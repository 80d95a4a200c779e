"""What is still to be asked, in which order and batches; drives a model and a log."""
