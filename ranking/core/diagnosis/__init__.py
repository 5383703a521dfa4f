"""What to look at in a campaign before believing its ranking."""
