"""Backups: a folder with a dump, a copy of the whole server or both, the secret key and a manifest."""
