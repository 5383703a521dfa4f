"""Outputs rated one at a time on a five-point scale, by one or more criteria: answers, files,
statistics, report.
"""
