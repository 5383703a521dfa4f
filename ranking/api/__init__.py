"""The API researchers read rankings by."""
