"""Sampling designs compared on campaigns that never happened.

Knows both what is drawn (`annotation.sampling`) and what it is worth (`ranking.core`); needs no
database.
"""
