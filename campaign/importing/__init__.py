"""Store the records of readers (campaign.formats) in the database."""
