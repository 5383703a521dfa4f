"""What organisers' pages of judgments show."""
