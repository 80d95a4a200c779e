"""Charts as values that draw themselves as SVG, inline in a page or as a file."""
