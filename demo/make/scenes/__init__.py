"""The demo's pictures, drawn with Pillow: one module a place."""
