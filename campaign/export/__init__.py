"""What of this app leaves as files."""
