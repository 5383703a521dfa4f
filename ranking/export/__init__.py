"""Export data as files."""
