"""Compares the pinned packages with published advisories, without a network."""
