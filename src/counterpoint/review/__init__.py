"""Tests judged by people: sheets that are marked, and counts of the marks."""
