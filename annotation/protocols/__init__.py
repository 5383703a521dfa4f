"""Registered protocols: the answers, rules and files of each."""
