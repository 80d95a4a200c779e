"""From the reply of a model to a value that can be compared, and the rule sets that compare it with gold."""
