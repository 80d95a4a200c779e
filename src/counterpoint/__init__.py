"""Counterpoint tells whether a vision-language model understands, or only answers."""
