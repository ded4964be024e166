"""The instance on which a claim needs the largest multiple of its bound, searched and put in a file: `verifier tight --worst`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from verifier import record
from verifier.base.config import Config
from verifier.base.errors import NothingSelectedError, PluginError, UsageError, nearest
from verifier.base.profile import Profile
from verifier.base.replacing import replace, try_to_replace
from verifier.campaign.factors import NO_FACTORS
from verifier.campaign.price import COVERING
from verifier.campaign.selection import Selection, claim_id, selected
from verifier.commands.progress import Progress, Step
from verifier.model.claim import Claim
from verifier.model.guarantees import Guarantees
from verifier.model.instance_file import recipe_text
from verifier.model.result import TrialSpec
from verifier.plugins.registry import Registry
from verifier.trials.runner import runner
from verifier.trials.search import worst
from verifier.trials.search.drawn import SEARCH_SECONDS

PUBLISHED = "published"


def find_worst(
    registry: Registry,
    names: Sequence[str],
    selection: Selection,
    profile: Profile,
    config: Config,
    file: str,
    progress: Progress,
    sizes: Mapping[str, int] | None = None,
) -> record.WorstEntry:
    """Search for the instance, and write it to a file.

    Parameters
    ----------
    registry : Registry
    names : sequence of str
        Of the algorithms, of which there must be one.
    selection : Selection
        Its claims must select one that has a factor; without any it is the one that says that the width covers the error.
    profile : Profile
        Twice its examples are drawn.
    config : Config
    file : str
        Ends in ``.json``.
    progress : callable
        Told each `verifier.commands.progress.Step`.
    sizes : mapping of str to int, optional
        Sizes that the instance has; others are drawn.

    Raises
    ------
    UsageError
        If there is no such claim, the setting draws no instances, or none of these sizes, or the file cannot be written.
    PluginError
        If the search failed.
    """
    path = _writable(file)
    if len(names) != 1:
        raise UsageError(
            f"--worst looks for the instance that one algorithm needs most on; given are {', '.join(names) or 'none'}"
        )
    if selection.instances:
        raise UsageError("--worst draws instances; leave out --instance, or leave out --worst and give an instance by name")
    guarantees = registry.guarantees_of(names[0])
    setting = registry.setting(guarantees.algorithm.setting)
    if setting.recipes is None:
        raise UsageError(f"--worst: setting {setting.name} draws no instances")
    claim = _one_claim(guarantees, selection)
    fixed = dict(sizes or {})
    handles = guarantees.algorithm.handles
    if fixed:
        _require_sizes(names[0], setting.name, fixed, setting.recipes.size_limits(handles))
        setting.recipes.strategy(handles, fixed)
    spec = TrialSpec(
        names[0], worst.drawn_of(fixed), PUBLISHED, 2 * profile.examples, config.seed, config.blind, claims=(claim.name,)
    )
    progress(Step(0, 1, SEARCH_SECONDS, f"{names[0]} on drawn instances, for the one on which {claim.name} needs most", (), 0, 0))
    with runner(config, registry, worst.task, longer=SEARCH_SECONDS, algorithms=names) as running:
        result = next(running.map(iter([spec])))
    if result.error is not None:
        raise PluginError(f"{names[0]}: the search for the worst instance failed: {result.error.message}")
    found = worst.read(result)
    if found.recipe is None:
        raise NothingSelectedError(
            f"{claim_id(names[0], claim)} has no factor on any of {found.examples} drawn instances: nothing is compared there"
            + (", or the sizes are too large to draw one in time" if fixed else "")
        )
    recipe = setting.recipes.from_json(found.recipe)
    replace(path, recipe_text(setting.name, found.recipe, recipe.tables()).encode())
    return record.WorstEntry(claim.name, file, found.examples, recipe.tables(), recipe.legend, found.exhausted, fixed)


def _writable(file: str) -> Path:
    path = Path(file)
    if path.suffix != ".json":
        raise UsageError(f"--worst {file!r}: the instance is written there as JSON; give a name that ends in .json")
    try:
        try_to_replace(path)
    except OSError as error:
        raise UsageError(f"--worst {file!r} cannot be written: {error.strerror or error}") from error
    return path


def _require_sizes(algorithm: str, setting: str, sizes: Mapping[str, int], limits: Mapping[str, int]) -> None:
    """Refuse sizes that drawn instances do not have, or not so large."""
    for name, size in sizes.items():
        if not limits:
            raise UsageError(
                f"--size {name}={size}: no size of the instances that setting {setting} draws can be fixed; leave it out"
            )
        if name not in limits:
            near = nearest(name, limits)
            raise UsageError(f"--size {name}={size}: the instances that are drawn for {algorithm} have no such size. {near}")
        if not 1 <= size <= limits[name]:
            raise UsageError(
                f"--size {name}={size}: expected a number from 1 to {limits[name]}; larger instances are not searched"
            )


def _one_claim(guarantees: Guarantees, selection: Selection) -> Claim:
    """The claim that is meant."""
    name = guarantees.name
    able = {claim.name: claim for claim in guarantees.claims if claim.kind not in NO_FACTORS}
    if not selection.claims:
        default = next((able[each] for each in COVERING if each in able), None)
        if default is None:
            raise UsageError(f"--worst: say with --claim of which claim of {name}. {nearest('', able)}")
        return default
    wanted = [claim for claim in able.values() if selected((claim.name, claim_id(name, claim)), selection.claims)]
    if len(wanted) != 1:
        which = ", ".join(claim.name for claim in wanted) or "none that has a factor"
        raise UsageError(
            f"--worst looks for the instance of one claim; --claim selects {which}. {nearest(selection.claims[0], able)}"
        )
    return wanted[0]
