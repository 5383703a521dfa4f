"""Tables and checklists of these pages."""
