"""A child process is killed with SIGKILL at chosen points, and another one goes on."""
