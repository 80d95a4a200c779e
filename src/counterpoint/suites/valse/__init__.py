"""Captions against foils: one place of a true caption is changed, and it is no longer true (VALSE)."""
