"""What the readers share: JSON and tables as streams of records, column roles, boxes, and counts of skipped records."""
