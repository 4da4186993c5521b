"""Messages become posts: grouping, titles, author, flags, and a post's HTML. Values in, values out."""
