"""Reads that join all apps."""
