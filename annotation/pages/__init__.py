"""Presentation of judgments on organisers' pages."""
