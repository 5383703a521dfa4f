"""Publish results of test sets, and change who may see them."""
