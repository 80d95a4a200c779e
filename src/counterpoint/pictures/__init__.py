"""Pictures as arrays: decoding, and edits that are applied when a picture is loaded."""
