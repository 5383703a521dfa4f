"""Tables and forms for judges and their work on organisers' pages."""
