"""Attacks on labs and servers, each a program with a seed and a count, of which `make test` runs a few."""
