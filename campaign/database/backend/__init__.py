"""Django's backend for PostgreSQL, which waits for a silent server no longer than for a missing one."""
