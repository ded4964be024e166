"""Clauses of the paper."""

from __future__ import annotations

from verifier import Clause

_ABOUT_THE_INSTANCE = "about the instance alone, whatever is run on it: computed exactly in the tests of the hard instance"
CLAUSES = (
    Clause("MDP", "Definition 3.1", "a linear MDP with bounded features, measures and rewards"),
    Clause("REPLAY", "Algorithms 1 and 2", "every line, replayed"),
    Clause("RADII", "eq. (20), Theorem 4.2", "both radii"),
    Clause("MEAS", "Definition A.1", "weights, values and policies are measurable"),
    Clause("LB", "Appendix B, Theorem 6.1", "the mean loss that no algorithm can stay below"),
    Clause("GRAM", "section 5", "Gram matrices only grow"),
    Clause("A.6", "Lemma A.6", "confidence in exploration"),
    Clause("A.7", "Lemma A.7", "optimism in exploration"),
    Clause("A.8", "Lemma A.8", "the two Gram matrices"),
    Clause("A.9", "Lemma A.9", "the aggressive weights"),
    Clause("RANGE", "Algorithm 1", "ranges of weights and values"),
    Clause("A.10", "Lemma A.10", "W bounds the variance"),
    Clause("A.11", "Lemma A.11", "confidence for V*"),
    Clause("A.12", "Lemma A.12", "confidence for V − V*"),
    Clause("A.13", "Lemma A.13", "both events at once"),
    Clause("A.14", "Lemma A.14", "optimism in planning"),
    Clause("A.15", "Lemma A.15", "what planning adds is within what exploration adds"),
    Clause("BON", "Lemma A.15, proof", "the bonus of exploration is at least twice that of planning"),
    Clause("A.17", "Lemma A.17", "values of exploration from above"),
    Clause("A.18", "Lemma A.18", "sum of backups"),
    Clause("A.19", "Lemma A.19", "sum of weights"),
    Clause("A.20", "Lemma A.20", "sum of values"),
    Clause("A.21", "Lemma A.21", "initial states"),
    Clause("A.22", "Lemma A.22", "the bonus that is left for planning"),
    Clause("T4.2", "Theorem 4.2", "the loss of the returned policy"),
    Clause("ANY", "section 3", "any reward, those chosen after the data included"),
    Clause("E9", "eq. (9)", "the reward of exploration is at least √d times the bonus of planning",
        "needs β_E ≥ √d β_P: with the published radii β_E/(√d β_P) is about 0.02 at sizes that can be run"),
    Clause(
        "RATE",
        "Theorem 4.2",
        "K = Õ(H⁴d²/ε²): d² and not d³",
        "Lemma A.22 gains √d by αṼ(b) ≤ Ṽ(αb) for α = c√d, which is false for α > 1: an erratum; and weights fall only after "
        "some d⁷ episodes, so that no run shows a rate in d",
    ),
    Clause("C.4", "Lemma C.4", "error of the estimates"),
    Clause("C.6", "Lemma C.6", "elliptical potential"),
    Clause("C.7", "Lemma C.7", "number of large norms"),
    Clause("DET", "Lemma C.6, proof", "determinants"),
    Clause("LB-inst", "Appendix B", "the hard instance is a linear MDP", _ABOUT_THE_INSTANCE),
    Clause("B.2", "Lemma B.2", "no policy loses more than dH²Δ on it", _ABOUT_THE_INSTANCE),
    Clause(
        "B.1",
        "Theorem B.1",
        "regret at least c dH√T for some signs",
        "a supremum over signs, with an unnamed constant, of a regret that the protocol does not have; the mean over signs "
        "with all constants is the lower bound of exploration",
    ),
    Clause("T6.1", "Theorem 6.1", "K ≥ C d²H³/ε² episodes are needed",
        "with a constant that is not named; the lower bound of exploration has it"),
    Clause(
        "D.1",
        "Appendix D",
        "memory O(d²H + dAHK)",
        "what an algorithm keeps is its own; on finite states the sums are kept, O(Hd² + HdS), and a benchmark measures that",
    ),
    Clause("D.2", "Appendix D", "time O(d²AHK²)",
        "of no use where it is not measured in operations; a benchmark measures that an episode costs the same at any K"),
    Clause("C.1", "Lemma C.1", "self-normalised bound of Hoeffding's kind",
        "of any process, not of the algorithm; false as printed: an erratum"),
    Clause("C.2", "Lemma C.2", "self-normalised bound of Bernstein's kind",
        "of any process, not of the algorithm, and cited from Hu et al. (2022) without a proof; it enters β_P2"),
    Clause("C.3", "Lemma C.3", "Azuma's inequality", "of any martingale, not of the algorithm; it enters A.18 to A.21"),
    Clause("C.5", "Lemma C.5", "covering number of the value functions",
        "of a class of functions; it enters the formula of both radii"),
)  # fmt: skip
