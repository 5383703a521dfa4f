"""Tables over the test sets of a campaign: a row of what was found of each, or a table of each."""
