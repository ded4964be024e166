"""Messages over a socket, each with the state of the agent's generator if that has changed.

The agent's random numbers are drawn in its own process; a simulator of the harness may draw from the same generator (planners
simulate learned models with it). So whoever has drawn tells the other side the new state together with the next message, and
both see one and the same stream, as they do when they share a process.
"""

from __future__ import annotations

import socket
import sys
from collections.abc import Sequence
from struct import Struct
from typing import Any

import numpy as np

from verifier.trials.blind.codec import Find, GarbageError, Refer, Resolve, pack, unpack

HEAD = Struct("<Q")
"""The length of what follows."""

CHUNK = 1 << 16
MOST = 1 << 40

PLAIN = frozenset({int, float, bool, str})
"""Types of attributes that are sent along with every answer, so that looking at them costs nothing."""

ELSEWHERE = None
"""Stand-in for an attribute of another type, which has to be asked for."""


class Pipe:
    """End of the connection.

    Parameters
    ----------
    connection : socket
    rng : numpy.random.Generator
        The agent's generator as this side has it.
    refer, resolve, find : callable
    home : sequence of str, optional
        As for `verifier.trials.blind.codec`, of what is sent.
    """

    def __init__(
        self,
        connection: socket.socket,
        rng: np.random.Generator,
        refer: Refer,
        resolve: Resolve,
        find: Find = sys.modules.__getitem__,
        home: Sequence[str] | None = None,
    ) -> None:
        self._connection, self._bits = connection, rng.bit_generator
        self._refer, self._resolve, self._find = refer, resolve, find
        self._home = home
        self._shared: Any = None
        self._rest = b""
        self._buffer = memoryview(bytearray(CHUNK))

    def send(self, *message: Any) -> None:
        """Send a message.

        Raises
        ------
        OSError
            If the other side is gone.
        """
        state = self._state()
        data = pack((None if state == self._shared else state, *message), self._refer, self._home)
        self._shared = state
        self._connection.sendall(HEAD.pack(len(data)) + data)

    def receive(self) -> tuple[Any, ...]:
        """The next message.

        Raises
        ------
        EOFError
            If the other side is gone.
        GarbageError
            If what arrives is no message.
        """
        (size,) = HEAD.unpack(self._read(HEAD.size))
        if size > MOST:
            raise GarbageError("a message of more bytes than there can be")
        message = unpack(self._read(size), self._resolve, self._find)
        if not isinstance(message, tuple) or len(message) < 2:
            raise GarbageError("no message")
        if message[0] is not None:
            self._take_over(message[0])
        return message[1:]

    def _state(self) -> tuple[int, int, int, int]:
        state: Any = self._bits.state
        return state["state"]["state"], state["state"]["inc"], state["has_uint32"], state["uinteger"]

    def _take_over(self, state: Any) -> None:
        try:
            now, inc, has_uint32, uinteger = state
            inner = {"state": now, "inc": inc}
            self._bits.state = {"bit_generator": "PCG64", "state": inner, "has_uint32": has_uint32, "uinteger": uinteger}
        except (ValueError, TypeError, OverflowError) as error:
            raise GarbageError(f"no state of a generator ({error})") from error
        self._shared = self._state()

    def _read(self, size: int) -> bytes:
        while len(self._rest) < size:
            missing = size - len(self._rest)
            buffer = self._buffer if missing <= CHUNK else memoryview(bytearray(missing))
            arrived = self._connection.recv_into(buffer, 0, socket.MSG_WAITALL if missing > CHUNK else 0)
            if not arrived:
                raise EOFError
            self._rest += buffer[:arrived]
        found, self._rest = self._rest[:size], self._rest[size:]
        return found
