"""Suites and questions in the layouts of other tools: data sets, tasks and training files."""
