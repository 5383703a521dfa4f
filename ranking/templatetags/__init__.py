"""Template tags and filters of the organisers' pages."""
