"""Simulated campaigns: how good rankings get, and how many judgments that takes."""
