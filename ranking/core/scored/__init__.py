"""Judges' scores of outputs, as arrays: means of systems, and effects of systems, segments and
judges.
"""
