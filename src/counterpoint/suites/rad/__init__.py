"""RAD: a question that was answered rightly, asked in a way that only an understanding survives."""
