"""Views of published results: the public pages, and the room in which they are made."""
