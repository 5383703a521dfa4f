"""Judgments from files into the database."""
