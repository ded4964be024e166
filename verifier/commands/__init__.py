"""Commands, apart from the command line."""
