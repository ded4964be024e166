"""The agent's side of blind mode: a clean interpreter that has never seen an instance, and the runs forked from it.

``serve`` is the nursery: it imports the plugins once and forks a child for each run, so that no run inherits anything from
another. The child has the algorithm, what is public, and stand-ins for the environment and the width.
"""

from __future__ import annotations

import builtins
import contextlib
import gc
import json
import os
import shutil
import socket
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from verifier.base import errors
from verifier.base.arrays import Array
from verifier.base.child_processes import end_children
from verifier.base.errors import ContractError, VerifierError
from verifier.base.threads import threads, threads_left
from verifier.model.algorithm import Algorithm
from verifier.model.result import TrialError
from verifier.model.width import Width
from verifier.plugins.failure import failure_of
from verifier.plugins.shared import Shared, replaced
from verifier.plugins.watch import GLOBAL_RNG, watched_rng
from verifier.trials.blind import system_calls
from verifier.trials.blind.codec import no_reference
from verifier.trials.blind.confine import confine, hide
from verifier.trials.blind.pipe import ELSEWHERE, Pipe
from verifier.trials.children import adopt_orphans, end_with_parent, still_running
from verifier.trials.store_schema import FILE_NAME
from verifier.trials.trace import end_by_kernel, ignore_asking, tell_where
from verifier.trials.variables import STORE


class HiddenError(ContractError):
    """The agent asked for something that is not there in blind mode."""


class AbsentError(HiddenError, AttributeError):
    """HiddenError for a public name, which `hasattr` may ask for."""


class Remote:
    """Stands for an object of the harness; only the names it offers are there.

    Parameters
    ----------
    line : Line
    number : int
        Of the object.
    title : str
        What messages call it.
    methods, attributes : tuple of str
        What can be called, and what can be read.
    """

    __slots__ = ("_attributes", "_line", "_methods", "_number", "_own", "_title")

    def __init__(
        self,
        line: Line,
        number: int,
        title: str,
        methods: tuple[str, ...],
        attributes: tuple[str, ...],
    ) -> None:
        for name, value in zip(self.__slots__, (attributes, line, methods, number, {}, title), strict=True):
            object.__setattr__(self, name, value)

    def __getattr__(self, name: str) -> Any:
        if name in self._methods:
            return lambda *args, **kwargs: self._line.ask("call", self._number, name, args, kwargs)
        if name in self._own:
            return self._own[name]
        if name in self._attributes:
            known = self._line.known[self._attributes.index(name)] if self._number == 0 else ELSEWHERE
            return self._line.ask("get", self._number, name) if known is ELSEWHERE else known
        if name.startswith("__") and name != "__dict__":
            raise AttributeError(name)
        kind = HiddenError if name.startswith("_") else AbsentError
        raise kind(
            f"`{name}` of the {self._title} was asked for; in blind mode it is in another process, and what can be used of it is "
            + ", ".join(self.offers)
        )

    def __setattr__(self, name: str, value: object) -> None:
        raise HiddenError(
            f"`{name}` of the {self._title} was set; in blind mode, as in any other, that is not for the agent to do"
        )

    def __dir__(self) -> list[str]:
        return list(self.offers)

    @property
    def offers(self) -> tuple[str, ...]:
        """Names that can be used."""
        return (*self._own, *self._methods, *self._attributes)


class Line:
    """The agent's end of the pipe.

    Attributes
    ----------
    known : tuple
        The attributes of the environment, as of the last answer.
    """

    def __init__(self, connection: socket.socket, rng: np.random.Generator, home: Sequence[str]) -> None:
        self.pipe = Pipe(connection, rng, _refer, partial(Remote, self), import_module, home)
        self.known: tuple[Any, ...] = ()

    def tell(self, *news: Any) -> None:
        """Send something that needs no answer."""
        try:
            self.pipe.send(*news)
        except OSError:
            os._exit(0)  # the worker has ended

    def ask(self, *question: Any) -> Any:
        """Ask the harness something and wait for the answer; what it raises there is raised here."""
        self.tell(*question)
        try:
            answer = self.pipe.receive()
        except (OSError, EOFError):
            os._exit(0)
        if answer[0] == "raise":
            raise _raised(*answer[1:])
        _, value, self.known = answer
        return value


def _raised(name: str, message: str) -> Exception:
    """An exception like the one on the other side."""
    kind = getattr(errors, name, None) or getattr(builtins, name, None)
    if isinstance(kind, type) and issubclass(kind, Exception):
        with contextlib.suppress(TypeError):  # it needs other arguments
            return kind(message)
    return RuntimeError(f"{name}: {message}")


def play(connection: socket.socket, request: Mapping[str, Any], shared: Shared) -> None:
    """Play a run, in a process of its own."""
    rng = np.random.Generator(np.random.PCG64(_Nothing()))  # type: ignore[arg-type]  # numpy's stubs want a SeedSequence
    line = Line(connection, rng, request["home"])
    os.register_at_fork(after_in_child=connection.close)
    public, options, environment, line.known = line.pipe.receive()
    environment._own.update(public=public, rng=rng)
    with watched_rng(request["name"]) as used:
        before = threads()
        failure = _failure(line, request, public, options, environment)
        left = threads_left(before)
        if names := shared.changes():
            failure = TrialError("tampering", replaced(names))
        elif left:
            failure = TrialError("tampering", still_running(left))
        if failure is None and used():
            failure = TrialError("global-rng", GLOBAL_RNG)
    with contextlib.suppress(OSError):
        if failure is None:
            line.pipe.send("end", [name for name in request["libraries"] if name in sys.modules])
        else:
            line.pipe.send("failed", failure.kind, failure.message, failure.traceback)


def compute_widths(connection: socket.socket, request: Mapping[str, Any], shared: Shared) -> None:
    """The published widths of an algorithm, in a process of their own: each value, or how its computation failed."""
    pipe = Pipe(connection, np.random.default_rng(0), no_reference, no_reference, import_module, ())
    (public,) = pipe.receive()
    with np.errstate(all="ignore"):
        pipe.send("widths", {of: _published(request, public, of) for of in request["widths"]})


def _published(request: Mapping[str, Any], public: Any, of: str) -> tuple[Any, ...]:
    try:
        value = _algorithm(request).published_width(public, of)
    except VerifierError as problem:
        return "failed", "contract" if isinstance(problem, ContractError) else "load", str(problem), ""
    except BaseException as problem:
        failure = failure_of(problem)
        return "failed", failure.kind, failure.message, failure.traceback
    return "width", value if isinstance(value, (int, float, str, np.generic)) else repr(value)


def _failure(line: Line, request: Mapping[str, Any], public: Any, options: Mapping[str, str], env: Remote) -> TrialError | None:
    """Run the algorithm; returns what went wrong, if anything did."""

    def radius(of: str, step: int, target: Array) -> float:
        value: float = line.ask("width", step, target, of)
        return value

    def error(of: str, step: int, target: Array) -> Array:
        value: Array = line.ask("error", step, target, of)
        return value

    try:
        algorithm = _algorithm(request)
    except VerifierError as problem:
        return TrialError("load", str(problem))
    try:
        with np.errstate(all="ignore"):
            for plan in algorithm(public, Width(radius, error), **options).run(env):
                line.tell("plan", plan)
    except BaseException as problem:
        failure = failure_of(problem)
        if failure.kind != "crash":
            return failure
        there = f"; in blind mode `run` has self.public, self.width, and of env {', '.join(env.offers)}, and nothing else"
        return TrialError("crash", failure.message + there, failure.traceback)
    return None


def _refer(value: Any) -> tuple[Any, ...]:
    return (value._number,) if type(value) is Remote else no_reference(value)


def _algorithm(request: Mapping[str, Any]) -> type[Algorithm]:
    from verifier.plugins.registry import registry

    if not request["module"]:  # a mutant, made when it is asked for
        return registry(request["name"]).guarantees_of(request["name"]).algorithm
    found: Any = import_module(request["module"])
    for part in request["class"].split("."):
        found = getattr(found, part)
    cls: type[Algorithm] = found
    return cls


class _Nothing(np.random.bit_generator.ISeedSequence):
    """Seed sequence without a seed: the generator's state comes through the pipe, and does not show where it began."""

    def generate_state(self, n_words: int, dtype: Any = np.uint32) -> Array:
        """Zeros."""
        return np.zeros(n_words, dtype=dtype)


def serve(descriptor: int, parent: int, plugin: str) -> None:
    """Fork a process for each run that is asked for over a socket, one at a time, until that is closed; first say it is ready."""
    end_with_parent(parent)
    adopt_orphans()
    ignore_asking()
    control = socket.socket(fileno=descriptor)
    if place := os.environ.get(STORE):
        hide(Path(place), FILE_NAME)  # before the plugin is imported, which could keep what it has read
    shared = _prepared(plugin)
    control.sendall(b"{}\n")
    nursery = os.getpid()
    while True:
        text, handed, _, _ = socket.recv_fds(control, 1 << 20, 1)
        if not text:
            return
        request = json.loads(text)
        for name in request["preload"]:
            import_module(name)
        with _folder(request["trace"]) as folder:
            pid = os.fork()
            if pid == 0:
                control.close()
                _run(socket.socket(fileno=handed[0]), request, shared, nursery, folder)
            os.close(handed[0])
            control.sendall(json.dumps({"pid": pid}).encode() + b"\n")
            _, status, usage = os.wait4(pid, 0)
        seconds = usage.ru_utime + usage.ru_stime
        outcome = {"status": os.waitstatus_to_exitcode(status), "seconds": seconds, "left": end_children()}
        control.sendall(json.dumps(outcome).encode() + b"\n")


def _prepared(plugin: str) -> Shared:
    """Import what runs will need of the harness, and the plugin; what cannot be imported is reported by the run that needs it."""
    from verifier.plugins.registry import prefer, registry, with_settings

    with_settings()
    shared = Shared()
    prefer(plugin)
    registry(*filter(None, [plugin]))
    gc.collect()
    gc.freeze()
    return shared


@contextlib.contextmanager
def _folder(trace: str) -> Iterator[Path]:
    """A folder for the files of one run, among the temporary files of its campaign."""
    place = Path(trace).parent if trace else None
    made = tempfile.mkdtemp(prefix="verifier-agent-", dir=place if place is not None and place.is_dir() else None)
    try:
        yield Path(made)
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _run(connection: socket.socket, request: Mapping[str, Any], shared: Shared, nursery: int, folder: Path) -> NoReturn:
    end_with_parent(nursery)
    code = 1
    try:
        if request["trace"]:
            file = open(request["trace"], "a")  # noqa: SIM115  # open as long as the process lives
            tell_where(file)
            end_by_kernel(request["timeout"])
        tempfile.tempdir = os.environ["TMPDIR"] = str(folder)
        confine(folder)
        system_calls.refuse()
        (compute_widths if request["widths"] else play)(connection, request, shared)
        code = 0
    finally:
        os._exit(code)
