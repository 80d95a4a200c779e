"""The validity of a suite: each check keeps a group or says why it is dropped."""
