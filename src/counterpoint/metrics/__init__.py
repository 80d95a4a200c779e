"""Columns in, columns and numbers out: metrics, intervals, paired tests, agreement."""
