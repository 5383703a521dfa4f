"""A static copy of a campaign: its pages in a zip, which open from a folder, without a server or a script."""
