"""HTTP routes: parameters, auth, errors to status, streaming."""
