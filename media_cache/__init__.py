"""Media files on disk: look-up, shared downloads, signed addresses."""
