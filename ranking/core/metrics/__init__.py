"""Automatic metrics: of texts, and beside human judgments."""
