"""What pages of the campaign app show, ready for their templates."""
