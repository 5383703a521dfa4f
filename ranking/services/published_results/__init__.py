"""Publish results of test sets, and change their visibility."""
