"""Writing what the readers of campaign.formats hand out into the database."""
