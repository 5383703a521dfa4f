"""Protocols: ways to ask people about outputs, with a folder for each.

The five-way ranking, which came first, is in `annotation` and `ranking`; what all protocols share is there, too.
A protocol's `statistics` take arrays, return frozen results, and do not use Django.
"""
