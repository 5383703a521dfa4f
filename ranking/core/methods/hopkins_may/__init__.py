"""The relative-ability model of Hopkins and May (2013)."""
