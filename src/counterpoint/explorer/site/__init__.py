"""The static site: pages of a part of a lab as files that open without a server."""
