"""The only room that knows file names: tables, manifests, pictures by hash."""
