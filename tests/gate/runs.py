"""Plugins that go wrong while they run."""

from __future__ import annotations

from .faults import Fault, midway, variant

ENDS = {
    "ends-quietly": midway("os._exit(0)", "exit", "ended with exit code 0", "return from `run`"),
    "ends-loudly": midway("os._exit(7)", "exit", "ended with exit code 7", "return from `run`"),
    "is-killed": midway("os.kill(os.getpid(), signal.SIGTERM); time.sleep(60)", "exit", "return from `run`"),
    "crashes-natively": midway("import ctypes; ctypes.string_at(0)", "exit", "killed by SIGSEGV", "return from `run`"),
    "raises-system-exit": midway("sys.exit('bye')", "exit", "SystemExit('bye')", "must return from `run`"),
    "forks": midway("os.fork() or time.sleep(901.5)", "exit", "a process was left running", "wait in `run`"),
    "leaves-a-daemon": midway(
        "os.fork() or (os.setsid(), os.fork() or time.sleep(901.5), os._exit(0)); time.sleep(0.3)",
        "exit",
        "left running",
        "wait in `run`",
    ),
    "leaves-a-program": midway(
        "import subprocess; subprocess.Popen(['sleep', '901.5'])", "exit", "a process was left running", "wait in `run`"
    ),
}

RAISES = {
    "raises-its-own": midway("raise type('Odd', (BaseException,), {})('so odd')", "crash", "Odd: so odd"),
    "raises-generator-exit": midway("raise GeneratorExit", "crash", "GeneratorExit"),
    "raises-interrupt": midway("raise KeyboardInterrupt", "crash", "KeyboardInterrupt", "leave that to the user"),
    "raises-stop-iteration": midway("next(iter(()))", "crash", "StopIteration"),
    "raises-a-liar": midway(
        "raise type('Liar', (Exception,), {'__str__': lambda self: 1 / 0})",
        "crash",
        "Liar: its message cannot be read (ZeroDivisionError)",
    ),
    "recurses": midway("(lambda f: f(f))(lambda f: f(f))", "crash", "RecursionError"),
    "raises-late": variant(
        "def run(self, env):\n    yield from super().run(env)\n    raise OSError('at the end')", "crash", "at the end"
    ),
    "raises-early": variant("def __init__(self, public, width):\n    raise OSError('at once')", "crash", "OSError: at once"),
    "takes-too-much": midway("self.kept = [np.ones(2**20) for _ in range(2**12)]", "memory", "memory", "--memory"),
}

YIELDS = {
    "yields-another-plan": variant(
        """
        def run(self, env):
            env.begin_episode()
            from verifier_settings.discounted import DiscountedPlan
            yield DiscountedPlan(*6 * [None])
        """,
        "contract",
        "got DiscountedPlan, expected LifelongPlan",
    ),
    "yields-for-ever": variant(
        """
        def run(self, env):
            plan = next(super().run(env))
            while True:
                yield plan
        """,
        "contract",
        "two plans were yielded at the start of episode 1",
    ),
    "yields-never": variant(
        "def run(self, env):\n    for _ in super().run(env):\n        pass\n    return\n    yield",
        "contract",
        "no plan was yielded",
        "yield a plan at the start of episode 1",
    ),
    "yields-objects": variant(
        "def run(self, env):\n    for plan in super().run(env):\n        yield replace(plan, Q=plan.Q.astype(object))",
        "contract",
        "field `Q` has dtype object",
    ),
    "yields-ragged": variant(
        "def run(self, env):\n    for plan in super().run(env):\n        yield replace(plan, gram=[[1.0], [1.0, 2.0]])",
        "contract",
        "field `gram`",
    ),
    "yields-nan": variant(
        "def run(self, env):\n    for plan in super().run(env):\n        yield replace(plan, Q=plan.Q * np.nan)",
        "contract",
        "field `Q` is nan",
        "finite",
    ),
    "yields-complex": variant(
        "def run(self, env):\n    for plan in super().run(env):\n        yield replace(plan, Q=plan.Q * 1j)",
        "contract",
        "field `Q` has dtype complex128",
    ),
    "plans-a-negative-action": variant(
        "def run(self, env):\n    for plan in super().run(env):\n        yield replace(plan, policy=plan.policy - 5)",
        "contract",
        "field `policy` has an entry outside 0..1",
    ),
    "plays-a-fraction": midway("env.step(0.5)", "contract", "step(0.5) in episode 3", "expected an action 0..1"),
    "asks-for-nonsense": midway("self.width(0, of='luck')", "contract", "the width of 'luck' was asked for", "'transition'"),
    "asks-with-nan": midway("self.width(0, np.full((5, 1), np.nan))", "contract", "expected (5, n), finite"),
    "asks-with-text": midway("self.width(0, 'V')", "contract", "value function of shape ()"),
}

SHARES = {
    "replaces-default-rng": midway("np.random.default_rng = lambda *a: None", "tampering", "replaced numpy.random.default_rng"),
    "replaces-generator": midway("np.random.Generator = None", "tampering", "replaced numpy.random.Generator"),
    "removes-seed-sequence": midway("del np.random.SeedSequence", "tampering", "replaced numpy.random.SeedSequence"),
    "replaces-a-solver": midway("np.linalg.solve = np.linalg.lstsq", "tampering", "replaced numpy.linalg.solve"),
    "replaces-random": midway("random.Random = random.SystemRandom", "tampering", "replaced random.Random"),
    "seeds-numpy": midway("np.random.seed(3)", "global-rng", "global random generator", "env.rng"),
}

PATCHES = {
    "patches-measure": "import verifier.trials.trial as t; t.measure = lambda inequality: t.Measurement()",
    "patches-the-code-of-measure": (
        "import verifier.model.measurement as m; m.measure.__code__ = (lambda inequality: 1 / 0).__code__"
    ),
    "patches-a-method": "from verifier.model.width import Width; Width.take = lambda self: ()",
    "patches-gram-norm": "import verifier_settings.elliptical as e; e.gram_norm = lambda vectors, gram: np.zeros(len(vectors))",
    "patches-a-property": "from verifier_properties.any_setting import widths; widths.width_formula = lambda *given: None",
    "patches-scipy": "import scipy.linalg; scipy.linalg.solve = lambda *given, **more: 0.0",
    "patches-numpy": "np.linalg.norm = lambda *given, **more: 0.0",
    "shadows-a-builtin": "import verifier.model.measurement as m; m.float = lambda value: 0.0",
}
TAMPERS: dict[str, Fault] = {name: midway(patch, "tampering", "the plugin replaced") for name, patch in PATCHES.items()}
LEAVES: dict[str, Fault] = {
    "leaves-a-thread": midway(
        "import threading; threading.Thread(target=time.sleep, args=(901.5,), daemon=True).start()",
        "tampering",
        "a thread was left running when the trial was over",
    )
}

HANGS: dict[str, Fault] = {
    "loops": midway("while True: pass", "timeout", "did not finish within", "--timeout"),
    "sleeps-for-ever": midway("time.sleep(901.5)", "timeout", "did not finish within", "--timeout"),
    "does-not-give-up": midway(
        "signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(901.5)", "timeout", "did not finish within", "--timeout"
    ),
    "hangs-with-children": midway("os.fork(); os.fork(); time.sleep(901.5)", "timeout", "did not finish within", "--timeout"),
}
