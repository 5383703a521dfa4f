"""URLs, errors, description and settings of the REST API."""
