"""What recruiting services send: read and checked, without a database."""
