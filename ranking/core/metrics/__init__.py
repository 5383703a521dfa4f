"""Automatic metrics: computing them from texts, and comparing them with human judgments."""
