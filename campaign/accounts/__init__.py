"""Sign-in, sessions and the language of the interface."""
