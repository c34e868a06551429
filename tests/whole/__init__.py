"""Whole-system tests over a real database."""
