"""A campaign as one file of YAML: written, checked, compared and applied.

Each part of the file is a section (`sections/`), which says what may stand there, what a campaign has, and how
it becomes what the file wants, by the services that pages use.
"""
