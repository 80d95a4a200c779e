"""The application layer behind the public API: generate, run, import, score, compare, check, export."""
