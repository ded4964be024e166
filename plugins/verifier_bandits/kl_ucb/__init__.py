"""KL-UCB."""
