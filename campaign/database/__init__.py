"""PostgreSQL features that the ORM lacks: COPY, prepared statements, advisory locks."""
