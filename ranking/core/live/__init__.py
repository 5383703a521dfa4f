"""Rankings and agreement, updated with each judgment."""
