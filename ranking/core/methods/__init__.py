"""The ranking methods, a file or a folder for each family, and their registry."""
