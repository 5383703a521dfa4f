"""Presentation of the campaign app's pages, ready for their templates."""
