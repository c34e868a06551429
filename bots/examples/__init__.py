"""Bots to begin from; each is one file that runs as it is, and may import what ``bots`` may."""
