"""Pictures as pure functions on arrays: decoding, and edits that are applied when a picture is shown."""
