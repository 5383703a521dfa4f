"""Judgments from files: any of the formats of docs/formats-judgments.md in, columns for the core out."""
