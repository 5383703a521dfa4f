"""Downloads of this app."""
