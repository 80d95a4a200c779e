"""How fast things are: programs that print, run by hand."""
