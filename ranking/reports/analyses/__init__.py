"""Analyses of the judgments of a test set or in files, and tables over the test sets of a campaign.

A kind of analysis is a function from judgments and options to a `Report`, in its own file with its texts.
Pages, REST and commands share it, so the same choice gives the same figures everywhere. Analyses neither read
nor write stored data.
"""
