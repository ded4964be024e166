"""Bugs planted in PSRL."""

from __future__ import annotations

from functools import partial

import numpy as np

from verifier.base.arrays import Array
from verifier.model import bugs
from verifier.model.mutant import plant, telling
from verifier_reference.psrl.algorithm import PSRL
from verifier_reference.shared.mutants import ForwardOrder, TerminalValue
from verifier_reference.shared.step_mutants import LastStepForgotten, NeverLearns, StateForSuccessor
from verifier_settings.episodic import EpisodicEnvironment, EpisodicPlan


class SampleForEachStep(PSRL):
    """A new sample after every step, and its policy from there on."""

    def play(self, env: EpisodicEnvironment, plan: EpisodicPlan, state: int) -> None:
        """The plan yielded is that of the first step alone."""
        for h in range(self.public.H):
            action = int(plan.policy[h, state])
            following, reward = env.step(action)
            self.learn(h, state, action, reward, following)
            state, plan = following, self.plan()


class SamplesPrior(PSRL):
    """Bug: samples of the prior, while the posterior is kept."""

    def sample(self, posterior: Array) -> Array:
        """Sample of the prior."""
        return super().sample(np.full_like(posterior, self.prior()))


class OtherPrior(PSRL):
    """Another prior than that of the problem: all parameters twice."""

    def prior(self) -> float:
        """Prior weight 2 in place of 1."""
        return 2.0 * super().prior()


class PriorTwice(PSRL):
    """The prior added once more where the sample is drawn."""

    def sample(self, posterior: Array) -> Array:
        """Sample with parameters that are 1 too large."""
        return super().sample(posterior + self.prior())


class SmallPrior(PSRL):
    """Hardly any prior, as if to avoid a parameter of 0."""

    def prior(self) -> float:
        """A tenth."""
        return 0.1


class SampleForever(PSRL):
    """The first sample is used again in each episode."""

    def sample(self, posterior: Array) -> Array:
        """The first."""
        kept: Array = self.__dict__.setdefault("kept", super().sample(posterior))
        return kept


class SampleTwice(PSRL):
    """A sample is used for two episodes."""

    def sample(self, posterior: Array) -> Array:
        """A new one in every other episode."""
        calls = self.__dict__["calls"] = self.__dict__.get("calls", 0) + 1
        if calls % 2:
            self.__dict__["kept"] = super().sample(posterior)
        kept: Array = self.__dict__["kept"]
        return kept


class MeanForSample(PSRL):
    """The posterior mean: no exploration at all."""

    def sample(self, posterior: Array) -> Array:
        """The mean."""
        return np.asarray(posterior / posterior.sum(axis=1, keepdims=True))


class WrongRows(PSRL):
    """The row of another pair."""

    def sample(self, posterior: Array) -> Array:
        """Rows moved by one."""
        return np.roll(super().sample(posterior), 1, axis=0)


class OtherStates(PSRL):
    """Next states in another order."""

    def sample(self, posterior: Array) -> Array:
        """Columns moved by one."""
        return np.roll(super().sample(posterior), 1, axis=1)


class Sharp(PSRL):
    """Bug: samples as if there were four times as much data."""

    def sample(self, posterior: Array) -> Array:
        """A variance a quarter of that of the posterior."""
        return super().sample(4.0 * posterior)


class Wide(PSRL):
    """Bug: samples as if a tenth of the data had been lost."""

    factor = 0.9

    def sample(self, posterior: Array) -> Array:
        """A variance of so much more than that of the posterior."""
        return super().sample(self.factor * posterior)


class Wider(Wide):
    """Bug: samples as if a fifth of the data had been lost."""

    factor = 0.8


class Narrow(Wide):
    """Bug: samples as if there were more data than there are."""

    factor = 1.15


class OneRow(PSRL):
    """Bug: the same numbers for all rows, so that the samples of two pairs go up and down together."""

    def sample(self, posterior: Array) -> Array:
        """Sample by quantiles of the Gamma law at one uniform number for each next state."""
        from scipy.special import gammaincinv

        weights = np.maximum(gammaincinv(posterior, self.rng.random(posterior.shape[1])), 1e-300)
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))


class Unnormalised(PSRL):
    """Gamma numbers that are not divided by their sum, but by the mean of that."""

    def sample(self, posterior: Array) -> Array:
        """Rows with another sum than 1."""
        return np.asarray(self.rng.standard_gamma(posterior) / posterior.sum(axis=1, keepdims=True))


class RewardForgotten(PSRL):
    """Values without rewards."""

    def plan(self) -> EpisodicPlan:
        """Plan with rewards of 0."""
        self.reward = np.zeros_like(self.reward)
        return super().plan()


_mutant = partial(plant, PSRL)
_BUGS = (
    _mutant("sample-for-each-step", "a new sample after every step", SampleForEachStep, ("plays-policy",)),
    _mutant("never-learns", "the posterior not updated", NeverLearns, ("posterior", "sample-law")),
    _mutant("samples-prior", "drawn from the prior", SamplesPrior, ("sample-law",)),
    _mutant("other-prior", "the prior twice", OtherPrior, ("declared-prior",)),
    _mutant("prior-twice", "the prior counted twice in the sample", PriorTwice, ("sample-law",)),
    _mutant("small-prior", "hardly any prior", SmallPrior, ("declared-prior",)),
    _mutant("sample-forever", "the first sample for ever", SampleForever, ("sample-law",)),
    _mutant("sample-twice", "a sample for two episodes", SampleTwice, ("sample-law",)),
    _mutant("mean-for-sample", "the posterior mean", MeanForSample, ("sample-law",)),
    _mutant("wrong-rows", "rows of other pairs", WrongRows, ("sample-law",)),
    _mutant("other-states", "next states in another order", OtherStates, ("sample-law",)),
    _mutant("sharp", "a quarter of the posterior variance", Sharp, ("sample-law",)),
    _mutant("wide", "0.9 of the parameters in the sample", Wide, ("sample-law",)),
    _mutant("wider", "0.8 of the parameters in the sample", Wider, ("sample-law",)),
    _mutant("narrow", "1.15 of the parameters in the sample", Narrow, ("sample-law",)),
    _mutant("one-row", "the same random numbers for all rows", OneRow, ("sample-law",)),
    _mutant("unnormalised", "rows that do not sum to 1", Unnormalised, ("drawn-kernel",)),
    _mutant("reward-forgotten", "values without rewards", RewardForgotten, ("q-formula",)),
    _mutant("forward-order", "steps planned from first to last", ForwardOrder, ("q-formula",)),
    _mutant("terminal-value", "V after the last step is not 0", TerminalValue, ("value-function",), differs="step = H + 1"),
    _mutant("wrong-step-target", "V_{h+2} in the backup", bugs.wrong_step("target"), ("q-formula",)),
    _mutant("state-for-successor", "s_h for s_{h+1}", StateForSuccessor, ("posterior", "sample-law")),
    _mutant("last-step-forgotten", "the last transition not learned", LastStepForgotten, ("posterior",)),
    _mutant("learns-twice", "every step learned twice", bugs.twice("learn"), ("posterior",)),
    _mutant("half-the-data", "every other step forgotten", bugs.every_other("learn"), ("posterior",)),
    _mutant("one-step-late", "a step is learned after the next one", bugs.one_late("learn"), ("posterior",)),
    _mutant("worst-action", "argmin in one state", bugs.worst_action("greedy", axis=-1), ("greedy",), differs="only at s = 0"),
    _mutant(
        "disobedient", "sometimes plays another action", bugs.disobedient(), ("plays-policy",), differs="at one episode in 7"
    ),
    _mutant(
        "looks-ahead",
        "reads the number that the next state is drawn with",
        bugs.looks_ahead(),
        ("no-foresight",),
        differs="what is done depends on what is drawn later",
    ),
    _mutant(
        "plans-every-other",
        "plans in every other episode",
        bugs.plans_every_other(),
        ("plans-every-episode",),
        differs="at one episode in 2",
    ),
    _mutant("boastful", "reports larger Q than it uses", bugs.reports(Q=lambda Q: Q + 0.25), ("q-formula", "value-function")),
)
_TOLD = {
    "never-learns": "without the transitions",
    "samples-prior": "closer to draws from the prior",
    "other-prior": "2 times the formula",
    "prior-twice": "closer to draws with the prior counted twice",
    "small-prior": "0.100 times the formula",
    "sample-forever": "closer to draws from the prior",
    "sample-twice": "closer to the draw of the episode before",
    "mean-for-sample": "closer to the mean of the posterior",
    "wrong-rows": "closer to rows of other pairs",
    "other-states": "closer to rows with next states in another order",
    "sharp": "closer to draws with 4 times the data",
    "wide": "closer to draws with 0.9 times the data",
    "wider": "closer to draws with 0.8 times the data",
    "narrow": "closer to draws with 1.15 times the data",
    "one-row": "closer to the numbers of the pair before",
    "unnormalised": "rows that do not sum to 1",
    "reward-forgotten": "without r",
    "forward-order": "without P V_{h+1}",
    "wrong-step-target": "the formula of step h + 1",
    "state-for-successor": "the states that are left for those that follow",
    "last-step-forgotten": "without those of the last step",
    "learns-twice": "2 times the transitions",
    "one-step-late": "the formula minus 1",
    "boastful": "the formula + 0.25",
}
"""Words that the sentences about these bugs have to have."""
MUTANTS = telling(_BUGS, _TOLD)
