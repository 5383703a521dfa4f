"""Writes of the campaign app; each is one atomic business action."""
