"""Analyses of the judgments of a test set or of files, and tables over the test sets of a campaign.

A kind of analysis is a function from judgments and options to a `Report`, in a file of its own with its texts.
Pages, REST and commands share it, so the same choice gives the same figures everywhere. Analyses read and store
nothing themselves.
"""
