"""The numbers of judges who chose between two outputs. No Django."""
