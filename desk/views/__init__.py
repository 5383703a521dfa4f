"""Pages of organisers that join all apps."""
