"""Scores that judges gave outputs, as arrays: means of systems, and effects of systems, segments and judges."""
