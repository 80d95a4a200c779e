"""The six tests of CARETS, made from scene graphs."""
