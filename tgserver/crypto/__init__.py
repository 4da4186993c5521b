"""The cryptography of MTProto, from the server's side."""
