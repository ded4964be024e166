"""Pages generated from what is installed: algorithms with their claims and errata, settings, properties, the glossary.

They are written when the documentation is built and are not kept, so that they cannot differ from the code.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from importlib import import_module
from inspect import getdoc
from pathlib import Path
from pkgutil import walk_packages
from types import ModuleType
from typing import Any

import click

import verifier_properties
from verifier import Algorithm, Guarantees
from verifier.cli.help import Context
from verifier.cli.main import main
from verifier.commands.glossary import WORDS
from verifier.formulas.expression import Expression, Operation
from verifier.formulas.quantity import fields_of, quantities
from verifier.formulas.typeset import mathml
from verifier.model.property import Property
from verifier.model.setting import Setting
from verifier.model.statement import Statement
from verifier.plugins.registry import registry

ROOT = Path(__file__).parents[1]
DECLARED = ("algorithm", "formulas", "claims", "guarantees")
"""Modules of an algorithm without its planted bugs, figures and errata."""

WRAPPED = "<style>.formula { display: inline-block; max-width: 100%; overflow: auto hidden; vertical-align: middle; }</style>"
"""A formula that is wider than the page is scrolled by itself."""


def write_catalogues(folder: Path) -> None:
    """Write all pages into a folder, and remove what is not one of them any more."""
    folder.mkdir(exist_ok=True)
    pages = dict(catalogues())
    for stale in {file.name for file in folder.glob("*.md")} - pages.keys():
        (folder / stale).unlink()
    for name, text in pages.items():
        file = folder / name
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")


def catalogues() -> Iterator[tuple[str, str]]:
    """Names and texts of the pages."""
    known = registry().guarantees
    yield "algorithms.md", algorithms(known.values())
    yield "theorems.md", theorems(known.values())
    for guarantees in known.values():
        yield f"algorithm-{guarantees.name}.md", algorithm(guarantees)
    yield "settings.md", settings()
    yield "properties.md", properties()
    yield "formulas.md", formulas()
    yield "glossary.md", glossary()
    yield "commands.md", commands()
    yield "readme.md", included("README.md")
    yield "architecture.md", included("ARCHITECTURE.md")
    yield "changelog.md", included("CHANGELOG.md")
    yield "contributing.md", included("CONTRIBUTING.md")
    yield "security.md", included("SECURITY.md")


def algorithms(known: Iterable[Guarantees]) -> str:
    """The list of algorithms, by paper."""
    papers: dict[str, list[Guarantees]] = {}
    for guarantees in known:
        papers.setdefault(guarantees.algorithm.paper, []).append(guarantees)
    told = "*Lines* are those of the modules of an algorithm alone, without what its plugin shares: first of the algorithm, its"
    told += " formulas, claims and guarantees, then of all modules, planted bugs and errata included."
    lines = ["# Algorithms", "", told, ""]
    for paper, several in papers.items():
        lines += [
            f"## {paper}",
            "",
            "| algorithm | setting | claims | planted bugs | errata | lines |",
            "|---|---|---|---|---|---|",
        ]
        for item in several:
            declared, every = lengths(item.algorithm)
            counts = f"{len(item.claims)} | {len(item.mutants)} | {len(item.errata)} | {declared}, {every}"
            link = f"[{item.name}](algorithm-{item.name}.md), {item.algorithm.title}"
            lines.append(f"| {link} | [{item.algorithm.setting}](settings.md) | {counts} |")
        lines.append("")
    lines += [
        "```{toctree}",
        ":hidden:",
        "",
        *(f"algorithm-{item.name}" for several in papers.values() for item in several),
        "```",
        "",
    ]
    return "\n".join(lines)


def lengths(kind: type[Algorithm]) -> tuple[int, int]:
    """Lines in the folder of an algorithm: of its declaration, and of all modules."""
    folder = Path(str(import_module(kind.__module__).__file__)).parent
    counts = {file.stem: len(file.read_text(encoding="utf-8").splitlines()) for file in folder.glob("*.py")}
    return sum(counts.get(name, 0) for name in DECLARED), sum(counts.values())


def algorithm(guarantees: Guarantees) -> str:
    """One algorithm: its claims by theorem, the clauses nothing checks, its planted bugs and errata."""
    kind = guarantees.algorithm
    lines = [f"# {guarantees.name}", "", f"{kind.title}. {kind.paper}. Setting `{kind.setting}`.", ""]
    lines += ["Regimes: " + ", ".join(f"`{name}`" for name in kind.regimes) + ".", ""]
    lines += [f"Its claims are data, `CLAIMS` in the module `{module_of_claims(kind)}`, for agents that reuse some.", ""]
    lines += ["## Claims", ""]
    theorems: dict[str, list[str]] = {}
    for claim in guarantees.claims:
        name = f"{anchor(f'claim-{claim.name}')}`{claim.name}`"
        row = f"| {name} | {cell(claim.statement)} | {cell(claim.source)} | {claim.kind.value} |"
        theorems.setdefault(claim.theorem, []).append(row)
    for theorem, rows in theorems.items():
        lines += [f"### {theorem}", "", "| claim | statement | source | kind |", "|---|---|---|---|", *rows, ""]
    if unchecked := [clause for clause in guarantees.clauses if clause.unchecked]:
        lines += ["## What the paper asserts and nothing here checks", "", "| clause | asserts | why not |", "|---|---|---|"]
        lines += [f"| {cell(item.source)} | {cell(item.statement)} | {cell(item.unchecked)} |" for item in unchecked] + [""]
    if guarantees.mutants:
        lines += ["## Planted bugs", "", "| bug | what is wrong | found by |", "|---|---|---|"]
        for bug in guarantees.mutants:
            found = ", ".join(f"`{name}`" for name in bug.caught_by) or "nothing: it is equivalent"
            lines.append(f"| {anchor(f'bug-{bug.name}')}`{bug.name}` | {cell(bug.description)} | {found} |")
        lines.append("")
    for erratum in guarantees.errata:
        head = [] if "## Errata" in lines else ["## Errata", ""]
        lines += [
            *head,
            f"### {erratum.name}",
            "",
            f"*{cell(erratum.source)}*: {cell(erratum.statement)}",
            "",
            cell(erratum.why),
            "",
        ]
        lines += [f"Corrected: {cell(erratum.corrected)}", "", f"    verifier errata {guarantees.name} --only {erratum.name}", ""]
    return "\n".join(lines)


def module_of_claims(kind: type[Algorithm]) -> str:
    """The module beside that of an algorithm in which its claims are declared."""
    name = f"{kind.__module__.rpartition('.')[0]}.claims"
    return name if hasattr(import_module(name), "CLAIMS") else kind.__module__


def theorems(known: Iterable[Guarantees]) -> str:
    """The index of theorems: by paper and place, the claims about it, errata, and what it asserts that nothing here checks."""
    papers: dict[str, dict[str, dict[str, list[str]]]] = {}
    for guarantees in known:
        places = papers.setdefault(guarantees.algorithm.paper, {})
        for source, text, link in standing(guarantees):
            places.setdefault(source, {}).setdefault(text, []).append(link)
    lines = [
        "# Index of theorems",
        "",
        "Every place of a paper that something here is about, with the claims that check it, by algorithm.",
        "A claim leads to its row on the page of the algorithm, *formula* to what is evaluated, typeset.",
        "`verifier explain 'Lemma E.1'` prints the same, and `verifier explain ucblvd/optimism` how a claim is checked.",
        "",
    ]
    for paper, places in papers.items():
        lines += [f"## {paper}", "", "| place | states | where it is checked |", "|---|---|---|"]
        for source in sorted(places, key=natural):
            for number, (text, links) in enumerate(places[source].items()):
                lines.append(f"| {'' if number else cell(source)} | {text} | {', '.join(links)} |")
        lines.append("")
    return "\n".join(lines)


def standing(guarantees: Guarantees) -> Iterator[tuple[str, str, str]]:
    """What stands at the places of a paper: the place, what it states, and a link to what is here about it."""
    page = f"algorithm-{guarantees.name}.html"
    for claim in guarantees.every_claim:
        name = f"{guarantees.name}/{claim.name}"
        if claim not in guarantees.claims:
            yield claim.source, cell(claim.statement), f"`verifier scale {guarantees.name}`"
            continue
        formula = isinstance(claim.property.function, Statement)
        typeset = f" ({link('formula', f'formulas.html#{guarantees.name}-{claim.name}')})" if formula else ""
        yield claim.source, cell(claim.statement), link(name, f"{page}#claim-{claim.name}") + typeset
    for clause in guarantees.clauses:
        if clause.unchecked:
            text = f"{cell(clause.statement)} (*not checked*: {cell(clause.unchecked)})"
            yield clause.source, text, link(guarantees.name, f"{page}#what-the-paper-asserts-and-nothing-here-checks")
    for erratum in guarantees.errata:
        text = f"{cell(erratum.statement)} (*erratum*: {cell(erratum.grade.value)})"
        yield erratum.source, text, link(guarantees.name, f"{page}#{erratum.name}")


def link(text: str, target: str) -> str:
    """Link to a place of a generated page, which Sphinx does not know: a test looks for it."""
    return f'<a href="{target}">{text}</a>'


def anchor(name: str) -> str:
    """Anchor of a row, for links."""
    return f'<a id="{name}"></a>'


def natural(text: str) -> list[tuple[int, str]]:
    """Key that sorts numbers in a text by their size."""
    return [(int(part), "") if part.isdigit() else (0, part) for part in re.split(r"(\d+)", text)]


def settings() -> str:
    """The settings with their instances and families."""
    lines = ["# Settings and instances", ""]
    for setting in registry().settings.values():
        lines += [f"## {setting.name}", "", f"{setting.description}.", "", "| instance | what it is |", "|---|---|"]
        lines += [f"| `{item.name}` | {cell(item.description)} |" for item in setting.catalogue]
        lines += [f"| `{item.name}[{item.symbol}=...]` | family: {cell(item.description)} |" for item in setting.families]
        lines += ["", *widths(setting), *views(setting.name)]
    return "\n".join(lines)


def widths(setting: Setting[Any, Any]) -> list[str]:
    """Table of the widths that an algorithm may ask for in the oracle regime, too, ``width(h, V[h + 1], of=NAME)``."""
    rows = [f"| `{name}` | {cell(text)} |" for name, text in setting.widths.items()]
    return ["| width (`of`) | what it multiplies |", "|---|---|", *rows, ""]


def views(setting: str) -> list[str]:
    """What properties are handed: the fields of plans and the quantities of each class of views that claims are about."""
    lines = ["| view of a property | fields of plans, with their axes | quantities |", "|---|---|---|"]
    known = [each for each in registry().guarantees.values() if each.algorithm.setting == setting]
    for view in views_of(known):
        fields = ", ".join(f"`{name}` ({' '.join(axes)})" for name, axes in fields_of(view).items())
        named = ", ".join(f"`{name}`" for name in quantities(view))
        lines.append(f"| `{view.__module__}.{view.__qualname__}` | {fields} | {named} |")
    return [*lines, ""]


def views_of(known: Iterable[Guarantees]) -> list[type]:
    """Classes of views that formulas of some algorithms are about."""
    statements = [claim.property.function for each in known for claim in each.claims]
    return list(dict.fromkeys(found.on for found in statements if isinstance(found, Statement) and found.on))


def properties() -> str:
    """The library of properties: what each checks, of which scope, and which fields of a plan it reads."""
    lines = ["# Properties", "", "What claims are made of, by the setting whose views they read.", ""]
    for group in modules(verifier_properties):
        found = [value for value in vars(group).values() if isinstance(value, Property)]
        made = [value for name, value in vars(group).items() if makes_property(group, name)]
        if not found and not made:
            continue
        lines += [f"## {group.__name__.removeprefix('verifier_properties.')}", "", (getdoc(group) or "").split("\n")[0], ""]
        lines += ["| property | scope | reads of the plan | what it checks |", "|---|---|---|---|"]
        for item in found:
            lines.append(f"| `{item.name}` | {item.scope} | {', '.join(sorted(item.needs))} | {first(item.description)} |")
        lines += [f"| `{item.__name__}(...)` | made | | {first(getdoc(item) or '')} |" for item in made] + [""]
    return "\n".join(lines)


def formulas() -> str:
    """Every formula that claims are made of, typeset from what is evaluated, and the quantities in them."""
    lines = ["# Formulas", "", "Typeset from the trees that the harness evaluates. Quantities are listed below.", "", WRAPPED, ""]
    for guarantees in registry().guarantees.values():
        stated = [(claim, claim.property.function) for claim in guarantees.claims]
        found = [(claim, statement) for claim, statement in stated if isinstance(statement, Statement)]
        if not found:
            continue
        lines += [f"## {guarantees.name}", ""]
        for claim, statement in found:
            name = f"{anchor(f'{guarantees.name}-{claim.name}')}`{claim.name}`"
            lines.append(f"- {name}, {cell(claim.source)}: {typeset(statement)}")
        lines.append("")
    for view in views_of(registry().guarantees.values()):
        lines += [f"## Quantities of `{view.__module__}.{view.__qualname__}`", ""]
        lines += ["| name | symbol | axes | what it is |", "|---|---|---|---|"]
        lines += [
            f"| `{item.name}` | {cell(item.symbol)} | {' '.join(item.axes)} | {first(getdoc(item.computed) or '')} |"
            for item in quantities(view).values()
        ]
        lines.append("")
    return "\n".join(lines)


def typeset(statement: Statement) -> str:
    """A statement, each of its definitions and each part of its premise by itself: browsers break no line inside a formula."""
    symbols = statement.symbols
    rows = statement.rows()
    parts = [] if statement.where is None else [mathml(part, symbols) for part in conjuncts(statement.where)]
    shown, premise = (["<span class=formula><math>" + each + "</math></span>" for each in them] for them in (rows, parts))
    return ", ".join([shown[0], *shown[1:]]) + (f" where {' and '.join(premise)}" if premise else "")


def conjuncts(tree: Expression) -> Iterator[Expression]:
    """Parts of a premise that all have to hold."""
    if isinstance(tree, Operation) and tree.name == "and":
        for part in tree.parts:
            yield from conjuncts(part)
    else:
        yield tree


def glossary() -> str:
    """What `verifier explain` says of each word, by the alphabet; as terms, which a search of the site names first."""
    terms = (f"{word}\n  {cell(text)}\n" for word, text in sorted(WORDS.items()))
    return "\n".join(["# Glossary", "", "`verifier explain WORD` prints the same.", "", "```{glossary}", *terms, "```", ""])


def commands() -> str:
    """The page of the command line: the help of every command, as it is printed."""
    lines = ["# Command line", "", "The help of each command, as `verifier COMMAND --help` prints it.", ""]
    for path, command in commands_of(main, ("verifier",)):
        with Context(command, info_name=" ".join(path), terminal_width=100, **main.context_settings) as context:
            lines += [f"## {' '.join(path)}", "", "```text", command.get_help(context), "```", ""]
    return "\n".join(lines)


def commands_of(group: click.Group, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Commands of a group with their words, those of groups in it after these."""
    for name, command in sorted(group.commands.items()):
        yield (*path, name), command
        if isinstance(command, click.Group):
            yield from commands_of(command, (*path, name))


def included(name: str) -> str:
    """A document from the root of the repository; its links lead to pages of the documentation.

    Pictures stay their sources: code hosts draw Mermaid, and Sphinx would need a script from another host for it.
    """
    text = (ROOT / name).read_text(encoding="utf-8").replace("```mermaid\n", "```text\n")
    known = {path: f"{path.removesuffix('.md').lower()}.md" for path in ("README.md", "ARCHITECTURE.md", "CHANGELOG.md")}
    known |= {"CONTRIBUTING.md": "contributing.md", "SECURITY.md": "security.md"}

    def lead(match: re.Match[str]) -> str:
        path, anchor = match[1], match[2] or ""
        if path.startswith("docs/"):
            return f"](../{path.removeprefix('docs/')}{anchor})"
        return f"]({known[path]}{anchor})" if path in known else match[0]

    text = text.replace("[CITATION.cff](CITATION.cff)", "`CITATION.cff`")
    return re.sub(r"\]\(([\w./-]+\.(?:md|png|svg))(#[\w-]+)?\)", lead, text)


def modules(package: ModuleType) -> Iterator[ModuleType]:
    """The modules of a package, by name."""
    for item in sorted(walk_packages(package.__path__, f"{package.__name__}."), key=lambda item: item.name):
        if not item.ispkg:
            yield import_module(item.name)


def makes_property(module: ModuleType, name: str) -> bool:
    """Whether a public name of a module is a function of it that returns a property."""
    value = vars(module)[name]
    annotations = getattr(value, "__annotations__", {})
    own = getattr(value, "__module__", "") == module.__name__ and callable(value) and not isinstance(value, type)
    return own and not name.startswith("_") and "Property" in str(annotations.get("return", ""))


def first(text: str) -> str:
    """The first sentence or line, for a cell of a table."""
    return cell(text.partition("\n\n")[0])


def cell(text: str) -> str:
    """Text in one line that means what it says in Markdown, also in the cell of a table; what is in backticks stays code."""
    parts = re.split(r"(`+[^`]*`+)", " ".join(text.split()))
    return "".join(
        part.replace("|", r"\|") if at % 2 else re.sub(r"([\\*_\[\]<>|#])", r"\\\1", part) for at, part in enumerate(parts)
    )
