"""Hugging Face models, one module per family; torch and transformers are loaded when a model is."""
