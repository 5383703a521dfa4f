"""Outputs rated one at a time on five points, by a criterion or several: answers, files, statistics, report."""
