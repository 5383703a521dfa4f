"""REST API of the campaign app, for members of campaigns."""
