"""Export of data as files."""
