"""English as pure functions: articles, agreement, plurals, inflection, numbers; the lexicon and its senses."""
