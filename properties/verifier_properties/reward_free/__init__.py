"""Properties of the reward-free setting: what is explored, and what is planned for rewards that are revealed later."""
