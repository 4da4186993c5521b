"""Frozen, typed structures that the floors hand to each other. No behaviour, no I/O."""
