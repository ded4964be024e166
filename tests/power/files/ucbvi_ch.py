"""UCBVI with the Chernoff-Hoeffding bonus, as a student writes it for a course: an agent that is asked for each action."""

import math

import numpy as np


class UcbviAgent:
    def __init__(self, num_states, num_actions, horizon, num_episodes, delta, reward_function):
        self.num_states, self.num_actions, self.horizon = num_states, num_actions, horizon
        self.reward_function = reward_function
        self.transition_counts = np.zeros((num_states, num_actions, num_states), dtype=int)
        total_steps = num_episodes * horizon
        self.bonus_coef = 7.0 * horizon * math.log(5 * num_states * num_actions * total_steps / delta)
        self.q_values = np.full((horizon, num_states, num_actions), horizon, dtype=float)

    def start_episode(self):
        next_values = np.zeros(self.num_states)
        for h in range(self.horizon - 1, -1, -1):
            for s in range(self.num_states):
                for a in range(self.num_actions):
                    n = self.transition_counts[s, a].sum()
                    if n == 0:
                        continue
                    p_hat = self.transition_counts[s, a] / n
                    optimistic = self.reward_function[s, a] + p_hat.dot(next_values) + self.bonus_coef / math.sqrt(n)
                    self.q_values[h, s, a] = min(self.q_values[h, s, a], optimistic, self.horizon)
            next_values = self.q_values[h].max(axis=1)

    def select_action(self, state, step):
        return int(np.argmax(self.q_values[step, state]))

    def observe(self, state, action, reward, next_state):
        self.transition_counts[state, action, next_state] += 1
