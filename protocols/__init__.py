"""Protocols: ways to ask people about outputs, a folder each.

The five-way ranking, which came first, is in `annotation` and `ranking`; what all protocols share is there, too.
A protocol's `statistics` are arrays in and frozen results out, and know no Django.
"""
