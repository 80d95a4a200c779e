"""Findings: the slices of groups that a model fails more often than the rest, with the error of the whole search."""
