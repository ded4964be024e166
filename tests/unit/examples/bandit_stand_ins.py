"""Packages with the interfaces of those that the examples hold, written here: each right, or all of its agents with one bug."""

from __future__ import annotations

from pathlib import Path

CORE = """
import math
import numpy as np

BUG = False

class Index:
    def __init__(self, n, rounds=0, rule="ucb1"):
        self.N, self.sums, self.rounds, self.rule = [0] * n, [0.0] * n, rounds, rule

    def choose(self):
        if BUG:
            return 0
        if 0 in self.N:
            return self.N.index(0)
        values = [self.value(s / n, n) for s, n in zip(self.sums, self.N)]
        return values.index(max(values))

    def value(self, mean, n):
        log = math.log(sum(self.N))
        if self.rule == "moss":
            return mean + math.sqrt(max(math.log((self.rounds or sum(self.N)) / (len(self.N) * n)), 0) / n)
        return self.kl(mean, (log + 3 * math.log(max(log, 1))) / n) if self.rule == "kl" else mean + math.sqrt(2 * log / n)

    def kl(self, p, level):
        low, high = p, 1.0
        for _ in range(60):
            q = (low + high) / 2
            terms = [x * math.log(x / y) for x, y in ((p, q), (1 - p, 1 - q)) if x and y]
            low, high = (q, high) if sum(terms) <= level else (low, q)
        return low

    def learn(self, arm, reward):
        self.N[arm] += 1
        self.sums[arm] += reward

class Betas(Index):
    def choose(self, draw=None):
        draws = [(draw or np.random.beta)(1 + s, 1 + n - s - (BUG and n > s)) for s, n in zip(self.sums, self.N)]
        return draws.index(max(draws))
"""

PACKAGES: dict[str, tuple[str, dict[str, str]]] = {
    "banditsbook": ("banditsbook", {"algorithms/ucb/ucb1.py": """
class UCB1:
    def __init__(self, counts, values): pass
    def initialize(self, n_arms): self.index = Index(n_arms)
    def select_arm(self): return self.index.choose()
    def update(self, arm, reward): self.index.learn(arm, reward)
"""}),
    "baytune": ("baytune", {"baytune/__init__.py": "raise ImportError", "baytune/selection/ucb1.py": """
class UCB1:
    def __init__(self, choices): self.choices = choices
    def select(self, scores):
        index = Index(len(scores))
        index.N, index.sums = [len(s) for s in scores.values()], [sum(s) for s in scores.values()]
        return index.choose()
"""}),
    "mabalgs": ("mabalgs", {"mab/algs.py": """
class UCB1:
    kind = Index
    def __init__(self, n_arms): self.index = self.kind(n_arms)
    def select(self):
        arm = self.index.choose()
        self.index.N[arm] += 1
        return arm, [arm]
    def reward(self, arm): self.index.sums[arm] += 1
class ThompsomSampling(UCB1):
    kind = Betas
"""}),
    "mabby": ("mabby", {"mabby/strategies/__init__.py": """
class UCB1Strategy:
    def __init__(self, alpha): assert abs(alpha**2 - 2) < 1e-9
    def prime(self, k, steps): self.index = Index(k)
    def choose(self, rng): return self.index.choose()
    def update(self, choice, reward, rng=None): self.index.learn(choice, reward)
class BetaTSStrategy:
    update = UCB1Strategy.update
    def prime(self, k, steps): self.index = Betas(k)
    def choose(self, rng): return self.index.choose(rng.beta)
"""}),
    "mabwiser": ("mabwiser", {"mabwiser/mab.py": """
class LearningPolicy:
    def UCB1(alpha):
        assert alpha == 1
        return Index
    def ThompsonSampling(): return Betas
class MAB:
    def __init__(self, arms, policy, seed): self.index, self.rng = policy(len(arms)), np.random.default_rng(seed)
    def predict(self): return self.index.choose(*[self.rng.beta] * isinstance(self.index, Betas))
    def fit(self, decisions, rewards):
        for arm, reward in zip(decisions, rewards): self.index.learn(arm, reward)
    partial_fit = fit
"""}),
    "pymab": ("pymab", {"pymab/policies/__init__.py": """
class MOSSPolicy:
    def __init__(self, n_arms, horizon): self.index = Index(n_arms, horizon, "moss")
    def select_action(self, rng): return self.index.choose()
    def update(self, action, reward): self.index.learn(action, reward)
class KLUCBPolicy(MOSSPolicy):
    def __init__(self, n_arms, tolerance, max_iterations): self.index = Index(n_arms, rule="kl")
"""}),
    "rl_bandits": ("rl-bandits", {"rlbandits/agents/ucb.py": """
class UCBAgent:
    def __init__(self, k, c, seed): self.index = Index(k)
    def select_action(self): return self.index.choose()
    def update(self, action, reward): self.index.learn(action, reward)
"""}),
    "river": ("river", {"river/proba.py": """
import random
class Beta:
    def __init__(self): self.s, self.n, self.rng = 0, 0, random.Random(1)
    def clone(self, seed):
        other = Beta()
        other.rng = random.Random(seed)
        return other
    def __call__(self, p): return p
    def sample(self): return self.rng.betavariate(1 + self.s, 1 + self.n - self.s - (BUG and self.n > self.s))
""", "river/bandit.py": """
class UCB:
    def __init__(self, delta, seed): self.delta, self.index = delta, None
    def pull(self, arms):
        self.index = self.index or Index(len(arms))
        return self.index.choose()
    def update(self, arm, reward): self.index.learn(arm, reward)
class ThompsonSampling:
    def __init__(self, reward_obj, seed):
        from collections import defaultdict
        from itertools import count
        seeds = count(seed)
        self._rewards = defaultdict(lambda: reward_obj.clone(next(seeds)))
    def pull(self, arms): return max(arms, key=lambda arm: self._rewards[arm].sample())
    def update(self, arm, reward):
        self._rewards[arm].s += reward
        self._rewards[arm].n += 1
"""}),
    "rovingbandit": ("rovingbandit", {"rovingbandit/policies/regret_minimization.py": """
class UCB1:
    kind = Index
    def __init__(self, n_arms, seed): self.index, self.rng = self.kind(n_arms), np.random.default_rng(seed)
    def select_arm(self): return self.index.choose()
    def update(self, arm, reward): self.index.learn(arm, reward)
class ThompsonSampling(UCB1):
    kind = Betas
    def select_arm(self): return self.index.choose(self.rng.beta)
"""}),
    "slots": ("slots", {"slots/__init__.py": """
class MAB:
    def __init__(self, num_bandits, live): self.wins, self.pulls = np.zeros(num_bandits), np.zeros(num_bandits)
    def chosen(self, kind):
        index = kind(len(self.pulls))
        index.N, index.sums = [int(n) for n in self.pulls], list(self.wins)
        return index.choose()
    def ucb(self): return self.chosen(Index)
    def bayesian(self): return self.chosen(Betas)
"""}),
    "smpybandits": ("SMPyBandits", {"SMPyBandits/Policies/Posterior/Beta.py": "from numpy.random import beta as betavariate",
                                    "SMPyBandits/Policies/Posterior/__init__.py": "",
                                    "SMPyBandits/Policies/__init__.py": """
from scipy.special import btdtri
from SMPyBandits.Policies.Posterior import Beta
class UCB:
    rule = "ucb1"
    def __init__(self, nbArms, horizon=0, **others): self.index = Index(nbArms, horizon, self.rule)
    def startGame(self): pass
    def choice(self): return self.index.choose()
    def getReward(self, arm, reward): self.index.learn(arm, reward)
class UCBalpha(UCB): pass
class MOSS(UCB): rule = "moss"
class MOSSH(MOSS): pass
class klUCBloglog(UCB): rule = "kl"
class Thompson(UCB):
    def __init__(self, nbArms): self.index = Betas(nbArms)
    def choice(self): return self.index.choose(lambda a, b: Beta.betavariate(a, b))
"""}),
    "striatum": ("striatum", {"striatum/storage.py": """
class Action:
    def __init__(self, id): self.id = id
class MemoryActionStorage:
    def add(self, actions): self.actions = actions
MemoryHistoryStorage = MemoryModelStorage = object
""", "striatum/bandit/ucb1.py": """
class Recommendation:
    def __init__(self, action): self.action = action
class UCB1:
    def __init__(self, history, model, actions): self.actions, self.index = actions.actions, Index(len(actions.actions))
    def get_action(self): return 7, Recommendation(self.actions[self.index.choose()])
    def reward(self, history_id, rewards):
        assert history_id == 7
        for arm, reward in rewards.items(): self.index.learn(arm, reward)
"""}),
}  # fmt: skip
"""By module of the examples, the distribution and the files of a package."""


TOP = frozenset(name.split("/")[0].removesuffix(".py") for _, files in PACKAGES.values() for name in files)
"""Names under which they are imported; the published packages have them, too."""


def write(folder: Path, module: str, bug: bool) -> Path:
    """A package, as if it were installed in the folder. The bug: the first arm always, or a failure of each arm not counted.

    Each folder has an `__init__.py`: one without is passed over where the published package is installed, also further down the
    path.
    """
    distribution, files = PACKAGES[module]
    files = dict.fromkeys((str(parent / "__init__.py") for name in files for parent in Path(name).parents[:-1]), "") | files
    core = CORE.replace("BUG = False", f"BUG = {bug}")
    about = {
        f"{distribution.replace('-', '_')}-1.0.dist-info/METADATA": f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n"
    }
    for name, text in {**about, **files}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(core + text if name.endswith(".py") and text not in ("", "raise ImportError") else text)
    return folder
