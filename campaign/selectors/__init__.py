"""Reads of the campaign app."""
