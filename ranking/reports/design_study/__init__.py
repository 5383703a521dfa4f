"""Comparison of sampling designs on simulated campaigns.

It imports both `annotation.sampling` and `ranking.core`, and needs no database.
"""
