"""Writes of the annotation app; each is one atomic business action."""
