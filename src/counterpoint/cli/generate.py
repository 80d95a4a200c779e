"""`counterpoint generate`: a suite from a source, put into a lab."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from counterpoint.cli.means import means_given
from counterpoint.cli.progress import counted
from counterpoint.core.errors import CounterpointError
from counterpoint.lab.batteries import Part, made_together, sheet, told_absent
from counterpoint.lab.beyond_accuracy import BEYOND, SUITES, made_beyond
from counterpoint.lab.beyond_accuracy import sheet as list_of
from counterpoint.lab.foil_proposals import filler
from counterpoint.lab.generation import Recipe, made
from counterpoint.lab.valse import PIECES, VALSE, instruments, made_pieces
from counterpoint.lab.valse import sheet as table_of
from counterpoint.pictures.channel_means import Means
from counterpoint.store.lab import LabStore
from counterpoint.suites.balanced_sampling import Quota
from counterpoint.suites.carets.questions import KINDS
from counterpoint.suites.families import carets
from counterpoint.suites.parallel import Limit
from counterpoint.suites.suite import Tally

CARETS = "carets"
"""The name for all six tests of the paper at once."""


def pairs_given(ctx: click.Context, param: click.Parameter, given: str) -> str | int | Quota | None:
    """How many pairs: as in the paper, so many, or so many with yes and no and so many with choices."""
    binary, plus, choice = given.partition("+")
    if given in ("", "paper"):
        return given or None
    if not binary.isdecimal() or bool(plus) != choice.isdecimal():
        raise click.BadParameter(f"{given} is neither paper, nor a number, nor two such as 500+300")
    return Quota(int(binary), int(choice)) if plus else int(binary)


def limit_of(name: str, pairs: str | int | Quota | None, groups: int | None) -> Limit:
    """How many originals of a suite are kept: those of the paper have as many pairs as originals, or five times."""
    if pairs is None:
        return groups
    if groups is not None:
        raise CounterpointError("--pairs and --groups both say how much is kept", hint="say one of them")
    if isinstance(pairs, str) and name not in carets.sizes:
        raise CounterpointError(
            f"the paper has no sizes for {name}", hint=f"it has them for {', '.join(carets.suites)}"
        )
    return carets.sizes[name] if isinstance(pairs, str) else pairs


def columns_given(ctx: click.Context, param: click.Parameter, given: str) -> dict[str, str]:
    """Columns by role, as in question=Q,answer=A."""
    pairs = [one.partition("=") for one in filter(None, given.split(","))]
    for role, sign, name in pairs:
        if not sign or not role.strip() or not name.strip():
            raise click.BadParameter(f"{role}{sign}{name} is no ROLE=COLUMN, such as question=Q")
    return {role.strip(): name.strip() for role, _, name in pairs}


@click.command("generate")
@click.argument("lab", type=click.Path(file_okay=False, path_type=Path))
@click.option(
    "--suite",
    "name",
    required=True,
    help="A suite of the catalog, module:object, or carets, valse or beyond-accuracy for all of theirs.",
)
@click.option("--as", "kept_as", default="", metavar="NAME", help="Its name in the lab: for a second data set in it.")
@click.option("--source", default="world", show_default=True, help="A source of the catalog, or module:object.")
@click.option("--columns", default="", callback=columns_given, help="Which column holds what, in a file of your own.")
@click.option("--split", default="test", show_default=True, help="Which part of the source.")
@click.option("--data", type=click.Path(exists=True, path_type=Path), help="Where the files of the source are.")
@click.option(
    "--texts",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Questions of the source in other words: a file with the columns id and text.",
)
@click.option(
    "--scenes",
    default=1000,
    show_default=True,
    type=click.IntRange(1),
    help="At most so many scenes (or questions, captions, …) of it.",
)
@click.option("--seed", default=0, show_default=True, help="Another seed asks other questions.")
@click.option("--means", default="", callback=means_given, help="Mean color of training pictures: R,G,B or a folder.")
@click.option("--contrasts", type=click.IntRange(1), help="Contrasts for a question, at most; 5 by default.")
@click.option("--variants", type=click.IntRange(1), help="Exchanges or disturbances of a question; 15 by default.")
@click.option(
    "--masked-lm", default="", metavar="MODEL", help="A masked language model that proposes foils, by name or folder."
)
@click.option("--groups", type=click.IntRange(1), help="Keep so many, evenly over kinds and answers; all by default.")
@click.option("--pairs", default="", callback=pairs_given, help="Keep so many pairs: paper, N, or YES-NO+CHOICES.")
@click.option("--rules", default="", help="The rule set by which answers are compared: exact, gqa, vqa, vqa-short.")
@click.option("--replace", is_flag=True, help="Replace a suite of this name that is in the lab and differs.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(
    lab: Path,
    name: str,
    kept_as: str,
    source: str,
    columns: dict[str, str],
    split: str,
    data: Path | None,
    texts: Path | None,
    scenes: int,
    seed: int,
    means: Means | None,
    contrasts: int | None,
    variants: int | None,
    masked_lm: str,
    groups: int | None,
    pairs: str | int | Quota | None,
    rules: str,
    replace: bool,
    as_json: bool,
) -> None:
    """Make a suite and put it into the folder LAB, which becomes a lab if it is none yet.

    Prints how many groups were kept, and why others were not. One seed makes one suite on every machine.
    """
    tally, tell = Tally(), partial(click.echo, err=True)
    watch = partial(counted, doing="reading", total=scenes)
    if kept_as and name in (CARETS, VALSE):
        raise CounterpointError(f"the suites of {name} keep their names", hint="leave --as out")
    asked = filler(masked_lm, {BEYOND: SUITES, CARETS: carets.suites, VALSE: PIECES}.get(name, (name,)))
    home = LabStore(lab)
    how: dict[str, Any] = {"anew": replace, "data": data, "watch": watch, "tell": tell}
    if name == BEYOND:
        limit = limit_of(name, pairs, groups)
        recipe = Recipe(name, source, split, scenes, limit, rules, columns, variants=variants, kept_as=kept_as)
        parts = made_beyond(home, recipe, seed, **how)
        named = {one.name: one.plain | {"suite": one.manifest.suite if one.manifest else ""} for one in parts}
        _show(home, parts, named if as_json else None, list_of(parts))
        return
    if name == CARETS:
        recipe = Recipe(name, source, split, scenes, None, rules, columns, means)
        limits = {test: limit_of(test, pairs, groups) for test in carets.suites}
        parts = made_together(home, recipe, limits, seed, **how)
        absent = told_absent(source.partition("/")[0] if "/" in source else source)
        counts = {one.name: _counts(one) for one in parts}
        _show(home, parts, counts if as_json else None, (*sheet(parts, KINDS), *filter(None, [absent])))
        return
    if name == VALSE:
        recipe = Recipe(name, source, split, scenes, limit_of(name, pairs, groups), rules, columns)
        parts = made_pieces(home, recipe, seed, asked=asked, **how)
        told = {one.name: one.plain | {"instruments": instruments(home, one)} for one in parts}
        _show(home, parts, told if as_json else None, table_of(home, parts))
        return
    limit = limit_of(name, pairs, groups)
    recipe = Recipe(name, source, split, scenes, limit, rules, columns, means, contrasts, variants, kept_as)
    manifest = made(home, recipe, seed, tally=tally, texts=texts, asked=asked, **how)
    if as_json:
        about = {"suite": manifest.suite, "groups": manifest.groups, "queries": manifest.rows}
        known = about | {"fingerprint": manifest.fingerprint, "kept": tally.answers, "dropped": tally.reasons}
        click.echo(json.dumps(known, ensure_ascii=False))
        return
    for line in (*_kept(tally), *_lost(tally)):
        click.echo(line)
    click.echo(f"{manifest.groups} groups of {manifest.suite} ({manifest.rows} queries) are in {lab}")


def _show(lab: LabStore, parts: Sequence[Part], about: Mapping[str, object] | None, lines: Iterable[str]) -> None:
    """What a battery made: as one JSON object, or line by line, and how much it is."""
    if about is not None:
        click.echo(json.dumps(about, ensure_ascii=False))
        return
    for line in lines:
        click.echo(line)
    there = [part.manifest for part in parts if part.manifest]
    click.echo(f"{sum(one.groups for one in there)} groups of {len(there)} suites are in {lab.folder}")


def _counts(part: Part) -> dict[str, object]:
    return {**part.plain, "kept": part.tally.answers, "dropped": part.tally.reasons}


def _kept(tally: Tally) -> Iterator[str]:
    for kind, answers in tally.answers.items():
        best = list(answers.items())[:4]
        more = f", {len(answers) - len(best)} others" if len(answers) > len(best) else ""
        yield f"{kind:<26}{sum(answers.values()):>8}  {', '.join(f'{a} {n}' for a, n in best)}{more}"


def _lost(tally: Tally) -> Iterator[str]:
    for kind, reasons in tally.reasons.items():
        for reason, count in reasons.items():
            yield f"{kind:<26}{-count:>8}  {reason}"
