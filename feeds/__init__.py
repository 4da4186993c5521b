"""Posts become documents: bytes in one of the feed formats, or a page."""
