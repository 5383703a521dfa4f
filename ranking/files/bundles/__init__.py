"""Bundles of published results as files: opened without trust, and checked. No database."""
