"""Predictions that other tools wrote down, read into one form whatever their layout."""
