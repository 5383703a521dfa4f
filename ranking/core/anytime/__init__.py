"""Rank ranges of Expected Wins that hold however often one looks."""
