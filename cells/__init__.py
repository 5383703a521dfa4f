"""Cells: several installations behind one address, each with campaigns of its own; see docs/scale.md."""
