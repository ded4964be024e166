"""Plugins that look for a report they do not deserve, and which of them the threat model leaves to others.

Each raises an error where it does not get what it is after: one that gets a clean report has got it.
"""

from __future__ import annotations

from .declarations import claim
from .faults import Fault, midway

READERS = {
    "reads-an-attribute": "env._cumulative.sum()",
    "reads-the-dictionary": "env.__dict__['_transcript']",
    "reads-a-closure": "env._task.__closure__[0].cell_contents._instance.truth",
    "reads-the-heap": "next(t for t in __import__('gc').get_objects() if type(t).__name__ == 'Truth').P",
    "reads-the-stack": "[f.frame for f in __import__('inspect').stack() if 'session' in f.frame.f_locals][0].f_locals['session']",
}
"""Statements that find the truth in the process."""

WRITERS = {
    "leaves-a-note": "open('note', 'w').close()",
    "writes-to-the-store": "open('.verifier/results.sqlite3', 'r+b').close()",
    "opens-a-connection": "__import__('socket').create_server(('127.0.0.1', 0)).close()",
    "connects-to-a-process": "connects()",
    "sets-the-time-of-a-file": "os.utime('pyproject.toml', (5, 5))",
    "sets-the-mode-of-a-file": "os.chmod('pyproject.toml', 0o600)",
    "shares-memory": "shares()",
    "marks-a-file": "marks()",
    "sets-the-priority-of-a-process": "priority()",
    "limits-a-process": "limits()",
    "reads-the-store": "open('.verifier/results.sqlite3', 'rb').read(16)",
    "links-the-store": "os.link('.verifier/results.sqlite3', 'mine'); os.unlink('mine')",
}
"""Statements that change files of the user, or leave notes elsewhere, or reach other processes or results of earlier trials."""

REACHES = r"""
import ctypes, errno, os, socket

def connects():
    with socket.socket(socket.AF_UNIX) as mine:
        if mine.connect_ex("nowhere") != errno.ENOENT:  # the system was asked
            raise PermissionError("connect")

def marks():
    try:
        os.setxattr("pyproject.toml", "user.note", b"1")
    except OSError as error:
        if error.errno != errno.ENOTSUP:  # not every file system has them
            raise

def priority():
    who = os.PRIO_PROCESS, os.getppid()
    os.setpriority(*who, os.getpriority(*who))

def limits():
    import resource
    now = resource.prlimit(os.getppid(), resource.RLIMIT_CORE)
    resource.prlimit(os.getppid(), resource.RLIMIT_CORE, now)

def shares():
    libc = ctypes.CDLL(None)
    made = libc.shmget(0, 64, 0o1600)
    if made == -1:
        raise PermissionError("shmget")
    libc.shmctl(made, 0, None)
"""

INSTRUCTIONS = r"""
ATTACK = b"\x80\x05\x8c\x1bverifier.trials.blind.codec\x8c\x0a_reference\x93K\x00\x85R}\x8c\x04leftK\x01sb0"
ATTACK += b"(N\x8c\x03getK\x00\x8c\x07episodet."

def attack(env):
    line = getattr(type(env), "_line", None)  # of the stand-in that a blind agent has
    if line is not None:
        pipe = line.__get__(env).pipe
        pipe._connection.sendall(len(ATTACK).to_bytes(8, "little") + ATTACK)
        pipe.receive()
"""
"""A message that asks for the episode, and before that sets an attribute of the environment by an instruction of its pickle."""

OFFERED = "begin_episode, step, play, episode, at_start"
SEES: dict[str, Fault] = {name: midway(reads, "", "in blind mode", OFFERED) for name, reads in READERS.items()}
SENDS = {"sends-instructions": midway("attack(env)", "contract", "no message (the instruction BUILD)", top=INSTRUCTIONS)}
WRITES: dict[str, Fault] = {name: midway(writes, "crash", "PermissionError", top=REACHES) for name, writes in WRITERS.items()}

GUESS = """
from verifier_settings.lifelong import LIFELONG

def guess(public):
    for scenario in LIFELONG.catalogue:
        instance = scenario.draw(0)
        if instance.public.phi.shape == public.phi.shape and np.array_equal(instance.public.phi, public.phi):
            return instance.truth
    raise LookupError("no instance like this")
"""
CLOCK = "before = time.perf_counter(); self.width(0, np.zeros((self.public.S, 1))); self.took = time.perf_counter() - before"

BEYOND: dict[str, dict[str, Fault]] = {
    "Claims are the author's": {"claims-next-to-nothing": claim("return Inequality(0.0, 1.0, trivial=2.0)", "")},
    "Instances are public": {"guesses-instance-and-seed": midway("guess(env.public)", "", top=GUESS)},
    "Same user, same machine": {
        "looks-at-processes": midway("open(f'/proc/{os.getppid()}/cmdline').read()", ""),
    },
    "Time": {"learns-errors-of-the-oracle": midway("assert self.width(0, np.eye(self.public.S)[:, :1]) >= 0", "")},
}
"""What gets a clean report in blind mode, too, by the words in the page that say so."""
