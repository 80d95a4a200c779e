"""Results as text, charts and HTML: tables, the report, data sheets, and the tables of the five papers."""
