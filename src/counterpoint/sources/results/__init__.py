"""Predictions in the result files of other tools, read into one form."""
