"""What a scene shows: facts, referents, ambiguity, absence and co-occurrence, for suites and the built-in world."""
