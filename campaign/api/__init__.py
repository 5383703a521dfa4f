"""The API members of campaigns read them by."""
