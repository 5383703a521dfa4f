"""The formats of WMT since 2021: XML, and JSON Lines since 2025."""
