"""Groups from questions alone: each question is rewritten by its words, and a referee derives the gold again."""
