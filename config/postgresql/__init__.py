"""Database backend: Django's for PostgreSQL, which refuses servers that are too old for Quintet."""
