"""Ranking methods, one module per family, and their registry."""
