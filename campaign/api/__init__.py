"""The API researchers read campaigns by."""
