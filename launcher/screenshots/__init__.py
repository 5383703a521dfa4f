"""Photographs of the pages of the running demo, for the docs."""
