"""Lend HITs to judges, take them back, and store requests for more."""
