"""Judgments from files: any of the formats of docs/formats.md in, columns for the core out."""
