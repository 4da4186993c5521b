"""Every SQL statement, one module a subject; schema and migrations."""
