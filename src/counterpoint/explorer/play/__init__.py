"""The page "Try a model": visitors edit a picture or a text, and loaded models answer at once."""
