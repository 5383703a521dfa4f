"""The organisers' pages of the judges of a campaign, whatever test set they judge."""
