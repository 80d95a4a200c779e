"""Web pages and their JSON twins over a lab."""
