"""The tables of the papers, made again from any lab."""
