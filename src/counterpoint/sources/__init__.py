"""One reader per annotation format, each yielding core values."""
