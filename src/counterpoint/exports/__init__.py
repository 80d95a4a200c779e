"""What goes to other tools: data sets, tasks and training files."""
