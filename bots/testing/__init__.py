"""The test kit: scripts of what a user, a model and the people asked do, on a clock moved by hand.

May import what ``bots`` may. ``kit`` runs an app over a database of its own, in one instance or several; ``stalling`` is the store
of an instance that can be frozen; ``script`` plays a story; ``channel`` is a channel that keeps what it is given.
"""
