"""Sentences about an action with two participants, and their foils: another verb, or the participants swapped."""

from dataclasses import dataclass, replace
from functools import cache

from counterpoint.core.errors import UnknownName
from counterpoint.core.items import Frame
from counterpoint.language.english import a, base_form, be, is_plural, sentence, third_person
from counterpoint.language.lexicon.senses import is_a
from counterpoint.language.lexicon.wordnet import Sense, lexicon
from counterpoint.suites.suite import GAP, Gap
from counterpoint.suites.valse.plausibility import listed_words, read_lists

_USUAL = 3  # senses of a verb that people mean by it


@dataclass(frozen=True, slots=True)
class ActionSentence:
    """An action with two participants; `preposition` stands before the second, if there is one.

    The tense is the present progressive, as in captions ("is chasing"), or the simple present, as in VALSE.
    """

    id: str
    agent: str
    verb: str  # as frames have it: "chasing"
    preposition: str
    other: str
    present: bool = False

    @property
    def text(self) -> str:
        """The sentence.

        >>> ActionSentence("7", "people", "unveiling", "", "prize").text
        'Some people are unveiling a prize.'
        >>> ActionSentence("8", "boy", "sitting", "on", "bench", present=True).text
        'A boy sits on a bench.'
        """
        return sentence(f"{a(self.agent)} {self.said} {a(self.other)}")

    @property
    def said(self) -> str:
        """Verb and preposition, in agreement with the agent."""
        if not self.present:
            return " ".join(filter(None, (be(self.agent), self.verb, self.preposition)))
        verb = infinitive(self.verb)
        return " ".join(filter(None, (verb if is_plural(self.agent) else third_person(verb), self.preposition)))

    @property
    def gap(self) -> Gap:
        """The sentence with a gap in place of the verb, for a masked language model to fill.

        >>> tuple(ActionSentence("8", "boy", "sitting", "on", "bench").gap)
        ('A boy is [MASK] a bench.', 'sitting on')
        """
        before, verb_phrase = a(self.agent), self.said
        if not self.present:
            before, verb_phrase = f"{before} {be(self.agent)}", verb_phrase.removeprefix(f"{be(self.agent)} ")
        return Gap(sentence(f"{before} {GAP} {a(self.other)}"), verb_phrase)

    @property
    def triple(self) -> tuple[str, str, str]:
        """Agent, verb and other participant."""
        return self.agent, self.verb, self.other

    def swapped(self) -> "ActionSentence":
        """The sentence with the participants swapped.

        >>> ActionSentence("7", "people", "unveiling", "", "prize", present=True).swapped().text
        'A prize unveils some people.'
        """
        return replace(self, agent=self.other, other=self.agent)

    def doing(self, other: "ActionSentence") -> "ActionSentence":
        """The sentence with the verb of another one."""
        return replace(self, verb=other.verb, preposition=other.preposition)


def read_action(frame: Frame) -> ActionSentence | str:
    """The agent of a frame, its verb, and the first other usable role, or the reason why there is no sentence."""
    agent = frame.role("agent")
    if agent is None:
        return "the frame has no agent"
    for role in frame.roles:
        name = role.name.lower()
        special: str | None = read_lists("actions")["prepositions"].get(f"{frame.verb} {name}")
        preposition = special if special is not None else read_lists("actions")["roles"].get(name)
        if role.name != "agent" and preposition is not None:
            return ActionSentence(frame.id, agent.noun, frame.verb, preposition, role.noun)
    return "the frame has nothing that the agent does it to"


@cache
def infinitive(verb: str) -> str:
    """The base form of a gerund, by rule or else by WordNet.

    >>> infinitive("chasing"), infinitive("strolling")
    ('chase', 'stroll')
    """
    verb_base, book = base_form(verb), lexicon()
    return verb_base if book.senses(verb_base, "v") else next(iter(book.base_forms(verb, "v")), verb_base)


@cache
def verbs_exclude(verb: str, other: str) -> bool:
    """Whether two actions exclude each other: no synonyms, no hyponyms, and not usually done together.

    >>> verbs_exclude("kicking", "throwing"), verbs_exclude("eating", "holding"), verbs_exclude("walking", "strolling")
    (True, False, False)
    """
    one, two = infinitive(verb), infinitive(other)
    if one == two:
        return False
    if two in lexicon().antonyms(one, "v") or one in lexicon().antonyms(two, "v"):
        return True
    if frozenset((verb, other)) not in _set_apart() and {verb, other} & listed_words("actions", "vague"):
        return False
    return not _related(one, two)


def is_mutual(verb: str) -> bool:
    """Whether an action is symmetric: both participants do it."""
    return verb in listed_words("actions", "mutual")


def are_alike(noun: str, other: str) -> bool:
    """Whether two nouns may name the same thing, so that swapping them may change nothing."""
    if noun == other:
        return True
    try:
        return is_a(noun, other) or is_a(other, noun)
    except UnknownName:
        return False


def _related(one: str, two: str) -> bool:
    """Whether two verbs share a sense, or one usual sense is a kind of another."""
    book = lexicon()
    first, second = book.senses(one, "v"), book.senses(two, "v")
    if set(first) & set(second):
        return True
    return any(_is_kind(x, y) or _is_kind(y, x) for x in first[:_USUAL] for y in second[:_USUAL])


def _is_kind(one: Sense, other: Sense) -> bool:
    return lexicon().is_kind_of(one, other)


@cache
def _set_apart() -> frozenset[frozenset[str]]:
    return frozenset(frozenset(pair.split("-")) for pair in listed_words("actions", "apart"))
