"""Adapters for models: built-in, Hugging Face, endpoints, text-only, and user code."""
