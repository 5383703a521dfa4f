"""Writes that join all apps."""
