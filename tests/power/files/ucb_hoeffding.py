"""Optimistic Q-learning, written as tutorials of gymnasium are: one function, five values from each step."""

from collections import defaultdict

import numpy as np


def train(env, episodes, failure_probability, bonus_scale=1.0):
    n_states = env.observation_space.n
    n_actions = env.action_space.n
    horizon = env.horizon

    q_table = np.full((horizon, n_states, n_actions), float(horizon))
    visits = defaultdict(int)
    log_factor = np.log(n_states * n_actions * episodes * horizon / failure_probability)
    confidence = bonus_scale * np.sqrt(2 * horizon**3 * log_factor)

    for _episode in range(episodes):
        obs, _info = env.reset()
        done = False
        t = 0
        while not done:
            action = int(np.argmax(q_table[t, obs]))
            next_obs, reward, terminated, truncated, _info = env.step(action)
            done = terminated or truncated

            visits[t, obs, action] += 1
            n = visits[t, obs, action]
            learning_rate = (horizon + 1) / (horizon + n)
            future = 0.0 if done else min(horizon, q_table[t + 1, next_obs].max())
            target = reward + future + confidence / np.sqrt(n)
            q_table[t, obs, action] += learning_rate * (target - q_table[t, obs, action])

            obs = next_obs
            t += 1

    return q_table
