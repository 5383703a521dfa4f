"""Organisers' pages."""
