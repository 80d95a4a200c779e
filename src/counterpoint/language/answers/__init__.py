"""Answer extraction: values from free-text replies, and the rule sets that compare them with gold."""
