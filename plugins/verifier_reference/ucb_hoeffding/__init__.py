"""UCB-Hoeffding Q-learning."""
