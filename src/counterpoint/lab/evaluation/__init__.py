"""One file that says what an evaluation is, and the command that brings a lab up to date with it."""
