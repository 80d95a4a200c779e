"""Families of suites: those of one paper or from one kind of item, which one call of `generate` makes together."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from counterpoint.suites.balanced_sampling import Quota
from counterpoint.suites.carets.question_kinds import KINDS


@dataclass(frozen=True, slots=True)
class SuiteFamily:
    """Suites that are made together, by their names in the catalog, in the order of their paper where there is one.

    A suite of a family is what it would be if it were made alone. By default the suites are made in turn, and items
    that several take are read once; a suite that the source cannot serve is reported with the reason, and it is an
    error if none can be made. An option (`suites.suite.OPTIONS`) reaches those suites that take it.
    """

    name: str
    title: str
    suites: tuple[str, ...]
    single_pass: bool = False  # all take scenes, so that one walk over them serves all (lab.suite_shards)
    questions_from: str = ""  # the suite made first; where a limit is set, the others take the questions that it keeps
    sizes: Mapping[str, Quota] = field(default_factory=dict)  # the groups of each suite in the paper
    renamable: bool = False  # whether its suites can be stored as NAME-suite
    kinds: tuple[str, ...] = ()  # rows of the summary, where it is a table of kinds by suites


_CARETS_SIZES = {
    "rephrase": Quota(10_000, 9_412),
    "order": Quota(5_000, 9_412),
    "ontology": Quota(13_952, 0),
    "visual": Quota(18_000, 8_272),  # an original of this test has five pairs, one for each edit
    "negation": Quota(10_000, 0),
    "antonym": Quota(5_000, 0),
}
"""Originals of each test (CARETS, Table 6)."""

carets = SuiteFamily(
    "carets", "The six tests of CARETS", tuple(_CARETS_SIZES), single_pass=True, sizes=_CARETS_SIZES, kinds=KINDS
)
valse = SuiteFamily(
    "valse",
    "The seven pieces of VALSE",
    ("existence", "plurality", "counting", "relations", "actions", "coreference", "objects"),
)
beyond_accuracy = SuiteFamily(
    "beyond-accuracy",
    "The suites of Beyond Accuracy",
    ("plain", "question-bias", "picture-bias", "blind-controls", "noise", "feature-noise", "sears", "word-noise"),
    questions_from="plain",
    renamable=True,
)
questions = SuiteFamily(
    "questions",
    "Groups from questions alone",
    (
        "plain",
        "negated-questions",
        "antonym-questions",
        "reordered-questions",
        "rephrased-questions",
        "rad-counterfactuals",
        "sears",
        "word-noise",
        "pictures-changed",
    ),
    renamable=True,
)
