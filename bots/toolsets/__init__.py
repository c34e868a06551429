"""Tools that come with Overwinter: one file for each set, ``catalogue`` finds them by name.

May import what ``bots`` may. An agent gets a set with ``Agent(toolsets=["system"])``.
"""
