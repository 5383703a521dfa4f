"""Mutation testing: the code is broken in one place after the other, and a test has to notice.

python -m tests.mutants [MODULE or FOLDER ...]
"""
