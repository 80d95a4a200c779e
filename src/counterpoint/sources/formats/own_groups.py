"""Groups of your own: rows that belong together, several columns of one row, or the variants within a record."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from counterpoint.core.errors import SourceError
from counterpoint.core.groups import Gold, Group, Mode, Query, Relation
from counterpoint.core.items import ReadyGroup
from counterpoint.core.pictures import Picture
from counterpoint.language.answers.final_answer import normalize
from counterpoint.language.answers.rule_sets import normalize_number
from counterpoint.sources.dataset import SplitFiles
from counterpoint.sources.formats.own_rows import DATA, PictureReader, RowReader, rows_of_split
from counterpoint.sources.reading.cells import (
    choices_of,
    is_letter,
    names_other_picture,
    parse_answers,
    parse_nested,
    parse_truth,
    split_options,
    text_of,
    texts_of,
    without_picture_mark,
)
from counterpoint.sources.reading.choice_positions import ChoicePositions, OfferedAnswers
from counterpoint.sources.reading.columns import FILE, GROUPS, ColumnFinder, constant_of
from counterpoint.sources.reading.json_files import elements
from counterpoint.sources.reading.records import ContradictionError, Record, Skips, short_repr

BASES = ("base", "original", "orig", "caption", "positive", "0")
"""The roles of a base, unless another is given."""
_INCOMPLETE = "a group of which a row cannot be read"
_EMPTY = "an empty variant"
_RELATIONS = frozenset(relation.value for relation in Relation)
_LISTED = ", ".join(Relation)

Tags: TypeAlias = tuple[tuple[str, str], ...]
Content: TypeAlias = Mapping[str, Any]


class _Member(NamedTuple):
    """One query of a group, with the role that its row has in it."""

    query: Query
    gold: Gold | None
    tags: Tags
    role: str = ""


class _Row(NamedTuple):
    """What a row says of its group."""

    id: str
    members: list[_Member]
    relation: str
    kind: str
    test: str
    place: str


def groups(files: SplitFiles, skips: Skips, *, rows: RowReader, namespace: str) -> Iterator[ReadyGroup]:
    """Every group: of each row, or of the rows with the same key, in turn, or as a file of ids pairs them."""
    pictures = PictureReader.of(files, namespace)
    columns = ColumnFinder(GROUPS, files.columns)
    positions = ChoicePositions(files[DATA].name, partial(_offered_answers, files, rows, columns, pictures))
    reader = _RowReader(columns, skips, pictures, positions)
    together = dict[str, list[_Row]]()  # by the key of a group, or by the id of a row
    broken = set[str]()
    for number, (folder, record) in enumerate(rows_of_split(files, skips, rows, reader.columns)):
        with skips:
            key = "" if "pairs" in files.columns else reader.key(record, number)
            try:
                row = reader.row(number, record, folder)
            except SourceError:
                broken.add(key)
                raise
            if key or "pairs" in files.columns:
                together.setdefault(key or row.id, []).append(row)
            else:
                yield reader.group(row.id, [row])
    if "pairs" in files.columns:
        together = _paired(files, skips, together)
    for key, members in together.items():
        if key in broken:
            skips.skip(_INCOMPLETE, f"{members[0].place}, group {key}", "the row is listed with its reason")
            continue
        with skips:
            yield reader.group(key, members)


def _offered_answers(
    files: SplitFiles, rows: RowReader, columns: ColumnFinder, pictures: PictureReader
) -> OfferedAnswers:
    """The right answers of each row with their choices."""
    skips = Skips()
    reader = _RowReader(columns, skips, pictures, ChoicePositions())
    for _, record in rows_of_split(files, skips, rows, columns):
        with skips:
            yield from reader.offered_answers(record)


def _paired(files: SplitFiles, skips: Skips, rows: Mapping[str, list[_Row]]) -> dict[str, list[_Row]]:
    """The rows of each group, from a file with a list of ids a group."""
    path, groups = files[DATA].parent / files.columns["pairs"], dict[str, list[_Row]]()
    for number, listed in enumerate(elements(path)):
        ids = [text_of(own) for own in listed] if isinstance(listed, list) else []
        missing = [own for own in ids if own not in rows]
        if missing or not ids:
            what = f"no row has the id {missing[0]}" if missing else f"{short_repr(listed)} is no list of ids"
            skips.skip("ids without a row", f"{path.name}, record {number}: {what}", "is it a file of this split?")
        else:
            groups["-".join(ids)] = [row for own in ids for row in rows[own]]
    return groups


@dataclass(frozen=True, slots=True)
class _RowReader:
    """Reads rows as parts of groups, by the columns that people gave."""

    columns: ColumnFinder
    skips: Skips
    pictures: PictureReader
    positions: ChoicePositions

    def key(self, record: Record, number: int) -> str:
        """The key that the rows of a group share; empty where a row is a group by itself."""
        if size := self.columns.given.get("rows", ""):
            if not size.isdecimal() or int(size) < 2:
                raise SourceError(f"rows={size} is no number of rows", hint="--columns rows=2 pairs rows in turn")
            place = record.key if isinstance(record.key, int) else number
            first = record.place.rpartition(", ")[2].startswith("row ")  # tables count from 1, records from 0
            return f"{self._stem(record)}{(place - first) // int(size)}"
        if not self.columns.find(tuple(record.content))["group"]:
            return ""
        key = text_of(self.columns.value(record.content, "group", record.place))
        if not key:
            raise _empty(record, "group", self.columns.terms(record.content, "group")[0])
        return f"{self._stem(record)}{key}"

    def row(self, number: int, record: Record, folder: str) -> _Row:
        """The members that a row adds to its group."""
        value = partial(self.columns.value, record.content, place=record.place)
        own = self._stem(record) + (text_of(value("id")) or str(number))
        picture = partial(self.pictures.read, record, folder=folder)
        contents = self._contents(record)
        members = [
            member for content in contents for member in self._members(own, content, record, picture, len(contents) > 1)
        ]
        if not members:
            raise SourceError(f"{record.place} has no text", hint="--columns question=… or caption=… names its column")
        relation, is_given = text_of(value("relation")).lower(), "relation" in self.columns.given
        if relation and relation not in _RELATIONS and (is_given or self._has_key(record)):
            fact = f"{record.place}, column {self.columns.terms(record.content, 'relation')[0]}: {short_repr(relation)}"
            raise SourceError(f"{fact} is none of {_LISTED}", hint="--columns relation='same' gives one to all")
        known = relation if relation in _RELATIONS else ""
        return _Row(own, members, known, text_of(value("kind")), text_of(value("test")), record.place)

    def group(self, key: str, rows: Sequence[_Row]) -> ReadyGroup:
        """The group of some rows, its base first; raises a SourceError where it contradicts its relation."""
        place = f"{rows[0].place}, group {key}" if len(rows) > 1 else rows[0].place
        members = self._ordered([member for row in rows for member in row.members], place)
        relations = {row.relation for row in rows}
        if len(relations) > 1:
            raise SourceError(f"{place} has the relations {' and '.join(sorted(relations))}", hint="a group has one")
        scored = members[0].query.mode is Mode.SCORE
        relation = Relation(relations.pop() or _default_relation(members, place))
        if (size := self.columns.given.get("rows")) and len(rows) != int(size):
            raise SourceError(f"{place} has {len(rows)} rows of {size}", hint="the others could not be read")
        if len(members) == 1 and relation is not Relation.GOLD:
            raise SourceError(f"{place} has one member", hint=f"a group of the relation {relation} has at least two")
        if scored != (relation is Relation.RANKS):
            what = "captions" if scored else "questions"
            raise SourceError(
                f"{place} has {what} and the relation {relation}", hint="captions have ranks, and only they"
            )
        _check_gold(relation, [member.gold for member in members], place)
        first = rows[0]
        group = Group(
            relation,
            tuple(member.query for member in members),
            tuple(member.gold for member in members),
            proof=f"as annotated in {first.place}",
            kind=first.kind,
            tags=tuple(member.tags for member in members),
            test=first.test,
        )
        return ReadyGroup(key, lambda: group)

    def _ordered(self, members: list[_Member], place: str) -> list[_Member]:
        """The members of a group, the base first, by their roles where these are given."""
        if not any(member.role for member in members):
            return members
        given = self.columns.given.get("base", "")
        base = (constant_of(given) or given).lower()
        bases = [member for member in members if member.role.lower() in ((base,) if base else BASES)]
        if all(member.role.isdecimal() for member in members) and not base:
            bases = [min(members, key=lambda member: int(member.role))]
        if len(bases) != 1:
            roles = ", ".join(member.role or "none" for member in members)
            fact = f"{place} has {'no base' if not bases else 'several bases'}: its roles are {roles}"
            raise SourceError(fact, hint="--columns base='…' gives the role of the base")
        others = [member for member in members if member is not bases[0]]
        if all(member.role.isdecimal() for member in others):
            others.sort(key=lambda member: int(member.role))
        return [bases[0], *others]

    def _has_key(self, record: Record) -> bool:
        return bool("rows" in self.columns.given or self.columns.find(tuple(record.content))["group"])

    def _stem(self, record: Record) -> str:
        """What comes before ids where several files are read, since ids are unique only in one."""
        return f"{record.content[FILE]}/" if FILE in record.content else ""

    def _contents(self, record: Record) -> list[Content]:
        """A record itself, and one more content for each variant in its list; a text stands for the question."""
        if "variants" not in self.columns.given:
            return [record.content]
        term = self.columns.given["variants"]
        listed = parse_nested(self.columns.value(record.content, "variants", record.place))
        if not isinstance(listed, list) or not listed:
            raise SourceError(
                f"{record.place}, column {term}: {short_repr(listed)} is no list", hint="variants=… is one"
            )
        role = "caption" if self._is_caption(record.content) else "question"
        text = self.columns.given.get(role) or self.columns.find(tuple(record.content))[role] or role
        contents: list[Content] = []
        for element in listed:
            if isinstance(element, list):
                element = {str(place): cell for place, cell in enumerate(element)}
            contents.append({**record.content, **(element if isinstance(element, dict) else {text: element})})
        return [self._own_content(record, role, contents), *contents]

    def _own_content(self, record: Record, role: str, variants: Sequence[Content]) -> Content:
        """A record whose columns are given by their places in a variant, with its own under usual names there.

        It stays as it is, and so has no question, where it lacks one of them or its text is among the variants.
        """
        given, value = self.columns.given, partial(self.columns.value, role=role)
        unnamed = [name for name in given if name in GROUPS.names and self.columns.value(record.content, name) is None]
        if role not in unnamed:
            return record.content
        finder = ColumnFinder(GROUPS, {name: term for name, term in given.items() if name not in unnamed})
        named = {given[name]: finder.value(record.content, name) for name in unnamed}
        own = {**record.content, **named}
        if None in named.values() or text_of(value(own)) in {text_of(value(variant)) for variant in variants}:
            return record.content
        return own

    def _is_caption(self, content: Content) -> bool:
        """Whether the text of a row is a caption, to be scored, and no question."""
        found, given = self.columns.find(tuple(content)), self.columns.given
        if mode := text_of(self.columns.value(content, "mode")):
            return mode == Mode.SCORE
        only_caption = bool(found["foil"] or not found["question"] or ("caption" in given and "question" not in given))
        return bool(found["caption"]) and only_caption

    def _members(
        self, own: str, content: Content, record: Record, picture: Callable[[Any], Picture], is_variant: bool
    ) -> Iterator[_Member]:
        """The queries of one content: one for each of the columns that a role was given."""
        cells = partial(self.columns.values, content, place=record.place)
        is_caption = self._is_caption(content)
        role = "caption" if is_caption else "question"
        columns = self.columns.terms(content, role) or self.columns.terms(content, "question")
        texts = [without_picture_mark(text_of(cell)) for cell in cells(role) or cells("question")]
        foils = [foil for cell in cells("foil") for foil in texts_of(cell)] if is_caption else []
        words = [text_of(self.columns.value(content, name, record.place)) for name in ("word", "foil_word")]
        texts, columns = [*texts, *foils], [*columns, *["foil"] * len(foils)]
        if is_caption and self.columns.find(tuple(content))["foil"] and not foils:
            raise _empty(record, "foil", self.columns.terms(content, "foil")[0])
        choices = self._choices(content, record)
        if names_other_picture((*texts, *(choice for offered in choices for choice in offered))):
            raise SourceError(f"{record.place} names a second picture", hint="a question is about one")
        if not is_caption and not any(choices):
            texts, choices = self._lettered(content, texts)
        pictures, contexts = cells("picture"), [text_of(cell) for cell in cells("context")]
        ids = [text_of(cell) for cell in cells("id")]
        golds = [None] * len(texts) if is_caption and not self._says(content) else self._golds(content, record, choices)
        if len(texts) == 1 and (order := self.columns.given.get("orders")):
            choices = _orders(order, choices[0], record)
        if not texts or (is_variant and content is record.content and not texts[0]):
            return
        lists = {role: texts, "answer": golds, "image": pictures, "choices": choices, "context": contexts, "id": ids}
        count = max(len(cells) for cells in lists.values())
        for name, listed in lists.items():
            if len(listed) not in (0, 1, count):
                fact = f"{record.place}: {name} has {len(listed)} columns, and others have {count}"
                raise SourceError(fact, hint="give each role one column, or one for each query of the group")
        tags = self.columns.tags(content, record.place)
        for place in range(count):
            text = _at(texts, place)
            if not text:
                column = _at(columns, place)
                if not place and not is_variant:
                    raise _empty(record, role, column)
                self.skips.skip(_EMPTY, f"{record.place}, column {column}", "the rest of the group is kept")
                continue
            shown = picture(_at(pictures, place) if pictures else None)
            mode = Mode.SCORE if is_caption else Mode.ANSWER
            query = Query(shown, text, mode, _at(choices, place) or (), _at(contexts, place) or "")
            name = f"{own}-{place}" if count > 1 else own
            if len(ids) > 1 and ids[place]:
                name = f"{self._stem(record)}{ids[place]}"
            word = words[min(place, 1)]
            about = ("id" if is_caption else "question", name)
            role_cell = text_of(self.columns.value(content, "role", record.place))
            yield _Member(query, _at(golds, place), _joined_tags(record, word, about, tags), role_cell)

    def _lettered(self, content: Content, texts: list[str]) -> tuple[list[str], list[tuple[str, ...]]]:
        """The texts without the options that they list, and these, where the answers of a row are letters."""
        cells = self.columns.values(content, "answer")
        if not cells or not all(map(is_letter, cells)):
            return texts, [()]
        split = [split_options(text) for text in texts]
        return [text for text, _ in split], [options for _, options in split]

    def _says(self, content: Content) -> bool:
        return bool({"answer", "truth", "votes"} & self.columns.given.keys())

    def _golds(self, content: Content, record: Record, choices: Sequence[tuple[str, ...]]) -> list[Gold | None]:
        """The gold of each answer; a letter is one of the choices in the same place, or of the first."""
        role, golds = self._answer_role(content), list[Gold | None]()
        for place, (cell, offered) in enumerate(self._offered(content, record, choices)):
            if role == "truth":
                right = parse_truth(cell)
            else:
                first = self.positions.first(cell, offered)
                right = parse_answers(cell, offered, votes=role == "votes", first=first)
            if right is None and cell not in (None, "", []):
                fact = f"{record.place}, column {self.columns.terms(content, role)[place]}: {short_repr(cell)}"
                raise SourceError(f"{fact} is no {'truth value' if role == 'truth' else 'answer'}")
            golds.append(None if right is None else right.gold if offered else _lowered(right.gold))
        return golds

    def offered_answers(self, record: Record) -> OfferedAnswers:
        """The answers of a row, each with its choices; none where they say whether a statement is true."""
        for content in self._contents(record):
            if self._answer_role(content) != "truth":
                yield from self._offered(content, record, self._choices(content, record))

    def _choices(self, content: Content, record: Record) -> list[tuple[str, ...]]:
        cells = self.columns.values(content, "choices", record.place)
        return [choices_of(cell, content) for cell in cells or [None]]

    def _answer_role(self, content: Content) -> str:
        found = self.columns.find(tuple(content))
        return next((role for role in ("truth", "votes", "answer") if found[role]), "answer")

    def _offered(
        self, content: Content, record: Record, choices: Sequence[tuple[str, ...]]
    ) -> list[tuple[Any, tuple[str, ...]]]:
        """Each cell of an answer with the choices in the same place, or with the first ones."""
        cells = self.columns.values(content, self._answer_role(content), record.place)
        same = len(choices) == len(cells)
        return [(cell, choices[place] if same else choices[0]) for place, cell in enumerate(cells)]


def _joined_tags(record: Record, word: str, about: tuple[str, str], tags: Tags) -> Tags:
    """The tags of a query, each name once: the changed word, the id, and those that people gave."""
    joined = ({"word": word} if word else {}) | dict([about])
    for name, text in tags:
        if joined.setdefault(name, text) != text:
            fact = f"{record.place}: a tag called {name} is there already, with the value {short_repr(joined[name])}"
            raise SourceError(fact, hint="give the column another name")
    return tuple(joined.items())


def _at(values: Sequence[Any], place: int) -> Any:
    """The value in a place; the only value stands in every place."""
    return values[place if len(values) > 1 else 0] if values else None


def _lowered(gold: Gold) -> Gold:
    """Yes and no in lower case, as they are taken from replies to questions without choices."""
    if not any(answer.lower() in ("yes", "no") for answer, _ in gold.answers):
        return gold
    lowered = ((answer.lower() if answer.lower() in ("yes", "no") else answer, share) for answer, share in gold.answers)
    return Gold(tuple(lowered))


def _orders(name: str, choices: tuple[str, ...], record: Record) -> list[tuple[str, ...]]:
    """The choices in several orders: all rotations, or as they are and reversed."""
    if len(choices) < 2:
        raise SourceError(f"{record.place} has no choices", hint="--columns choices=… names their column, or A, B, C")
    if name == "circular":
        return [choices[start:] + choices[:start] for start in range(len(choices))]
    if name == "reversed":
        return [choices, choices[::-1]]
    raise SourceError(f"orders={name} is no order of choices", hint="orders=circular or orders=reversed")


def _empty(record: Record, role: str, column: str) -> SourceError:
    return SourceError(
        f"{record.place}, column {column}: there is no {role}", hint=f"--columns {role}=… names a column"
    )


def _default_relation(members: Sequence[_Member], place: str) -> Relation:
    if members[0].query.mode is Mode.SCORE:
        return Relation.RANKS
    if len(members) == 1:
        return Relation.GOLD
    raise SourceError(f"{place} has no relation", hint=f"--columns relation='same' gives one to all: {_LISTED}")


def _check_gold(relation: Relation, golds: Sequence[Gold | None], place: str) -> None:
    """Raise where right answers contradict the relation, or where a group of gold has none."""
    known = [gold for gold in golds if gold]
    if relation is Relation.GOLD and not known:
        raise SourceError(f"{place} has no answer", hint="--columns answer=… names its column")
    answers = [{_as_read(answer) for answer, _ in gold.answers} for gold in known]
    if relation is Relation.SAME and known and not set.intersection(*answers):
        fact = f"{place}: the answers {' and '.join(gold.best for gold in known)} are not the same"
        raise ContradictionError(fact, hint="relation='differs' or 'gold' has other answers")
    best = [_as_read(gold.best) for gold in known]
    if relation is Relation.DIFFERS and len(known) == len(golds) and best[0] in best[1:]:
        fact = f"{place}: the answer {known[0].best} does not differ"
        raise ContradictionError(fact, hint="relation='same' or 'gold' has equal answers")


def _as_read(answer: str) -> str:
    """An answer as replies are read: "Red" is "red", and "two" is "2"."""
    return normalize_number(normalize(answer)) or answer
