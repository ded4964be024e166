"""Meaning of the words on screens and pages; `verifier explain WORD` and the glossary of the documentation print it."""

from __future__ import annotations

WORDS = {
    "violated": "a comparison failed beyond rounding (or, for a claim that may fail with a given probability, the failure rate "
    "is above it, and for a claim in expectation the mean is above the bound, at the level the error budget gave it)",
    "inconclusive": "more trials are needed; the report says how many clean ones would certify, or how far apart the means are",
    "conforms": "it was compared where it could have failed, and did not fail",
    "observed": "the rate of failures was measured in the regime calibrated, where no theorem promises one; it is reported with "
    "its interval, neither a pass nor a violation",
    "vacuous": "it holds, but no comparison could have failed: the bound is never below the trivial bound, or in less than 1% "
    "of the comparisons on an instance. With the "
    "papers' constants this is usual; the report says from which size on it would end",
    "not applicable": "an assumption fails on the instance, or the event the claim is given never held",
    "error": "a trial crashed, hung or broke its contract; never a pass",
    "published": "regime: the paper's confidence width with its constants",
    "scaled": "regime scaled(c): the paper's confidence width times c. The theorem says nothing here; only claims conditional on "
    "the confidence event are checked, where it holds",
    "calibrated": "regime: the confidence width is read off a run of the harness's own on the same instance, by a rule that the "
    "setting states, never off the run that is judged. Nothing promises that it is wide enough: what is given an event is "
    "checked where the event holds, and how often the event fails is observed",
    "oracle": "regime: the confidence width is replaced, step by step, by the exact estimation error the run realises, computed "
    "by the harness from its own transcript. The event then holds with equality and everything that follows from it must hold to "
    "rounding: the sharpest test there is",
    "identity": "kind of claim: two routes to the same quantity agree up to rounding",
    "always": "kind of claim: holds on every run",
    "given": "kind of claim: holds wherever an event holds, which the harness evaluates itself",
    "probability": "kind of claim: may fail in a run with probability delta (or a multiple of it, or a number of its own); "
    "decided over seeds by anytime-valid tests",
    "expectation": "kind of claim: the mean of the left side over runs is at most the mean of the bound; "
    "decided over seeds by anytime-valid tests. It conforms when the mean is at most (1 + resolution) times the "
    "bound's, and never where nothing limits the left side",
    "law": "kind of claim: something random has a given law. Each run gives an e-value, the evidence for alternatives that the "
    "property names, which has mean at most 1 if the law is right; it is violated when the evidence over seeds reaches the "
    "inverse of its share of the error budget. A law cannot be certified against all others: it conforms when a wrong one that "
    "the claim names would have been found, and is vacuous where it never would",
    "scaling": "kind of claim: a rate, measured by `verifier scale` over a ladder of sizes and over seeds. It is "
    "violated when even the lower end of the exponent is above the claimed one, conforms when the upper end is not",
    "decisions": "claim about your own agent: it acts as the algorithm could with its data and width",
    "assumption": "kind of claim: a property of the instance",
    "replay": "identities recompute the algorithm's quantities from the transcript by another route",
    "error budget": "the probability that a correct algorithm is called violated anywhere in the report",
    "topic": "what a claim is about; the first screen counts claims by it. Lines of the algorithm are pseudo-code, "
    "assumptions, laws and rates are what their kind says, all others what the property says that they evaluate",
    "assumptions": "topic: what must be so of the instance. Instances outside them are there on purpose; claims that need "
    "them do not count there",
    "pseudo-code": "topic: lines of the algorithm. Each is computed again by another route, from what the lines before it did",
    "laws": "topic: what is random has the law that is claimed, such as the successors of a simulator or the actions of a policy",
    "confidence": "topic: estimates are as close to the truth as the widths and bonuses say",
    "decomposition": "topic: how errors and variances split over factors or steps",
    "planning": "topic: the values and policies of a plan by themselves",
    "optimism": "topic: planned values against true ones: never too small, and never too large by more than is said",
    "exploration": "topic: what has been seen of the problem when exploration ends",
    "potential": "topic: sums of bonuses, widths and counts: how often one of them can be large",
    "switching": "topic: when and how often an algorithm plans",
    "regret": "topic: what the policies that were played, or returned, lose against the best one",
    "rates": "topic: how quantities grow with the size of the instance; `verifier scale` measures it",
    "other claims": "topic: claims whose property does not say what it is about",
    "setting": "a kind of decision problems: what an agent may know, how it is played, the exact truth, what a plan looks like",
    "instance": "one finite problem of a setting, whose exact truth the harness knows",
    "drawn": "instance: small ones that the search makes up, to find a counterexample and shrink it",
    "outside": "of an instance: one on which an assumption fails, on purpose. What needs it is not applicable there",
    "regime": "where the confidence width comes from: published, scaled(c), calibrated or oracle",
    "width": "how far an estimate is trusted to be from the truth; algorithms ask the harness for it",
    "trial": "one run of one algorithm on one instance in one regime with one seed",
    "seed": "the master seed; every stream of random numbers follows from it",
    "profile": "how much work a command does: quick, standard or deep",
    "budget": "the processor time that trials may take, all workers together",
    "unfinished": "some pair of instance and regime had no trial before the run ended; nothing has passed then",
    "complete": "every pair of instance and regime had its trial, and nothing crashed",
    "failed": "of a run: something crashed, hung or broke its contract; of a trial: a comparison in it was false",
    "budget spent": "every pair of instance and regime had its trial, and the budget ended before all planned ones were run",
    "verdict": "what can be said of a claim: violated, error, inconclusive, conforms (the only pass), "
    "observed, vacuous, not applicable",
    "undecided": "inconclusive",
    "claim": "a property bound to a sentence of a paper; its id is ALGORITHM/CLAIM",
    "statement": "of a paper: something that it asserts; there is a claim about it, or a reason why it is not checked",
    "clause": "a statement of the paper, as a plugin declares it: with a claim about it, or the reason why it is not checked",
    "source": "where a claim stands in the paper; with a dagger if the printed form is wrong, with a double one if it is ours",
    "corrected": "of a claim: the printed form is wrong, and this is what holds instead",
    "ours": "of a claim: not in the paper, or not with these constants",
    "decided at": "regime and instance of the comparison that a report cites for a claim: where it is exceeded most if it is "
    "violated, else where it came closest to failing",
    "worst case": "the comparison of all trials that is closest to being false, or false by most",
    "ratio": "value over bound where that is largest; above 1 the inequality is false",
    "n": "trials of the entry that a report cites",
    "slack": "bound minus value, where both agree in all digits that are shown",
    "margin": "the smallest difference of bound and value over all comparisons; `tight` where it is none but rounding",
    "rounding": "by how much two sides may differ because numbers have finitely many digits; derived for each comparison",
    "trivial bound": "what the left side is at most for any implementation; a bound above it says nothing",
    "power": "of a comparison: its bound is below the trivial one, so that it could have failed; `verifier power` plants bugs "
    "to see that checks find them",
    "planted bug": "a small subclass of an algorithm with one mistake, to see whether a check finds it; also called a mutant",
    "mutant": "a planted bug",
    "killed": "of a planted bug: a claim called it violated",
    "survived": "of a planted bug: no claim called it violated, and it is not declared equivalent",
    "equivalent": "of a planted bug: no check can tell it from the original, for a reason that is declared, or in the regimes "
    "that were selected, because the claims that find it are about others",
    "not run": "of a planted bug: the run ended before anything could be said of it",
    "garbage": "an agent that learns nothing, which a setting adds to the planted bugs",
    "first broken": "a violated claim none of whose premises is violated; look there first",
    "because of it": "violated claims that use the first broken line, and so may hold once that is mended",
    "not judged": "of a claim: it uses a broken line, so that neither a pass nor a failure of it says anything",
    "not tested": "a part of the formula of a claim that conforms on which no comparison depends: changed by half, it would have "
    "made none of them fail, so that a mistake in it would not have been seen",
    "where would it not?": "parts of formulas in which a mistake would not have been seen: no comparison depends on them",
    "could not fail": "no comparison could have failed there, so that the pass says nothing: vacuous",
    "smallest margin": "the smallest difference of bound and value over all comparisons of the topic",
    "tight": "tight up to rounding",
    "tight up to rounding": "a comparison holds with a difference that is rounding and no more: nothing smaller would do there",
    "how often": "comparisons that are false, of all that were made in a regime on an instance",
    "is the proof checked?": "the claims that the proof of the main theorem uses, and in how many of them something could have "
    "failed and did not, by regime",
    "is the paper right?": "what is known here to be false, or not implied, as printed in it; `verifier errata` has it",
    "rests on": "uses in its proof, directly or through other claims; what rests on a broken claim is no evidence either way",
    "steps": "of a theorem: the claims that its proof uses, without assumptions and without what no implementation can violate",
    "unbreakable": "of a claim: proved of every agent that sees what its environment offers and no more, and so always vacuous",
    "witness": "the smallest instance, and the shortest run, on which a claim was seen to fail",
    "erratum": "a statement of a paper that is false, or not implied, as printed; `verifier errata` runs its counterexample",
    "false as printed": "grade of an erratum: a counterexample refutes the printed statement",
    "proof step false": "grade of an erratum: a step of a printed proof is refuted, which need not make the result false",
    "not implied": "grade of an erratum: what is printed does not follow from what it is derived from",
    "false alarm": "a correct algorithm is called violated; by chance with probability at most the error budget of a report",
    "clean run": "a trial in which nothing failed; so many more would certify a failure rate that is not decided yet",
    "certified": "a test over seeds has decided that the failure rate, or the mean, is at most what is claimed",
    "exponent": "of a rate: the slope of the logarithm of a quantity against that of the size",
    "reproduced": "each sentence of a paper about its figure holds of the measured curves",
    "differs": "some sentence of a paper about its figure does not hold of the measured curves",
    "cannot tell": "some such sentence is undecided",
    "contract": "stage of the gate: the plugin loads, its declarations are complete, no global random generator is touched",
    "claims": "stage of the gate: no claim is violated, and at least one could have been",
    "coverage": "stage of the gate: every clause of the theorem has a claim, or a reason why not",
    "determinism": "stage of the gate: the same bits in another process, with another hash seed, and after other runs",
    "speed": "stage of the gate: not slower than the baseline by more than is accepted",
    "baseline": "stage of the gate, and the file it compares with: no claim, planted bug or clause is lost, no claim was "
    "weakened",
}


def meaning(word: str) -> str:
    """The entry of a word, however it is written: ``error-budget``, ``Error budget``, ``scaled(0.1)``; empty if there is none."""
    name = word.lower().partition("(")[0]
    found = next((known for known in (name, name.replace("-", " ")) if known in WORDS), "")
    return f"{found}: {WORDS[found]}." if found else ""
