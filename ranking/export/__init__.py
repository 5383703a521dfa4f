"""What leaves the house as files."""
