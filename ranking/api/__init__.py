"""REST API of rankings for members of campaigns."""
