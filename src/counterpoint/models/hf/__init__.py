"""Hugging Face models, one module per family; torch and transformers are imported on use."""
