"""Formulas that need not be noticed by a violated claim when they are broken, each with its reason."""

from __future__ import annotations

PREMISES = (
    "properties.factored.formulas.width_freedman",
    "properties.factored.optimism.*",
    "settings.factored.*.factor_error",
    "properties.cvar.model_learning.concentrated",
    "settings.cvar.planning.session.PlanningSession.oracle",  # of a wrong width it is seen that the event does not hold
    "settings.cvar.regression.least_width",
    "properties.episodic.tabular_model.Bonus.value",
    "settings.episodic.phases.Phases.seen",
    "properties.episodic.error_bounds.covered",
    "properties.episodic.error_bounds.covered_from",
    "properties.episodic.monotone_bonus.LogarithmError.error",
    "properties.episodic.monotone_bonus.covered",
    "properties.episodic.monotone_bonus.least_root",
    "properties.episodic.ellipsoids.distances",
    "properties.episodic.ellipsoids.inside",
    "properties.episodic.planning.regression_event",
    "properties.episodic.randomised_values.within",
    "properties.episodic.value_noise.log_ratio",
    "properties.episodic.updates.UpdateError.error",
    "properties.episodic.updates.Updates.covered",
    "properties.episodic.updates.Updates.mean_noise",
    "properties.episodic.updates.Updates.sound",
    "properties.episodic.visits.Visits.all_sound",
    "properties.episodic.visits.Visits.covered",
    "properties.episodic.visits.Visits.sound",
    "properties.lifelong.optimism.*",
    "settings.played.EpisodePhases.asked",
    "settings.reward_free.backups.Backups.event_holds",
    "settings.reward_free.phases.Planning.explored",
    "settings.cvar.augmented.reached",
    "settings.cvar.iterations.Iterations.reached",
    "settings.cvar.planner_calls.PlannerCall.complete",
    "settings.cvar.planning.session.PlanningSession.realised_error",
    "settings.cvar.planning.views.Rounds.event",
    "settings.cvar.planning.views.Rounds.reached",
    "settings.cvar.regression.error",
    "settings.cvar.regression.estimate",
    "settings.discounted.played.PlayedEpochs.error",
    "settings.discounted.epochs.Epochs.excessive",
    "settings.discounted.epochs.Epochs.invalid",
    "settings.discounted.played.PlayedEpochs.optimism_residual",
    "settings.discounted.epochs.Epochs.pessimistic_on_optimal",
    "settings.discounted.epochs.Epochs.valid",
    "properties.discounted.laws.relative_entropy",
    "settings.episodic.phases.Phases.episode.complete",
    "settings.episodic.phases.Phases.episode.event",
    "settings.episodic.phases.Phases.episode.seen",
    "settings.episodic.phases.Phases.event",
    "settings.episodic.instance.Truth.linear",
    "settings.episodic.phases.Phases.error_of",
    "settings.episodic.phases.Phases.inside",
    "settings.episodic.phases.Phases.kernel_error",
    "settings.episodic.session.EpisodicSession.realised_error",
    "settings.episodic.mixtures.TargetedRegression.error",
    "settings.episodic.mixtures.Targets.estimate",
    "settings.reward_free.backups.Backups.event*",
    "settings.reward_free.backups.Backups.weights_decided",
    "settings.reward_free.data.Data.model",
    "settings.reward_free.phases.Phases.episode.event_norm",
    "settings.knapsack.phases.Phases.covered",
    "settings.knapsack.phases.Phases.episode.event",
    "settings.lifelong.phases.Phases.episode.complete",
    "settings.lifelong.phases.Phases.episode.event",
    "settings.lifelong.phases.Phases.error_norm",
    "settings.lifelong.phases.Phases.event",
    "settings.lifelong.phases.Phases.exact",
    "settings.lifelong.psi.PsiRegressions.complete",
    "settings.lifelong.psi.PsiRegressions.completeness_norm",
    "settings.lifelong.psi.PsiRegressions.psi_error_norm",
    "settings.lifelong.psi.PsiRegressions.psi_parameter",
    "settings.lifelong.psi.PsiRegressions.reward_error_norm",
    "settings.lifelong.session.LifelongSession.realised_error",
)
"""Formulas that decide where a statement applies, the oracle's width among them: where it wrongly does not, no claim can be
violated. That is noticed all the same, as claims that conformed have nothing to compare any more and do so no longer."""

UNREAD = (
    "settings.acting.*",  # by agents of users alone: test_held
    "settings.followed.*",  # the same: test_decisions, test_identify
    "settings.lifelong.held.*",  # the same: test_identify_settings
    "settings.lifelong.followed.*",  # the same
    "settings.factored.held.*",  # the same
    "settings.factored.followed.*",  # the same
    "settings.factored.phases.Run.parts",  # by algorithms that follow an agent: test_identify_settings
    "settings.episodic.held.*",  # by agents of users alone: test_held
    "settings.episodic.sampling.*",  # the same: test_held_draws
    "settings.episodic.kept.*",  # the same: test_held
    "settings.episodic.followed.*",  # the same: test_decisions, test_identify
    "settings.episodic.holdings.*",  # the same: test_guess
    "properties.episodic.adapted_values.with_data",  # by the claims of rlberry-scool, where that is installed
    "properties.episodic.adapted_values.with_noise",  # the same
    "settings.lifelong.environment.LifelongEnvironment.step",  # by agents that play step by step
    "settings.cvar.planning.instance.Instance.*_norm",
    "settings.episodic.phases.Phases.step_radius",  # by claims of algorithms with a ball for each step
    "settings.discounted.epochs.Epochs.largest",  # where a formula fails, by what explains it
    "settings.discounted.epochs.Epochs.norm_of_gram",  # the same
    "settings.episodic.phases.Phases.mean_value",  # where a formula fails, by what explains it
    "settings.episodic.phases.Phases.second_moment",  # the same
    "settings.episodic.phases.Phases.step_mean_reward",  # by claims of algorithms that count rewards of each step apart
    "reference.psrl.algorithm.PSRL.published_width",  # it asks for no width
    "bandits.thompson.algorithm.ThompsonSampling.published_width",  # the same
    "bandits.exp3.algorithm.EXP3.published_width",  # the same
    "settings.factored.estimates.Estimates.kernel",  # the joint law, by which unit tests see what elimination finds
    "settings.reward_free.backups.Backups.PV_hat",
    "settings.reward_free.session.RewardFreeSession.realised_error",  # by agents that ask for the error itself
    "settings.cvar.planning.views.Rounds.potential",
    "settings.cvar.planning.views.Rounds.trace",
    "settings.cvar.planning.views.Rounds.xi",
    "settings.knapsack.session.KnapsackSession.oracle",  # by garbage: the shipped algorithm asks for the errors themselves
)
"""Formulas no check of an installed algorithm reads: second routes and views for unit tests, tables of witnesses."""

NOT_BROKEN = {
    "settings.episodic.rewards.RewardLaw.mean": "claims that are given an event leave out what a wrong one breaks",
    "properties.episodic.randomised_values.union": "decides where means over runs are looked at, which take dozens to decide",
    "settings.mdp.random_policy_values": "values of policies that draw; a claim of a rate alone reads them",
    "settings.episodic.bonuses.bernstein": "the unit of the oracle's width: a wrong one covers nothing, and nothing is compared",
    "settings.episodic.bonuses.hoeffding_width": "says from which size on a bound means something, and is no width",
    "settings.factored.phases.Phases.episode.width": "one field of a series; only algorithms that follow an agent read it",
    "properties.factored.counting.visit_event": "decides where facts apply that no run can break, and so none conforms",
    "settings.factored.instance.Instance.marginals": "keeps what Elimination finds, which is broken; only events read it",
    "properties.factored.flat.is_product": "decides where a mean over runs is looked at, which takes dozens of runs to decide",
    "*.tolerances.*": "an allowance for rounding: right algorithms meet a larger one, too",
    "settings.rounding.*": "an allowance for rounding: right algorithms meet a larger one, too",
    "*rounding": "an allowance for rounding: right algorithms meet a larger one, too",
    "*.strategies.*": "makes instances: wrong numbers give other ones that are legal",
    "*.generators.*": "makes instances: wrong numbers give other ones that are legal",
    "settings.episodic.instance.Prior.kernel": "makes instances: wrong numbers give other ones that are legal",
    "settings.drawing.*": "makes instances: wrong numbers give other ones that are legal",
    "settings.parts.*": "makes instances: wrong numbers give other ones that are legal",
    "settings.garbage.*": "what agents that learn nothing say and play: no side of a comparison",
    "properties.episodic.tabular_model.Model.reported_kernel": "decides which line is named first; pairs of bugs have to be",
    "settings.planning_meter.PlanningMeter.finish": "empty where nothing is planned in secret; planted bugs do that",
    "*.asks": "says why nothing was compared: it decides of no comparison",
    "settings.simulator.EpisodeSimulator.steps": "a clock of which only changes count",
    "reference.episodes.Episodes.keeps": "whether episodes are played in blocks or one by one, which comes to the same",
    "settings.episodes.batch_of": "how many plans are looked at together, which changes no comparison",
    "settings.discounted.environment.DiscountedEnvironment.reset": "returns what `state` is, which agents read",
    "*.largest_error": "a trivial bound: it decides whether a comparison has power, not whether it fails",
    "settings.elliptical.nearly_equal": "chooses one of two ways to the same norms; what it tells apart is tested by itself",
    "settings.phases.LinearPhases.noise_moments": "what noise_norm is made of, which is broken; bounds of it are far above",
    "*.largest_noise": "a trivial bound: it decides whether a comparison has power, not whether it fails",
    "*.largest_psi_noise": "a trivial bound: it decides whether a comparison has power, not whether it fails",
    "*.optimism_unpaid": "a trivial bound: it decides whether a comparison has power, not whether it fails",
    "settings.cvar.planning.views.R*.regret": "a quantity of scaling claims, which need a ladder of sizes",
    "settings.cvar.run.Run.average_gap": "a quantity of scaling claims, which need a ladder of sizes",
    "settings.cvar.run.Run.regret": "a quantity of scaling claims, which need a ladder of sizes",
    "settings.cvar.run.IterationSeries.of.gap": "a quantity of scaling claims, which need a ladder of sizes",
    "settings.episodic.phases.Phases.episode.chance": "kept of policies that draw their actions, as those shipped do not",
    "settings.episodic.phases.Phases.episode.favourite": "kept of policies that draw their actions, as those shipped do not",
    "settings.episodic.phases.Phases.episode.likeliest": "kept of policies that draw their actions, as those shipped do not",
    "*.Phases.episode.optimal": "a quantity of scaling claims, and a trivial bound",
    "settings.cvar.run.IterationSeries.of.budget": "kept of a run for its reader; no claim is about it",
    "settings.cvar.run.IterationSeries.of.cvar": "kept of a run for its reader; no claim is about it",
    "settings.cvar.run.IterationSeries.of.likelihood_error": "kept of a run for its reader; no claim is about it",
    "settings.cvar.run.IterationSeries.of.trajectories": "kept of a run for its reader; no claim is about it",
    "settings.discounted.epochs.Epochs.pessimistic": "kept of a run for its reader; no claim is about it",
    "settings.discounted.played.PlayedEpochs.regret": "enters means over runs only, which take minutes to decide",
    "settings.discounted.played.PlayedEpochs.weighted_bonus": "enters means over runs only, which take minutes to decide",
    "properties.reward_free.lower_bound.*": "enters a mean over dozens of runs; compared with exact enumeration elsewhere",
    "settings.reward_free.hard.*": "enters a mean and evidence over dozens of runs; compared with exact enumeration elsewhere",
    "*.constant_target*": "what reports mark: it decides of no comparison",
    "settings.discounted.run.Run.planning_steps": "enters means over runs only, which take minutes to decide",
    "settings.discounted.run.Run.met_bonus": "enters means over runs only, which take minutes to decide",
    "settings.discounted.run.Run.regret": "enters means over runs only, which take minutes to decide",
    "settings.discounted.run.Run.valid": "enters means over runs only, which take minutes to decide",
    "settings.discounted.played.PlayedEpochs.chain": "a tolerance for inverses that are updated, which no shipped algorithm has",
    "settings.discounted.rank_one.perturbations": "the same; compared with inverses in rational numbers elsewhere",
    "settings.discounted.played.PlayedEpochs.met_bonus": "enters means over runs only, which take minutes to decide",
    "properties.discounted.regret.possible": "leaves runs out of means over runs, which take minutes to decide",
    "settings.episodic.phases.Phases.noise_norm": "values are at their cap where its bound is claimed: there is no noise",
    "settings.lifelong.phases.Phases.episode.exact": "decides of a bound that is a thousand times as large as the regret",
    "settings.reward_free.phases.Planning.judged": "chooses one of several rewards: the statement is about each of them",
    "settings.reward_free.phases.Planning.chosen": "the same",
    "properties.reward_free.confidence.ranged": "leaves values out of events, which take minutes to decide",
    "settings.reward_free.data.Data.norm": "makes a radius and rewards: wrong numbers give other ones that are legal",
    **{
        f"settings.reward_free.phases.Phases.episode.{name}": "kept of a run for its reader; no claim is about it"
        for name in ("decided", "enlarged", "mean", "spread", "variance", "variance_norm")
    },
    **{
        f"settings.reward_free.phases.Phases.episode.{name}": "enters sums over runs only, which take dozens of runs to decide"
        for name in ("V", "expected", "truncated")
    },
    "settings.reward_free.phases.Phases.episode.norm": "enters bounds of sums that are above what these can be",
    "settings.reward_free.phases.Phases.agreed": "leaves out what follows from a violation: it decides which line is named first",
    "settings.reward_free.phases.Phases.undisturbed": "the same",
    "settings.reward_free.phases.Phases.weighed": "the same",
    "settings.reward_free.phases.Planning.undisturbed": "the same",
    "settings.reward_free.phases.Planning.*_norm": "decides of a statement whose bound is above what its value can be",
    "settings.reward_free.phases.Planning.loss": "enters a mean over dozens of runs, and bounds far above it",
    "settings.reward_free.reference.crude": "makes a radius: wrong numbers give other ones that are legal",
    "settings.reward_free.reference.largest_errors": "makes a radius: wrong numbers give other ones that are legal",
    "properties.reward_free.exploration.least_radius": "enters bounds of sums that are above what these can be",
    "properties.reward_free.exploration.weighted_*": "enters bounds of sums that are above what these can be",
    "properties.lifelong.replay.psi_bonus": "stands for a bonus that the positive part of Q hides: none where the event holds",
    "settings.lifelong.phases.Phases.episode.zeta": "enters a bound beside terms a thousand times as large",
}
"""Formulas that stay whole, with the reason."""
