"""One question in other words, as different people would type it."""

import re
from random import Random

from counterpoint.language.english import be, question
from counterpoint.world.question_programs import QuestionDraft

_PATTERNS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    (
        "exist",
        r"(?:(?:is|are) there|do you see) (?P<x>.+?)(?: in this image| in this photo| there)?",
        (
            "{be} there {x}",
            "can you see {x}",
            "{be} there {x} in this photo",
            "do you see {x} here",
            "{be} there {x} anywhere",
        ),
    ),
    ("exist relation", r"(?P<be>is|are) there (?P<x>.+)", ("{be} there {x}", "can you see {x}", "do you see {x}")),
    (
        "verify color",
        r"(?P<be>is|are) (?P<x>the .+) (?P<v>\w+)",
        ("{be} {x} {v}", "would you say {x} {be} {v}", "is {v} the color of {x}", "is the color of {x} {v}"),
    ),
    (
        "verify material",
        r"(?P<be>is|are) (?P<x>the .+) made of (?P<v>\w+)",
        (
            "{be} {x} made of {v}",
            "{be} {x} made out of {v}",
            "is {v} what {x} {be} made of",
            "does it look like {x} {be} made of {v}",
        ),
    ),
    (
        "verify state",
        r"(?P<be>is|are) (?P<x>the .+?) (?P<v>turned \w+|\w+)",
        (
            "{be} {x} {v}",
            "would you say {x} {be} {v}",
            "does it look like {x} {be} {v}",
            "can you see that {x} {be} {v}",
        ),
    ),
    (
        "verify pose",
        r"(?P<be>is|are) (?P<x>the .+) (?P<v>\w+)",
        ("{be} {x} {v}", "{be} {x} {v} in this photo", "does it look like {x} {be} {v}", "would you say {x} {be} {v}"),
    ),
    (
        "verify relation",
        r"is (?P<x>the .+) wearing (?P<y>.+)",
        ("is {x} wearing {y}", "does {x} wear {y}", "does {x} have {y} on", "can you see {y} on {x}"),
    ),
    (
        "verify relation",
        r"(?P<be>is|are) (?P<x>the .+)",
        ("{be} {x}", "{be} {x} in this photo", "can you tell me: {be} {x}", "looking at this photo, {be} {x}"),
    ),
    (
        "verify place",
        r"(?:is this|was this picture taken (?:in|on|at)) (?:a|an|the) (?P<x>.+)",
        ("is this a {x}", "does this look like a {x}", "is a {x} shown here", "are we looking at a {x}"),
    ),
    (
        "verify weather",
        r"is (?:it|the weather) (?P<x>.+)",
        ("is it {x}", "is it {x} in this photo", "does it look like it is {x}", "would you say it is {x}"),
    ),
    (
        "choose color",
        r"(?P<be>is|are) (?P<x>the .+?) (?P<v>\w+ or \w+)",
        ("{be} {x} {v}", "what color {be} {x}, {v}", "would you say {x} {be} {v}", "which color {be} {x}, {v}"),
    ),
    (
        "choose state",
        r"(?P<be>is|are) (?P<x>the .+?) (?P<v>(?:turned )?\w+ or (?:turned )?\w+)",
        ("{be} {x} {v}", "would you say {x} {be} {v}", "{be} {x} {v} in this photo"),
    ),
    (
        "choose pose",
        r"(?P<be>is|are) (?P<x>the .+?) (?P<v>\w+ or \w+)",
        ("{be} {x} {v}", "what {be} {x} doing, {v}", "{be} {x} {v} in this photo"),
    ),
    (
        "choose side",
        r"(?P<be>is|are) (?P<x>the .+?) (?:on|in) the (?P<v>\w+) or (?:on|in) the (?P<w>\w+) .*",
        (
            "{be} {x} on the {v} or on the {w}",
            "is it the {v} or the {w} side that {x} {be} on",
            "{be} {x} on the {v} or {w} of the photo",
        ),
    ),
    (
        "query color",
        r"(?:what|which) (?:color (?P<be>is|are)|is the color of) (?P<x>the .+)",
        (
            "what color {be} {x}",
            "what is the color of {x}",
            "{x} {be} what color",
            "which color {be} {x}",
            "what color {be} {x} in this photo",
        ),
    ),
    (
        "query material",
        r"what (?:material )?(?P<be>is|are) (?P<x>the .+) made of",
        (
            "what {be} {x} made of",
            "what {be} {x} made out of",
            "what material {be} {x} made of",
            "{x} {be} made of what",
        ),
    ),
    (
        "query activity",
        r"what is (?P<x>the .+) doing",
        (
            "what is {x} doing",
            "what is {x} doing in this photo",
            "what do you see {x} doing",
            "can you tell what {x} is doing",
        ),
    ),
    (
        "query side",
        r"(?:on )?which side of the (?:photo|image) (?P<be>is|are) (?P<x>the .+?)(?: on)?",
        ("which side of the photo {be} {x} on", "on what side of the photo {be} {x}", "{x} {be} on which side"),
    ),
    (
        "query support",
        r"what (?P<be>is|are) (?P<x>the .+) on",
        ("what {be} {x} on", "where {be} {x}", "what {be} {x} on top of", "{x} {be} on what"),
    ),
    (
        "query name",
        r"what is (?P<v>on|under|behind|in front of|to the left of|to the right of) (?P<x>the .+)",
        ("what is {v} {x}", "what do you see {v} {x}", "what can be seen {v} {x}", "what thing is {v} {x}"),
    ),
    (
        "query name",
        r"who is (?P<v>.+)",
        ("who is {v}", "who can be seen {v}", "who is it that is {v}", "who in this photo is {v}"),
    ),
    (
        "query name",
        r"(?P<w>what(?: kind of \w+)?) is (?P<x>the .+) (?P<v>\w+ing(?: from| on| on his legs| on her legs)?)",
        ("{w} is {x} {v}", "{w} do you see {x} {v}", "{w} is {x} {v} in this photo", "{w} is it that {x} is {v}"),
    ),
    (
        "query name",
        r"(?P<w>(?:what|which) kind of \w+) is (?P<x>.+)",
        ("what kind of {k} is {x}", "what {k} is {x}", "what type of {k} is {x}"),
    ),
    (
        "count",
        r"how many (?P<x>.+?) (?:are there|do you see|are in this image)",
        (
            "how many {x} are there",
            "how many {x} are in this photo",
            "how many {x} can you see",
            "how many {x} do you count",
        ),
    ),
    (
        "count",
        r"how many (?P<x>.+?) are on (?P<y>.+)",
        ("how many {x} are on {y}", "how many {x} do you see on {y}", "how many {x} are there on {y}"),
    ),
)
_RULES = tuple((kind, re.compile(pattern), templates) for kind, pattern, templates in _PATTERNS)
_WHERE_INDOORS = (
    "what room is this",
    "which room of the house is this",
    "where was this photo taken",
    "what kind of room is shown",
)
_WHERE_OUTDOORS = ("where was this photo taken", "what kind of place is this", "where is this", "what place is shown")
_WEATHER = (
    "how is the weather",
    "what is the weather like",
    "what kind of weather is it",
    "what is the weather in this photo",
)


def phrasings(draft: QuestionDraft, rng: Random, many: int = 3) -> tuple[str, ...]:
    """Several ways of asking what a draft asks, or none where we know too few."""
    options = _fixed(draft) or _worded(draft)
    chosen = rng.sample(options, min(many, len(options)))
    return tuple(question(text) for text in chosen) if len(chosen) == many else ()


def _fixed(draft: QuestionDraft) -> list[str]:
    if draft.kind == "query place":
        return list(_WHERE_INDOORS if draft.answer in ("kitchen", "living room", "bedroom") else _WHERE_OUTDOORS)
    return list(_WEATHER) if draft.kind == "query weather" else []


def _worded(draft: QuestionDraft) -> list[str]:
    text = draft.texts[0].removesuffix("?")
    text = text[:1].lower() + text[1:]
    for kind, pattern, templates in _RULES:
        match = pattern.fullmatch(text) if kind == draft.kind else None
        if match:
            return _filled(templates, match.groupdict())
    return []


def _filled(templates: tuple[str, ...], parts: dict[str, str | None]) -> list[str]:
    x = parts.get("x") or ""
    verb = parts.get("be") or be(x.split(" on ")[0].removeprefix("any ").removeprefix("the "))
    k = (parts.get("w") or "").rpartition(" ")[2]
    given = {name: value for name, value in parts.items() if value}
    return [template.format(**{**given, "be": verb, "k": k}) for template in templates]
