"""Real servers for the tests, each in a folder and on loopback ports of its own."""
