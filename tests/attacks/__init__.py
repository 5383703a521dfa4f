"""Attacks on the shipped proxy: `make attack`."""
