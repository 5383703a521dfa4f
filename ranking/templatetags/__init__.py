"""Filters for the dashboard."""
