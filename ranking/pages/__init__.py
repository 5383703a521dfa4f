"""What the organisers' pages show: summaries, plots, formats and forms."""
