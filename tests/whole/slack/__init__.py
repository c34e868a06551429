"""Whole stories over Slack: an app, a database, and a strict fake of Slack with people in it."""
