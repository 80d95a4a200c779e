"""Runs a model over the missing rows of a plan: dispatch, batches, prefetching, progress."""
