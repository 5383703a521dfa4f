"""Judged blocks as columns, and the content key of each judgment."""
