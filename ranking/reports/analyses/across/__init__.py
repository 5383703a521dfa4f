"""Tables over the test sets of a campaign: a row or a table for each test set."""
