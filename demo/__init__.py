"""The demo campaigns: their texts, their simulated judges, and what loads them."""
