"""Checks of a campaign to make before its ranking is believed."""
