"""Values, protocols of models, and errors; imports no other package and touches neither files nor processes."""
