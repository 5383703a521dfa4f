"""Views of published results: public pages, and the page for publishing."""
