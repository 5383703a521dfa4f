"""Two installations behind one address: a router of our own for tests, and nginx where it is installed."""
