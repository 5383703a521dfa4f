"""Tables over the test sets of a campaign: a row for each, or a table for each."""
