"""Migrations that are never edited, and the database of an older version that each version upgrades."""
