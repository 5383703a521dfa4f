"""Present judges and their work on organisers' pages."""
