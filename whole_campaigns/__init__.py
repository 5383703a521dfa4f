"""Whole campaigns: cloned, rehearsed, written as a file and made of one, deleted for good."""
