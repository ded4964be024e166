"""Plugins that go wrong in what they declare: when they are loaded, or when their instances, claims and widths are asked for."""

from __future__ import annotations

from .faults import Fault, setting, variant

CLAIM = """
@phase_property()
def _odd({arguments}):
    {body}
odd = Claim("optimism", _odd, "Lemma 0", "Theorem 0", "x <= y", Kind.ALWAYS, follows="pseudo-code", **{more})
"""
ONLY = "claims=(odd,), clauses=(), scaling=(), theorem=''"
HORIZON = "{{'horizon': Horizon({bound}, lambda *a: 1.0)}}"


def claim(body: str, kind: str, *words: str, arguments: str = "view", more: str = "{}") -> Fault:
    """An algorithm with one claim."""
    return variant(
        "",
        kind,
        *words,
        declares=ONLY,
        top="from verifier.model.horizon import Horizon\nfrom verifier.model.measurement import Inequality\n"
        + CLAIM.format(arguments=arguments, body=body, more=more),
    )


def horizon(bound: str, kind: str, *words: str) -> Fault:
    """An algorithm whose claim says from which size on it means something."""
    return claim(
        "return Inequality(0.0, 1.0, trivial=2.0)",
        kind,
        *words,
        more=HORIZON.format(bound=bound).replace("{{", "{").replace("}}", "}"),
    )


def width(body: str, kind: str, *words: str) -> Fault:
    """An algorithm with a width of its own."""
    return variant(f"@classmethod\ndef published_width(cls, public, of):\n    {body}", kind, *words)


LOADS = {
    "patches-on-import": variant("", "load", "replaced numpy.random.default_rng", top="np.random.default_rng = None"),
    "claims-nothing-as-input": claim(
        "return None", "load", "claim 'optimism'", "expected a function of one argument", arguments=""
    ),
    "claims-two-inputs": claim("return None", "load", "claim 'optimism'", "missing a required argument: 'b'", arguments="a, b"),
    "claims-less": variant(
        "",
        "load",
        "has neither a claim nor a reason in `unchecked`",
        declares="claims=tuple(c for c in GIVEN.claims if c.clause != GIVEN.claims[-1].clause)",
    ),
    "exits-in-the-hook": Fault(
        "import sys\nfrom verifier import hookimpl\n@hookimpl\ndef verifier_algorithms():\n    sys.exit(0)\n",
        "load",
        ("SystemExit: 0",),
    ),
}

PROPERTIES = {
    "property-raises": claim("raise LookupError('lost')", "crash", "LookupError: lost"),
    "property-exits": claim("raise SystemExit(0)", "exit", "SystemExit(0)"),
    "property-returns-nothing": claim("return None", "crash", "AttributeError"),
    "property-returns-nan": claim("return Inequality(np.nan, 1.0, trivial=2.0)", "contract", "claim 'optimism'", "compared NaN"),
    "property-names-no-axes": claim(
        "return Inequality(np.zeros(3), 1.0, trivial=2.0)", "contract", "claim 'optimism'", "1 axes but named 0"
    ),
}

WIDTHS = {
    "width-is-nan": width("return np.nan", "contract", "published_width(public, 'transition') returned nan", "not negative"),
    "width-is-negative": width("return -1.0", "contract", "published_width(public, 'transition') returned -1.0"),
    "width-is-infinite": width("return np.inf", "contract", "published_width(public, 'transition') returned inf"),
    "width-is-text": width("return 'wide'", "contract", "published_width(public, 'transition') returned 'wide'"),
    "width-raises": width("return 1 / 0", "crash", "ZeroDivisionError"),
}

HORIZONS = {
    "horizon-raises": horizon("lambda *a: 1 / 0", "crash", "horizon of horizon-raises/optimism", "ZeroDivisionError"),
    "horizon-is-nan": horizon("lambda *a: float('nan')", "contract", "horizon of horizon-is-nan", "`bound` returned nan"),
    "horizon-is-text": horizon("lambda *a: 'far'", "contract", "horizon of horizon-is-text", "`bound` returned 'far'"),
    "horizon-takes-one": horizon("lambda size: size", "crash", "horizon of horizon-takes-one", "TypeError"),
    "horizon-exits": horizon("lambda *a: sys.exit(0)", "exit", "horizon of horizon-exits", "SystemExit"),
}

SETTINGS = {
    "catalogue-raises": setting("catalogue=Lazy([lambda: {}['gone']])", "crash", "catalogue of setting", "KeyError: 'gone'"),
    "catalogue-exits": setting("catalogue=Lazy([lambda: sys.exit(0)])", "exit", "catalogue of setting", "SystemExit(0)"),
    "catalogue-is-none": setting("catalogue=None", "crash", "catalogue of setting", "TypeError"),
    "catalogue-of-names": setting("catalogue=('one-step',)", "crash", "catalogue of setting"),
    "catalogue-with-twins": setting("catalogue=(SCENARIO, SCENARIO)", "contract", "lists one-step twice"),
    "instance-raises": setting(
        "catalogue=(replace(SCENARIO, build=lambda rng: 1 / 0),)", "crash", "instance one-step: ZeroDivisionError"
    ),
    "instance-is-none": setting(
        "catalogue=(replace(SCENARIO, build=lambda rng: None),)", "crash", "instance one-step: AttributeError"
    ),
    "parameters-raise": setting("parameters=lambda instance: {}['S']", "crash", "instance one-step: KeyError: 'S'"),
    "parameters-are-odd": setting("parameters=lambda instance: {'S': {1, 2}}", "crash", "a parameter of a trial is a set"),
    "public-raises": setting(
        "catalogue=(replace(SCENARIO, build=Private),)",
        "crash",
        "instance one-step: LookupError",
        top="""
            class Private:
                def __init__(self, rng):
                    pass

                @property
                def public(self):
                    raise LookupError("no")
        """,
    ),
    "session-raises": setting("session=lambda *given: {}['no']", "crash", "KeyError: 'no'"),
}

HANGS = {
    "catalogue-hangs": setting(
        "catalogue=Lazy([hang])",
        "timeout",
        "catalogue of setting",
        "did not finish within",
        top="""
            def hang():
                while True:
                    pass
        """,
    ),
    "property-hangs": claim("while True: pass", "timeout", "did not finish within", "--timeout"),
    "horizon-hangs": horizon("lambda *a: time.sleep(901.5)", "timeout", "horizon of horizon-hangs", "did not finish within"),
}
