"""What PostgreSQL offers and the ORM does not: COPY, prepared statements, locks by name."""
