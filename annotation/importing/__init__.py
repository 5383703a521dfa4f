"""Import judgments from files into the database."""
