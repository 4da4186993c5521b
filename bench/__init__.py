"""The benchmark: the running product, measured from outside."""
