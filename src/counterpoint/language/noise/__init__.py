"""Noise in questions: typos, synonyms, word order, fillers, letter case and punctuation that keep the meaning."""
