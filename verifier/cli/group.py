"""The group of all commands: finds them, and turns what they raise into messages and exit codes."""

from __future__ import annotations

import errno
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, NoReturn

import click

from verifier.base import folders, interrupts
from verifier.base.errors import ExitCode, VerifierError, is_kept, nearest
from verifier.base.leaving import leave_with
from verifier.base.plain import harmless
from verifier.base.streams import require_streams
from verifier.cli.help import Context
from verifier.cli.output import say

FULL = (errno.ENOSPC, errno.EDQUOT)
"""Numbers of the errors that mean a full disk."""

_RUNNING = frozenset({"check", "board", "power", "scale", "gate"})
"""Commands that keep finished trials."""

_KEEPS = f"{__name__}.keeps"
_BISECTS = f"{__name__}.bisects"


class Commands(click.Group):
    """The command group; turns errors into messages and exit codes."""

    def __call__(self, *args: Any, **more: Any) -> NoReturn:
        """Run a command and end the process with its exit code, whatever plugins have registered for the end."""
        require_streams()
        if signal.getsignal(signal.SIGTERM) is not signal.SIG_IGN:
            signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Ctrl-C: what is finished is kept, and told
        interrupts.come_again()

        def program() -> None:
            try:
                self.main(*args, **more)
            finally:
                folders.leave()

        leave_with(program)

    context_class = Context

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Command by its name, with help that fits the terminal."""
        found = super().get_command(ctx, cmd_name)
        inside = found.commands.values() if isinstance(found, click.Group) else ()
        for command in filter(None, (found, *inside)):
            command.context_class = Context
        return found

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuse what no file can be named, before any library is asked about it."""
        with _harmless():
            for argument in args:
                if "\0" in argument:
                    raise click.UsageError(f"{argument!r} holds a null byte; remove it", ctx)
            ctx.meta[_KEEPS] = bool(_RUNNING & set(args[:1])) and "--no-store" not in args
            ctx.meta[_BISECTS] = _bisects(args)
            return super().parse_args(ctx, args)

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """Look a command up, naming the nearest one if there is none."""
        if args and not args[0].startswith("-") and self.get_command(ctx, args[0]) is None:
            raise click.UsageError(f"no command {args[0]!r}. {nearest(args[0], self.list_commands(ctx))}", ctx)
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command."""
        try:
            with _harmless():
                return super().invoke(ctx)
        except VerifierError as error:
            fail(str(error), _answer(error) if ctx.meta[_BISECTS] else error.exit_code)
        except KeyboardInterrupt as stopped:
            kept = ctx.meta[_KEEPS] and is_kept(stopped)
            again = "; finished trials are kept, run the same command again to continue" if kept else ""
            fail(f"interrupted{again}", ExitCode.INTERRUPTED)
        except click.ClickException as error:
            if ctx.meta[_BISECTS]:  # git takes the 2 of a usage error for "bad"
                setattr(error, "exit_code", int(_answer(None)))  # noqa: B010  # click reads it of the instance
            raise
        except (click.exceptions.Exit, click.Abort, BrokenPipeError):
            raise  # click knows what to do with its own, and with a reader that has gone
        except Exception as error:
            told = "; finished trials are kept" if ctx.meta[_KEEPS] and is_kept(error) else ""
            if isinstance(error, OSError) and error.errno in FULL:
                where = error.filename or "standard output"
                fail(
                    f"{where} cannot be written: {error.strerror}; make room and run it again{told}",
                    _answer(None) if ctx.meta[_BISECTS] else ExitCode.USAGE,
                )
            import traceback

            say(traceback.format_exc(), err=True, nl=False)
            code = _answer(VerifierError()) if ctx.meta[_BISECTS] else ExitCode.ERROR
            fail(f"internal error ({type(error).__name__}: {error}){told}; please report it", code)


def _bisects(args: Sequence[str]) -> bool:
    """Whether exit codes are for `git bisect run`; read before the options are, because errors in these have one, too."""
    return "--exit-code=bisect" in args or ("--exit-code", "bisect") in pairwise(args)


def _answer(error: VerifierError | None) -> int:
    """Exit code for `git bisect run`; without an error that may be of the commit, one that ends it."""
    from verifier.commands.bisect import Answer, answer_to

    return int(Answer.ABORT if error is None else answer_to(error))


@contextmanager
def _harmless() -> Iterator[None]:
    """Messages of click, which it prints itself, may quote what was typed."""
    try:
        yield
    except click.ClickException as error:
        message = error.format_message()
        if harmless(message) == message:
            raise
        raise click.UsageError(harmless(message), getattr(error, "ctx", None)) from None


def fail(message: str, code: int) -> NoReturn:
    """Print an error and leave."""
    say(f"verifier: {message}", err=True)
    sys.exit(int(code))
