"""English as pure functions: inflection, agreement, tagging, noun chunks, n-gram models, lexicon, noise, answers."""
