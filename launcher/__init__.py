"""Starts Quintet from one command: embedded PostgreSQL and Valkey, the supervisor, the demo.

Nothing in the applications imports this package; they see ``DATABASE_URL`` and ``REDIS_URL`` only.
"""
