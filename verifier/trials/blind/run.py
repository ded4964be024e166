"""Blind mode: the agent runs in a process in which the ground truth never exists, and talks to the harness through a pipe.

The worker keeps instance, session, environment and widths. It starts one clean interpreter, the *nursery*
(`verifier.trials.blind.agent`), which imports the plugins and never sees an instance; each run is a child forked from it. The
child is given what is public, options and the state of its generator; everything else it asks for, and the harness answers
with what the setting offers. Of an object that cannot travel the child gets a stand-in.

What a setting offers are the names in `offers` of the class of its environment (or of any other object an answer holds); by
default all names without a leading underscore.
"""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Generator, Iterator, Mapping
from functools import partial
from types import TracebackType
from typing import Any, Self, get_args

import numpy as np

from verifier.base.errors import ContractError, InternalError, UsageError
from verifier.base.load import crowding
from verifier.model.algorithm import Algorithm
from verifier.model.mutant import SEPARATOR
from verifier.model.result import ErrorKind, TrialError
from verifier.model.width import Width
from verifier.plugins.failure import AgentError, how_it_ended, left_behind
from verifier.plugins.parts import HARNESS_LIBRARIES
from verifier.trials import agents
from verifier.trials.blind.codec import GarbageError, importable, no_reference, only
from verifier.trials.blind.pipe import ELSEWHERE, PLAIN, Pipe
from verifier.trials.trace import frames_of_plugin, hand_over_watch
from verifier.trials.variables import process_variables

_CODE = "from verifier.trials.blind.agent import serve; serve({descriptor}, {parent}, {plugin!r})"

# The agents' interpreter is waited for so long before the first trial; after that the trial waits on its own account.
LONGEST_START = 60.0

_ON_ITS_SIDE = frozenset({"public", "rng"})
"""Names of an environment that the agent has in its own process."""


class Nursery:
    """A clean interpreter from which runs are forked, one at a time.

    Raises
    ------
    UsageError
        If the system cannot fork.
    """

    def __init__(self) -> None:
        if not hasattr(socket, "send_fds"):
            raise UsageError("blind mode needs a system on which processes fork; run without --blind")
        self._control, other = socket.socketpair()
        with other:
            self._process = subprocess.Popen(
                [sys.executable, "-c", _CODE.format(descriptor=other.fileno(), parent=os.getpid(), plugin=_plugin)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=(other.fileno(),),
                env={**os.environ, **process_variables()},
            )
        self._answers = self._control.makefile("rb")
        self._ready = False
        self._preload: set[str] = set()
        self.pid, self.owner = self._process.pid, os.getpid()

    def wait(self, seconds: float | None = None) -> None:
        """Wait until it has imported the plugins, or for so long.

        Raises
        ------
        EOFError
            If it has ended.
        """
        if not self._ready and select.select([self._control], [], [], seconds)[0]:
            self._answer()
            self._ready = True

    def start(self, request: Mapping[str, Any]) -> tuple[socket.socket, int]:
        """Fork a run; returns the connection to it and its process id."""
        self.wait()
        mine, theirs = socket.socketpair()
        libraries = {"libraries": list(HARNESS_LIBRARIES), "preload": sorted(self._preload)}
        with contextlib.ExitStack() as stack:
            stack.enter_context(mine)
            with theirs:
                socket.send_fds(self._control, [json.dumps({**request, **libraries}).encode()], [theirs.fileno()])
            pid = int(self._answer()["pid"])
            stack.pop_all()
        return mine, pid

    def end(self, pid: int, by_force: bool) -> tuple[int, float, int]:
        """Wait until the run has ended; returns exit code (or minus a signal), processor time, and processes it left behind."""
        if by_force and not select.select([self._control], [], [], 0)[0]:
            os.kill(pid, signal.SIGKILL)
        answer = self._answer()
        return int(answer["status"]), float(answer["seconds"]), int(answer["left"])

    def preload(self, libraries: object) -> None:
        """Import these libraries before the next fork, so that not every run has to."""
        if isinstance(libraries, list):
            self._preload.update(name for name in HARNESS_LIBRARIES if name in libraries)

    def close(self) -> None:
        """End the interpreter."""
        global _nursery
        atexit.unregister(self.close)
        if self.owner != os.getpid():  # a copy in a process that was forked
            return
        _nursery = None
        self._answers.close()
        self._control.close()
        self._process.kill()
        self._process.wait()

    def _answer(self) -> dict[str, Any]:
        line = self._answers.readline()
        if not line:
            raise EOFError
        answer: dict[str, Any] = json.loads(line)
        return answer


_nursery: Nursery | None = None
_plugin = ""
_seconds = 0.0


def start(plugin: str) -> None:
    """Provide agents for the blind trials of this process, and start the nursery, where that takes nothing of their time."""
    global _plugin
    _plugin = plugin
    agents.provide(sys.modules[__name__])  # a module with these functions
    with contextlib.suppress(UsageError, OSError, EOFError):  # the first trial will say so
        nursery().wait(LONGEST_START * crowding())


def processor_time() -> float:
    """Processor time of the agents of this process up to now, in seconds."""
    return _seconds


def nursery() -> Nursery:
    """The nursery of this process, started when first needed."""
    global _nursery
    if _nursery is None or _nursery.owner != os.getpid():
        _nursery = Nursery()
        atexit.register(_nursery.close)
    return _nursery


def needed() -> set[int]:
    """Ids of processes that outlive a run on purpose."""
    return {_nursery.pid} if _nursery is not None and _nursery.owner == os.getpid() else set()


class _Process:
    """The process of one run, ended on leaving the context."""

    def __init__(self, request: Mapping[str, Any]) -> None:
        self._request = request
        self.status, self.left = 0, 0
        self.by_force = True

    def __enter__(self) -> Self:
        self._nursery = nursery()
        try:
            self.connection, self._pid = self._nursery.start(self._request)
        except (OSError, EOFError):
            self._nursery.close()
            raise InternalError(
                f"the clean interpreter of blind mode has not started or has ended; expected {sys.executable} to import verifier "
                "and the plugins, without ending the process; run again, or without --blind"
            ) from None
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        global _seconds
        self.connection.close()
        try:
            self.status, seconds, self.left = self._nursery.end(self._pid, self.by_force)
            _seconds += seconds
        except (OSError, EOFError):  # the run ended the interpreter it came from
            self._nursery.close()
            self.status = -signal.SIGKILL


def published_widths(algorithm: type[Algorithm], public: Any) -> Callable[[str], float]:
    """The published widths that an algorithm declares, computed where no instance is.

    They are code of the plugin. In the middle of a run, for a name the agent makes up, that code could tell it what it finds
    beside the session.

    Parameters
    ----------
    algorithm : type
    public : object
        What the agent may know.

    Returns
    -------
    callable
        The width of a name; raises what its computation has raised.
    """
    if not algorithm.width_names:  # of an agent that asks for none
        return partial(_published, algorithm, {})
    found: dict[str, Any] = {}
    with _Process({**_named(algorithm), "trace": "", "home": [], "widths": list(algorithm.width_names)}) as process:
        pipe = Pipe(process.connection, np.random.default_rng(0), no_reference, _nothing, only(()))
        try:
            pipe.send(public)
            match pipe.receive():
                case ("widths", dict(answer)):
                    found = answer
        except (GarbageError, EOFError, OSError):
            process.by_force = False  # it has ended, and how is what we want to know
    if not found:
        raise AgentError(TrialError("exit", how_it_ended("the process that computes the published widths", process.status)))

    return partial(_published, algorithm, found)


def _published(algorithm: type[Algorithm], found: Mapping[str, Any], of: str) -> Any:
    match found.get(of):
        case ("width", value):
            return value
        case ("failed", str(kind), str(message), str(trace)) if kind in get_args(ErrorKind):
            raise AgentError(TrialError(kind, message, trace))  # type: ignore[arg-type]  # one of them
    declared = ", ".join(map(repr, algorithm.width_names))
    raise ContractError(f"width(of={of!r}) was asked for, but `width_names` of the class is ({declared}); add the name to it")


def _nothing(*reference: Any) -> Any:
    raise GarbageError("a reference to nothing")


def _named(cls: type[Algorithm]) -> dict[str, Any]:
    """Description of an algorithm in a request: where to import it from, or the name of a mutant.

    Raises
    ------
    ContractError
        If it cannot be imported.
    """
    if SEPARATOR in cls.name:
        return {"name": cls.name, "module": "", "class": ""}
    if not importable(cls):
        where = f"{cls.__module__}.{cls.__qualname__}"
        raise ContractError(f"{where} cannot be imported by this name; blind mode imports it in another process, so move it")
    return {"name": cls.name, "module": cls.__module__, "class": cls.__qualname__}


def plans(
    algorithm: type[Algorithm],
    public: Any,
    options: Mapping[str, str],
    environment: Any,
    width: Width,
    rng: np.random.Generator,
) -> Iterator[Any]:
    """Plans of an algorithm in a process of its own; see `BlindRun`."""
    return BlindRun(algorithm, public, options, environment, width, rng).plans()


class BlindRun:
    """Run of an algorithm in a process of its own.

    Parameters
    ----------
    algorithm : type
    public : object
        What the agent may know.
    options : mapping
        Of the regime.
    environment : object
        The metered environment.
    width : Width
    rng : numpy.random.Generator
        The agent's generator, which the environment may draw from too.
    """

    def __init__(
        self,
        algorithm: type[Algorithm],
        public: Any,
        options: Mapping[str, str],
        environment: Any,
        width: Width,
        rng: np.random.Generator,
    ) -> None:
        self._algorithm, self._public, self._options = algorithm, public, dict(options)
        self._width, self._rng = width, rng
        self._objects: list[Any] = [environment]
        self._offers = [offered(environment)]
        self._home = tuple(dict.fromkeys(("verifier", type(environment).__module__.partition(".")[0])))

    def plans(self) -> Iterator[Any]:
        """Plans of the algorithm, one by one.

        Raises
        ------
        AgentError
            If the run fails.
        """
        trace, timeout = hand_over_watch()
        failure: TrialError | None = None
        with _Process(self._request(trace, timeout)) as process:
            pipe = Pipe(process.connection, self._rng, self._refer, self._resolve, only(self._home))
            try:
                pipe.send(self._public, self._options, self._objects[0], self._attributes())
                failure = yield from self._serve(pipe)
            except GarbageError as error:
                message = f"what the agent's process sent is no message ({error}); leave its file descriptors alone"
                failure = TrialError("contract", message)
            except (EOFError, OSError):
                process.by_force = False  # it is about to end by itself, and how is what we want to know
        if not process.by_force:
            failure = TrialError("exit", how_it_ended("the agent's process", process.status), frames_of_plugin(trace))
        elif failure is None and process.left:
            failure = left_behind(process.left)
        if failure is not None:
            raise AgentError(failure)

    def _request(self, trace: str, timeout: float) -> dict[str, Any]:
        return {**_named(self._algorithm), "trace": trace, "timeout": timeout, "home": self._home, "widths": []}

    def _serve(self, pipe: Pipe) -> Generator[Any, None, TrialError | None]:
        """Answer the agent until its run is over."""
        while True:
            match pipe.receive():
                case ("plan", plan):
                    yield plan  # the agent continues meanwhile; what it asks next is answered afterwards
                case ("end", libraries):
                    nursery().preload(libraries)
                    return None
                case ("failed", str(kind), str(message), str(trace)) if kind in get_args(ErrorKind):
                    return TrialError(kind, message, trace)  # type: ignore[arg-type]  # one of them
                case question:
                    self._answer(pipe, question)

    def _answer(self, pipe: Pipe, question: tuple[Any, ...]) -> None:
        try:
            answer = self._ask(question)
        except (GarbageError, AgentError):
            raise
        except Exception as error:  # the agent's fault or the setting's: raised over there, as if it were the same process
            pipe.send("raise", type(error).__name__, str(error))
        else:
            pipe.send("answer", answer, self._attributes())

    def _ask(self, question: tuple[Any, ...]) -> Any:
        match question:
            case ("call", int(number), str(name), tuple(args), dict(kwargs)) if name in self._offered(number)[0]:
                return getattr(self._objects[number], name)(*args, **kwargs)
            case ("get", int(number), str(name)) if name in self._offered(number)[1]:
                return getattr(self._objects[number], name)
            case ("width", step, target, of):
                return self._width(step, target, of)
            case ("error", step, target, of):
                return self._width.error(step, target, of)
        raise GarbageError("no question that may be asked")

    def _attributes(self) -> tuple[Any, ...]:
        """Attributes of the environment that are plain numbers, which change only when it is called."""
        environment, (_, names) = self._objects[0], self._offers[0]
        return tuple(value if type(value) in PLAIN else ELSEWHERE for value in (getattr(environment, name) for name in names))

    def _offered(self, number: int) -> tuple[list[str], list[str]]:
        if not 0 <= number < len(self._objects):
            raise GarbageError("a reference to nothing")
        return self._offers[number]

    def _refer(self, value: Any) -> tuple[Any, ...]:
        """A reference to an object of the harness that cannot travel."""
        number = next((i for i, known in enumerate(self._objects) if known is value), len(self._objects))
        if number == len(self._objects):
            self._objects.append(value)
            self._offers.append(offered(value))
        return number, "environment" if number == 0 else type(value).__name__, *self._offers[number]

    def _resolve(self, number: int) -> Any:
        return self._objects[number]


def offered(value: Any) -> tuple[list[str], list[str]]:
    """The methods and the attributes of an object that an agent may use: those in `offers` of its class, or all public ones."""
    cls = type(value)
    names = getattr(cls, "offers", None)
    if names is None:
        names = [name for name in dict.fromkeys((*dir(cls), *getattr(value, "__dict__", ()))) if not name.startswith("_")]
    names = [name for name in names if name not in _ON_ITS_SIDE]
    methods = [name for name in names if callable(getattr(cls, name, None))]
    return methods, [name for name in names if name not in methods]
