"""The forms of the organisers' pages."""
