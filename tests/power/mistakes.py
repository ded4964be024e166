"""Mistakes of code that drives its environment, or is asked for actions; messages name the lines with "here"."""

import numpy as np


def resets_twice(env, episodes):
    """Leaves an episode in its middle."""
    Q = np.zeros((env.H, env.observation_space.n, env.action_space.n))
    for _ in range(episodes):
        s, _ = env.reset()  # here
        env.step(int(Q[0, s].argmax()))


def never_steps(env, episodes):  # here
    """Only resets."""
    Q = np.zeros((env.H, env.observation_space.n, env.action_space.n))  # noqa: F841  # it is read as a local variable
    for _ in range(episodes):
        env.reset()


def too_few(env, episodes):  # here
    """Leaves three episodes out."""
    Q = np.zeros((env.H, env.observation_space.n, env.action_space.n))  # noqa: F841  # it is read as a local variable
    for _ in range(episodes - 3):
        env.reset()
        for _ in range(env.H):
            env.step(0)


def too_many(env, episodes):
    """Plays another episode."""
    Q = np.zeros((env.H, env.observation_space.n, env.action_space.n))  # noqa: F841  # it is read as a local variable
    for _ in range(episodes + 1):
        env.reset()  # here
        for _ in range(env.H):
            env.step(0)


def plays_on(env, episodes):
    """Looks at nothing that step returns."""
    Q = np.zeros((env.H, env.observation_space.n, env.action_space.n))  # noqa: F841  # it is read as a local variable
    for _ in range(episodes):
        env.reset()
        while True:
            env.step(0)  # here


def plays_on_in_gym(env, episodes):
    """Looks at nothing that step returns, in the older style."""
    Q = np.zeros((env.H, env.observation_space.n, env.action_space.n))  # noqa: F841  # it is read as a local variable
    for _ in range(episodes):
        _s = env.reset()
        while True:
            _s, _r, _done, _info = env.step(0)  # here


def no_reset(env, episodes):
    """Begins with a step."""
    Q = np.zeros((env.H, env.observation_space.n, env.action_space.n))  # noqa: F841  # it is read as a local variable
    for _ in range(episodes):
        env.step(0)  # here


def no_action(env, episodes):
    """Plays None."""
    Q = np.zeros((env.H, env.observation_space.n, env.action_space.n))  # noqa: F841  # it is read as a local variable
    for _ in range(episodes):
        env.reset()
        env.step(None)  # here


def out_of_range(env, episodes):
    """Counts actions from 1."""
    Q = np.zeros((env.H, env.observation_space.n, env.action_space.n))  # noqa: F841  # it is read as a local variable
    for _ in range(episodes):
        env.reset()
        env.step(env.action_space.n)  # here


class Changes:
    """Changes the rewards that it was made with."""

    def __init__(self, n_states, n_actions, horizon, rewards):
        self.Q = np.zeros((horizon, n_states, n_actions))
        rewards *= 0.5  # here

    def act(self, state, h):
        """The best action."""
        return self.Q[h, state].argmax()

    def update(self, state, action, reward, next_state, h):
        """Learn nothing."""


class Plays:
    """Plays by itself, though it is asked for actions."""

    def __init__(self, env):
        self.env, self.Q = env, np.zeros((env.H, env.observation_space.n, env.action_space.n))

    def act(self, state, h):
        """The best action."""
        self.env.step(0)  # here

    def update(self, state, action, reward, next_state, h):
        """Learn nothing."""


class Plans:
    """Plans actions that are none."""

    def __init__(self, n_states, n_actions, horizon):
        self.Q = np.zeros((horizon, n_states, n_actions))

    def plan(self):  # here
        """A policy, counted from 1."""
        return self.Q.argmax(axis=2) + self.Q.shape[2]

    def observe(self, episode):
        """Learn nothing."""
