"""Tests of the folder ``store``."""
