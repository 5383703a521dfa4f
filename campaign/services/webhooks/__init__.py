"""Webhooks: endpoints of a campaign, the outbox of what they are told, and its delivery."""
