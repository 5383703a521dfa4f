"""Pages of the campaign app."""
