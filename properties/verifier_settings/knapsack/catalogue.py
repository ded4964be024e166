"""The named instances of the knapsack setting, and its families."""

from __future__ import annotations

from functools import partial

from verifier.model.setting import Family, Scenario
from verifier_settings.knapsack import generators
from verifier_settings.knapsack.instance import Instance
from verifier_settings.scenarios import edge, episodes, fixed, once

ONE = partial(generators.random, budgets=(4,), supports=((0, 1, 2),))
TWO = partial(generators.random, budgets=(2, 3), supports=((0, 1), (0, 1, 2)))

CATALOGUE: tuple[Scenario[Instance], ...] = (
    Scenario(
        "one-budget", "one cost of 0, 1 or 2 units, 4 units to spend", partial(ONE, S=3, A=2, H=5, K=100), share=0.25
    ),
    once("two-budgets", "two costs, with budgets of their own", partial(TWO, S=3, A=2, H=4, K=60)),
    once(
        "first-example",
        "the first example of H.1: the action that is worth more ends the episode as often as not",
        partial(fixed(generators.first_example), K=40),
        showcase="Appendix H.1, first instance",
    ),
    once(
        "second-example",
        "the second example of H.1, repaired: what is best depends on what is left of the budget",
        partial(fixed(generators.second_example), K=40),
        showcase="Appendix H.1, second instance",
    ),
    once(
        "second-example-printed",
        "the same as it is printed: the state is all one needs to know",
        partial(fixed(generators.second_example), K=40, printed=True),
    ),
    once("toll-road", "the reward comes when exactly nothing is left", partial(fixed(generators.toll), steps=3, K=80)),
    once("anywhere", "the initial state is uniform", partial(ONE, S=4, A=3, H=3, K=60, anywhere=True)),
    once(
        "few-episodes", "two costs, little to spend, K = 20",
        partial(generators.random, S=2, A=2, H=3, K=20, budgets=(1, 2), supports=((0, 1), (0, 1, 2))),
    ),
    edge("nothing-to-spend", "B = 0: the first cost ends the episode", partial(
        generators.random, S=3, A=2, H=4, K=40, budgets=(0,), supports=((0, 1),)
    )),
    edge("ample", "the budget never binds: an episodic MDP", partial(
        generators.random, S=3, A=2, H=3, K=40, budgets=(6,), supports=((0, 2),)
    )),
    edge("dear", "costs above the whole budget", partial(
        generators.random, S=3, A=2, H=4, K=40, budgets=(2,), supports=((0, 1, 5),)
    )),
    edge("free", "costs are 0", partial(generators.random, S=3, A=2, H=3, K=40, budgets=(1, 0), supports=((0,), (0,)))),
    edge("one-step", "H = 1: costs do not matter", partial(ONE, S=3, A=2, H=1, K=40, anywhere=True)),
    edge("one-action", "A = 1: nothing to decide", partial(ONE, S=3, A=1, H=4, K=40)),
    edge("one-state", "S = 1: only the budget moves", partial(ONE, S=1, A=3, H=4, K=40)),
    edge("one-episode", "K = 1", partial(ONE, S=3, A=2, H=3, K=1)),
    once(
        "long-sums", "10⁵ visits of two pairs: what sums lose to rounding", partial(fixed(generators.long_sums), H=50, K=2000),
        tier="deep",
    ),
)  # fmt: skip

FAMILIES: tuple[Family[Instance], ...] = (
    episodes("toll-road", "the reward comes when exactly nothing is left", build=partial(fixed(generators.toll), steps=3)),
    Family(
        "finer-units", "the same road, whose steps cost m units each: the budget has more values, the problem is the same", "m",
        "units", partial(fixed(generators.toll), steps=3, K=300), sizes=(1, 2, 4, 8),
    ),
)  # fmt: skip
