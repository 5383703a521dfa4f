"""Campaign files in YAML: write, check, compare and apply them.

Each part of the file is a section (`sections/`), which defines its schema, reads the values of a campaign, and applies
those of a file through the same services as pages.
"""
