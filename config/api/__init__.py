"""REST: addresses, errors, description and settings."""
