"""PostgreSQL features that the ORM lacks: COPY, triggers, advisory locks."""
