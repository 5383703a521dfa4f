"""Annotation protocols, one folder per way of asking people about outputs.

Five-way ranking, the original protocol, is in `annotation` and `ranking`, as is the code that all
protocols share. A protocol's `statistics` take arrays, return frozen results, and do not use
Django.
"""
