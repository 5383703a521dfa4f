"""REST API of the overview of campaigns."""
