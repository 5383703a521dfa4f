"""Writers of the readers' records (campaign.formats) into the database."""
