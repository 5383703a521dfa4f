"""Whole campaigns: cloned, rehearsed, written as a file and made of one, copied as static pages, deleted for good."""
