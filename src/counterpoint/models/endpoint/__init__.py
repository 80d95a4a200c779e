"""Models behind a server: OpenAI-compatible ones, Anthropic's and Google's."""
