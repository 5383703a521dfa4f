"""Rank ranges of Expected Wins that hold however often they are looked at."""
