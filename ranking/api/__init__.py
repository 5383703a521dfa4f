"""The API members of campaigns read rankings by."""
