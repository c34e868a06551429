"""Tools that come with Overwinter. May import what ``bots`` may; one file for each set."""
