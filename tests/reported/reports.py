"""Reports, one a row: where, what was wrong, commits before and after, and what the claims of the theorem say of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.reported import agents, bandits, linear


@dataclass(frozen=True)
class Report:
    """A bug of published code.

    Parameters
    ----------
    link, wrong : str
        Where it is reported (or the file, where it was found here), and what was wrong, in one sentence.
    before, after : str
        Commits; empty where nothing was mended.
    verdict : str
        What a check says of the agents before and after, or why there are none.
    claim : str
        Name of the claim that the report is about; empty where it cannot be followed.
    agents : tuple
        Before and after, in words of our own.
    to : str
        Name of the algorithm they are held against.
    given : mapping
        Further arguments of `verifier.hold`.
    instances : tuple of str
        On which they are played.
    run : str
        What the published code itself did, at which commits, where it was run.
    """

    link: str
    wrong: str
    before: str
    after: str
    verdict: str
    claim: str = ""
    agents: tuple[Any, ...] = ()
    to: str = ""
    given: Any = None
    instances: tuple[str, ...] = ("random",)
    run: str = ""

    @property
    def name(self) -> str:
        """Repository and number, or file."""
        return "#".join(self.link.split("/")[i] for i in (4, -1))

    @property
    def by_people(self) -> bool:
        """Whether somebody else reported it, and it was not found here."""
        return not self.wrong.startswith("Found here")


ARMS = ("bandit-ties", "bandit-few-rounds")
INDEX: dict[str, Any] = {"read": {"Q": "index", "visits": "N", "reward": "means", "bonus": "bonuses"}, "knob": "c"}
"""Tables of a bandit, so that a difference is told at its own line."""
VALUES: dict[str, Any] = {"read": {"Q": "Q"}, "knob": "c"}
LEAST_SQUARES: dict[str, Any] = {"read": {"Q": "Q"}, "knob": ("beta", lambda width, public: width)}

REPORTS = (
    Report(
        "https://github.com/rlberry-py/rlberry/pull/91",
        "UCBVI's values and bonuses began with H at all steps, where H − h + 1 is the largest value that is left.",
        "3c656b2e", "8acd266d",
        "no theorem is broken: Azar et al. begin with H, too; the smaller cap is violated before, and not after. By "
        "`verifier since` the same commit made the bonus stale at other steps: docs/published-code.md (b)",
        "initial-bonus", (agents.BeforeUCBVI, agents.UCBVI), "ucbvi-ch", {"read": {"Q": "Q", "bonus": "B"}},
        run="violated at 3c656b2e, conforms at 8acd266d",
    ),
    Report(
        "https://github.com/rlberry-py/rlberry/pull/94",
        "PSRL's posterior of rewards was given the reward itself and not a coin with that mean, as its documentation says.",
        "8acd266d", "f7a1bda1",
        "violated before: 1 + 0.5 is no count of coins; not after",
        "whole-counts", (agents.BeforePSRL, agents.PSRL),
        run="one reward of 1/2: the posterior of its mean is Beta(1.5, 1.5) at 8acd266d, and Beta(1, 2) at f7a1bda1",
    ),
    Report(
        "https://github.com/rlberry-py/rlberry/commit/bee7659f",
        "LSVI-UCB kept one vector of weights, that of the first step, and acted by it at every step.",
        "377f19b6", "bee7659f",
        "violated before, where an action is not the best one of its step; not with the weights of each step",
        "greedy", (linear.WeightsOfTheFirstStep, linear.LSVI), "lsvi-ucb", LEAST_SQUARES,
    ),
    Report(
        "https://github.com/rlberry-py/rlberry/commit/bee7659f",
        "LSVI-UCB stored a reward under the number of the episode, and read it under the number of the step since the beginning.",
        "377f19b6", "bee7659f",
        "violated before; not with one number for both",
        "q-formula", (linear.RewardsByEpisode, linear.LSVI), "lsvi-ucb", LEAST_SQUARES,
    ),
    Report(
        "https://github.com/iosband/TabulaRL/issues/5",
        "UCRL2's intervals were given the index of the episode where the theorem has the time.",
        "1228f4c", "",
        "violated before, by decisions that the algorithm would not have made; not with the time in its place. UCFH, "
        "which the report names, too, is not here",
        "decisions", (agents.BeforeUCRL2, agents.UCRL2), "ucrl2", {"knob": "scale"},
    ),
    Report(
        "https://github.com/YelpArchive/MOE/issues/432",
        "UCB1's bonus had the plays of the arm under the logarithm and the rounds under the root, each where the other belongs.",
        "7196aae", "679a508",
        "violated before; not with both in their places",
        "bonus-formula", (bandits.CountsSwapped, bandits.UCB1), "ucb1", INDEX, ARMS,
        "decisions: violated at 7196aae, conform at 679a508 (translated by 2to3, with an empty moe/__init__.py)",
    ),
    Report(
        "https://github.com/google-deepmind/open_spiel/issues/19",
        "The bonus of a child in a tree search had its own visits under the logarithm, where UCB1 has those of its parent.",
        "9a1cad49", "32606aa7",
        "violated before, in UCB1, which is one node of the search; not with the visits of the parent",
        "bonus-formula", (bandits.OwnPlaysInLog, bandits.UCB1), "ucb1", INDEX, ARMS,
        "decisions of a root and its children, uct_c = √2: violated at 9a1cad49, conform at 32606aa7",
    ),
    Report(
        "https://github.com/haroldsultan/MCTS/issues/2",
        "The bonus of a child in a tree search was √(ln(2n) / N), where UCB1 has √(2 ln(n) / N).",
        "3d0aa19", "945e492",
        "violated before, in UCB1; not with the 2 outside",
        "bonus-formula", (bandits.TwoInLog, bandits.UCB1), "ucb1", INDEX, ARMS,
        "decisions of BESTCHILD with scalar 1: violated at 3d0aa19, conform at 945e492",
    ),
    Report(
        "https://github.com/eleurent/rl-agents/pull/49",
        "The first simulation of a tree search took no step, because its root had no visits.",
        "d7c9545", "ed6c5c1",
        "not followed: this search is not here. An index that the pull request rewrites, to the same value, is the next row",
    ),
    Report(
        "https://github.com/eleurent/rl-agents/blob/master/rl_agents/agents/tree_search/mcts_dpw.py",
        "Found here: the bonus of a child in a tree search is √ln(n / N), where UCB1 has √(ln(n) / N), up to a factor.",
        "84df15e", "",
        "violated before, in UCB1; not with the quotient outside the logarithm",
        "bonus-formula", (bandits.QuotientInLog, bandits.UCB1), "ucb1", INDEX, ARMS,
        "decisions of a root and its children, temperature √2: violated at 84df15e; conform there "
        "with the bracket of the logarithm closed before the quotient",
    ),
    Report(
        "https://github.com/zxqfl/mcts/pull/2",
        "The mean of a child in a tree search was its sum of rewards over the visits of the parent.",
        "5a0cb9f", "736a116",
        "violated before, in UCB1; not with the visits of the child",
        "reward", (bandits.RoundsInMean, bandits.UCB1), "ucb1", INDEX, ARMS,
    ),
    Report(
        "https://github.com/st-tech/zr-obp/pull/107",
        "ε-greedy kept the mean of an arm where the sum of its rewards is expected, and divided it by the plays once more.",
        "7f193e4", "9a98923",
        "ε-greedy is not here; the mean of UCB1 is violated before, and not after",
        "reward", (bandits.DividedTwice, bandits.UCB1), "ucb1", INDEX, ARMS,
        "after rewards 1, 1, 1, 1 and 1, 0 its means are 0.25 and 0.25 at 7f193e4, and 1 and 0.5 at 9a98923",
    ),
    Report(
        "https://github.com/fidelity/mabwiser/issues/10",
        "UCB1 renewed the index of an arm only when the arm itself was played, so that ln n was that of its last play.",
        "c6f1660", "79ced9e",
        "violated before; not with all indices renewed",
        "index-formula", (bandits.OldIndices, bandits.UCB1), "ucb1",
        {"read": {"Q": "index", "visits": "N", "reward": "means"}, "knob": "c"}, ARMS,
        "decisions, each arm in the first fit: violated at c6f1660, conform at 79ced9e",
    ),
    Report(
        "https://github.com/fidelity/mabwiser/blob/master/mabwiser/ucb.py",
        "Found here: UCB1 has the index 0 for an arm that was never played, so that it may never be played.",
        "v2.7.4", "",
        "violated before, at the second round; not where each arm is played once, as the paper has it",
        "largest-index", (bandits.UnplayedIsZero, bandits.UCB1), "ucb1", INDEX, ARMS,
    ),
    Report(
        "https://github.com/jubatus/jubatus_core/issues/159",
        "With assume_unrewarded, UCB1 did not count the first play of an arm, so that the first arm was played for ever.",
        "b2c5a237", "4a1fc69f",
        "violated before, at the second round; not with every play counted",
        "visits", (bandits.FirstPlayUncounted, bandits.UCB1), "ucb1", INDEX, ARMS,
    ),
    Report(
        "https://github.com/aws-samples/retail-demo-store/pull/647",
        "Thompson sampling had all plays where the Beta posterior has the failures; pull request 643 mends a notebook likewise.",
        "e5791de8", "9c17583d",
        "violated before; not with the plays that paid nothing",
        "failures", (bandits.PlaysForFailures, bandits.Thompson), "thompson", None, ARMS,
        "9 conversions of 10 exposures: a draw from Beta(10, 11) at e5791de8, and from Beta(10, 2) at 9c17583d",
    ),
    Report(
        "https://github.com/DeaconDesperado/flask_mab/commit/10a89b7",
        "Found here: since a mend of the prior, failures grow by 1 minus the reward, which is set to 1, so that none is counted.",
        "10a89b7", "",
        "violated before; not with the plays that paid nothing",
        "failures", (bandits.NoFailures, bandits.Thompson), "thompson", None, ARMS,
        "20 rewards in 100 plays: the draws have the mean 0.205 one commit before, 21/102 = 0.206, and 0.954 at 10a89b7",
    ),
    Report(
        "https://github.com/david-cortes/contextualbandits/issues/19",
        "LinUCB's bonus was x'A⁻¹x, without its root and without α.",
        "78ea43a", "b74e49a",
        "violated before, in LSVI-UCB with one step, which is LinUCB with a cut at 1; not with both",
        "q-formula", (linear.NoRoot, linear.LSVI), "lsvi-ucb", LEAST_SQUARES, ("one-step",),
        "one observation, x = 1, λ = 1, α = 1, b = 1/2: the score is 0.75 at 78ea43a, and 0.957 = 1/4 + 1/√2 at b74e49a",
    ),
    Report(
        "https://github.com/david-cortes/contextualbandits/blob/b74e49a/contextualbandits/utils.py",
        "Found here: LinUCB adds its bonus where it is told to exploit, and none where it explores.",
        "b74e49a", "80261f9",
        "violated before, in LSVI-UCB with one step; not with the bonus",
        "q-formula", (linear.NoBonus, linear.LSVI), "lsvi-ucb", LEAST_SQUARES, ("one-step",),
        "as above, without exploit: the score is 0.25 at 78ea43a, b74e49a and 77874df; 80261f9 was read and not run",
    ),
    Report(
        "https://github.com/david-cortes/contextualbandits/commit/77874df9",
        "LinUCB's partial_fit began with λ on the diagonal of A⁻¹, where 1/λ belongs.",
        "b74e49a", "77874df",
        "violated before where λ is not 1; not with 1/λ",
        "q-formula", (linear.InversePenalty, linear.LSVI), "lsvi-ucb", LEAST_SQUARES, ("ridge-four",),
        "x = 1, λ = 4: after one observation A⁻¹ is 0.8 at b74e49a, and 0.2 = 1/(4 + 1) at 77874df",
    ),
    Report(
        "https://github.com/thunfischtoast/LinUCB/pull/2",
        "LinUCB's estimate was the first entry of the outer product θx', where the inner product θ'x belongs.",
        "1af805e", "b39f3af",
        "violated before, in LSVI-UCB; not with the inner product",
        "q-formula", (linear.FirstCoordinate, linear.LSVI), "lsvi-ucb", LEAST_SQUARES, ("linear",),
    ),
    Report(
        "https://github.com/sauxpa/neural_exploration/issues/1",
        "The bonus of LinUCBVI cut the features of all pairs along the wrong axis, so that each pair had entries of others.",
        "66143e4", "cd2b82e",
        "violated before, in LSVI-UCB; not with the features of the pair",
        "q-formula", (linear.FeaturesReshaped, linear.LSVI), "lsvi-ucb", LEAST_SQUARES, ("linear",),
        "four pairs with drawn features: none has the bonus of the formula at 66143e4, and each has it at cd2b82e",
    ),
    Report(
        "https://github.com/david-abel/simple_rl/pull/44",
        "Value iteration backed up the values of the next states and left out the reward and the discount.",
        "10a3c0f", "638f049",
        "violated before, in UCBVI's backup without its reward; not with it",
        "q-formula", (agents.NoReward, agents.UCBVICH), "ucbvi-ch", VALUES,
        run="two cells, the goal next to the start: the value of the start is 0 at 10a3c0f, and 1 at 638f049",
    ),
    Report(
        "https://github.com/david-abel/simple_rl/issues/62",
        "R-MAX gave an unknown pair the largest reward of one step, where it should have the largest value.",
        "d8fe600", "3e215f4",
        "R-MAX is not here; the same line of UCBVI, H where a pair was never seen, is violated before, and not after",
        "q-formula", (agents.UnseenIsOneReward, agents.UCBVICH), "ucbvi-ch", VALUES,
    ),
    Report(
        "https://github.com/TheoLvs/reinforcement-learning/issues/3",
        "Q-learning's target has the next value of the action just taken, where the largest of all actions belongs.",
        "c54f732", "",
        "violated before, in the target of UCB-Hoeffding; not with the largest",
        "q-formula", (agents.ValueOfTheSameAction, agents.QLearning), "ucb-hoeffding", VALUES,
        run="r = 1, next values 0 and 5, γ = lr = 1, first action: Q becomes 1 at c54f732, where 6 is right",
    ),
    Report(
        "https://github.com/mcmachado/count_based_exploration_sr/issues/1",
        "Sarsa's target had a minus between γ and the value of the next state, where a product belongs.",
        "83b3335", "e4d657e",
        "Sarsa is not here; with the best next action its target is that of Q-learning: violated before, and not after",
        "q-formula", (agents.MinusForTimes, agents.QLearning), "ucb-hoeffding", VALUES,
        run="r = 1, next value 4, γ = 1/2, step size 1: q becomes −2.5 at 83b3335, and 3 at e4d657e",
    ),
    Report(
        "https://github.com/MichelangeloConserva/Colosseum/blob/master/colosseum/agent/agents/episodic/q_learning.py",
        "Found here: Q-learning weighs what is new by 1 − α_t and what was there by α_t.",
        "981b344", "",
        "violated before; not with the weights of the paper",
        "q-formula", (agents.BeforeQLearning, agents.QLearning), "ucb-hoeffding", VALUES,
    ),
    Report(
        "https://github.com/sltap/efficient-low-regret-linear-mdp-rl/blob/main/lsvi_ucb_base.py",
        "Found here: LSVI-UCB has Λ_h in the bonus of V_{h+1}, where Algorithm 1 has Λ_{h+1}.",
        "68cfd36", "",
        "violated before; not with the matrix of the step itself",
        "q-formula", (linear.MatrixOfTheStepBefore, linear.LSVI), "lsvi-ucb", LEAST_SQUARES,
    ),
    Report(
        "https://github.com/rlberry-py/rlberry/pull/204",
        "An index of a bandit algorithm, UCB-V, was polished.",
        "", "63b58c74",
        "not followed: UCB-V is not here, and no statement of a theorem changed",
    ),
    Report(
        "https://github.com/rlberry-py/rlberry/commit/125fcd92",
        "RS-UCBVI took the largest value from the range of rewards that the environment declares, also where that was 0.",
        "", "125fcd92",
        "not followed: theorems have rewards in [0, 1], and no claim is about how a range is read",
    ),
    Report(
        "https://github.com/SMPyBandits/SMPyBandits/pull/208",
        "Discounted UCB discounted an arm only when it was played, and the lower KL bound was searched on the wrong side.",
        "76c8162", "89ae808",
        "not followed: discounted UCB is not here, and with a discount of 1 both versions are the same; KL-UCB is here, whose "
        "index is an upper bound, and the lower one is not",
    ),
    Report(
        "https://github.com/SMPyBandits/SMPyBandits/issues/225",
        "Exp3++ mixed its weights with the learning rate, where the exploration rate of each arm belongs.",
        "", "4d29a86",
        "not followed: Exp3++ is not here; EXP3 is, whose mixture has one rate for all arms, so that the two cannot be exchanged",
    ),
    Report(
        "https://github.com/SMPyBandits/SMPyBandits/commit/35c425c5",
        "The thresholds of RAW-UCB lacked the factor α.",
        "", "35c425c",
        "not followed: rotting bandits are not here",
    ),
    Report(
        "https://github.com/SMPyBandits/SMPyBandits/commit/0ef3fe5c",
        "SWA cut its sums by a window that is a float.",
        "", "0ef3fe5",
        "not followed: an exception is an error and no claim, and rotting bandits are not here",
    ),
    Report(
        "https://github.com/eleurent/rl-agents/commit/b2a5f9ee",
        "BRUE seeded a node of its tree, where it should seed the copy of the environment.",
        "", "b2a5f9e",
        "not followed: BRUE is not here, and plans do not show how a simulator is seeded",
    ),
    Report(
        "https://github.com/eleurent/rl-agents/commit/653f4771",
        "A robust planner backed up the largest value over children and models, where a child has its smallest over the models.",
        "", "653f477",
        "not followed: robust planning is not here",
    ),
    Report(
        "https://github.com/david-cortes/contextualbandits/pull/6",
        "LinUCB used names that were not defined, and returned nothing.",
        "deb5455", "d60f4c9",
        "not followed: an exception is an error and no claim",
    ),
    Report(
        "https://github.com/akhadangi/Multi-armed-Bandits/issues/2",
        "LinUCB scored as many arms as there are features.",
        "3da56e8", "",
        "not followed: an index out of range with more features than arms, and here no instance has fewer",
    ),
    Report(
        "https://github.com/MolecularAI/aizynthfinder/issues/126",
        "The bonus of a tree search is C√(2 ln(n) / N) with C = 1.4, so that it has √2 twice.",
        "adf5334", "",
        "not followed: C is a parameter, no theorem is cited for it, and with C = 1 the bonus is that of UCB1",
    ),
    Report(
        "https://github.com/lilianweng/multi-armed-bandit/issues/1",
        "UCB1's mean is said to be updated wrongly.",
        "6818c91", "",
        "no bug: with n plays before, adding (r − mean) / (n + 1) to the mean gives the mean. "
        "Its bonus has 1 + N where UCB1 has N",
    ),
)  # fmt: skip
