"""Webhooks: endpoints of a campaign, the outbox of messages, and its delivery."""
