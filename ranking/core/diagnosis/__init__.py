"""Checks to make before trusting the ranking of a campaign."""
