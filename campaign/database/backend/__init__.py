"""Django's backend for PostgreSQL, which tells the server who acts."""
