"""Content of the organisers' pages: summaries, plots, formats and forms."""
