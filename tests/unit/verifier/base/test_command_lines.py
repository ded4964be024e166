"""Commands that have no room on a line."""

from __future__ import annotations

import shlex

from verifier.base.tables import narrowed

COMMAND = "verifier check a.py:B --as kl-ucb --new 'UCB(S, A, lambda s: s)' --read Q=index --read visits=pulls"


def test_a_command_that_is_broken_can_be_pasted() -> None:
    text = narrowed(f"{COMMAND}\nverifier list\n", 40)
    assert max(map(len, text.splitlines())) <= 40
    assert text.count(" \\\n") == 2
    broken, short = text.rstrip().replace("\\\n", "").splitlines()
    assert shlex.split(broken) == shlex.split(COMMAND), "what is quoted stays together"
    assert short == "verifier list"


def test_a_sentence_is_no_command() -> None:
    assert "\\" not in narrowed("verifier can't be a command here, since a quotation begins in it", 30)
