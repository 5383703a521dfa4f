"""Logs: lines for people, or JSON for machines, with what a request, a judge and a task are known by."""
