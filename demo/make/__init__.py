"""Builds the demo channels: their pictures, sounds, films and papers, and the exports themselves."""
