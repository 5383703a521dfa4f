"""Ways past the ORM: COPY and prepared statements."""
