"""Questions that may be asked of judgments, of a test set or of files, and tables over the test sets of a campaign.

A kind of analysis is a function from judgments and options to a `Report`, in a file of its own with the words of both.
Pages, REST and commands share it, so the same choice gives the same figures everywhere. It reads nothing and stores
nothing.
"""
