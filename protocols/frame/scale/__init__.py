"""Outputs rated by criteria, each on its own scale: criteria, presets, files, statistics, report."""
