"""Drafts of published results at Zenodo."""
