"""The ranking methods, in one file or folder for each family, and their registry."""
