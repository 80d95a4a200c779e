"""Two examples of each command, which its help ends with; a test runs them."""

from collections.abc import Mapping

EXAMPLES: Mapping[str, tuple[str, str]] = {
    "ask": (
        'ask fusion world:test/000005.png "What color is the tree?"',
        'ask fusion bus.jpg "Is the bus red or blue?" --choices red,blue',
    ),
    "augment": (
        "augment lab --suite negation --suite rephrase --items 30 --limit 300 --layout chat --out lessons",
        "augment lab --suite negation --items 30 --layout vqa --no-pictures --out lessons-in-vqa",
    ),
    "baseline": ("baseline lab fusion", "baseline lab fusion@latest"),
    "check": ("check lab --suite existence", "check lab --suite negation --markdown"),
    "compare": (
        "compare lab fusion question-only",
        "compare lab fusion question-only --suite negation --metric accuracy --by kind",
    ),
    "data": ("data gqa", "data world --items 20"),
    "demo": ("demo", "demo --out first-look"),
    "doctor": ("doctor", "doctor --json"),
    "eval": ("eval --dry-run", "eval counterpoint.toml --limit 20"),
    "export": (
        "export lab --suite negation --layout lmms-eval --out tasks",
        "export lab --suite negation --layout datasets --no-pictures --out data",
    ),
    "export-site": ("export-site lab --out site", "export-site lab --suite negation --limit 20 --out site-of-negation"),
    "findings": ("findings lab --model fusion", "findings lab --model fusion --against question-only --markdown"),
    "gate": (
        'gate lab --model fusion --rule "accuracy >= 60 %"',
        'gate lab --model fusion --baseline question-only --rule "max drop on any suite <= 3 points" --junit gate.xml',
    ),
    "generate": (
        "generate lab --suite order --suite ontology --items 60 --limit 100",
        "generate lab --suite plain --source plain --data questions.csv --columns question=Q,answer=A,image=FILE",
    ),
    "history": ("history lab fusion", "history lab fusion --suite negation --metric accuracy"),
    "import": (
        "import lab answers.jsonl --name gpt-4v",
        "import lab answers.jsonl --name gpt-4v --version may --suite negation",
    ),
    "init": ("init --demo", "init --yes --suite negation --model fusion --out weekly.toml"),
    "label-errors": (
        "label-errors lab --suite negation",
        "label-errors lab --suite negation --model fusion --model question-only --model cnn-lstm --json",
    ),
    "leaderboard": ("leaderboard lab", "leaderboard lab --metric accuracy --metric self_consistency --markdown"),
    "list": ("list suites", "list models --json"),
    "ls": ("ls lab", "ls lab --json"),
    "paper beyond-accuracy": ("paper beyond-accuracy lab", "paper beyond-accuracy lab --model fusion --latex"),
    "paper carets": ("paper carets lab", "paper carets lab --table 1 --latex"),
    "paper contrast": ("paper contrast lab", "paper contrast lab --table 2 --markdown"),
    "paper rad": ("paper rad lab", "paper rad lab --model fusion --markdown"),
    "paper valse": ("paper valse lab", "paper valse lab --table 4 --markdown"),
    "pictures": ("pictures lab", "pictures lab plain=images"),
    "report": ("report lab --out report.html", "report lab --markdown --out weekly.html"),
    "rescore": ("rescore lab --rule normal", "rescore lab --rule free --model fusion --suite negation"),
    "review": (
        "review lab --suite negation --sample 30 --sheet reading.csv",
        'review lab --task judge --suite existence --invite "Ann Lee"',
    ),
    "run": (
        "run lab --model fusion",
        "run lab --model openai/my-model --base-url http://localhost:8000/v1 --limit 200 --dry-run",
    ),
    "sample-size": ("sample-size lab --detect 5", "sample-size lab --detect 2 --model fusion --suite negation"),
    "score": ("score lab", "score lab --model fusion --suite negation --metric accuracy --by kind"),
    "serve": ("serve lab --open", "serve lab --port 0 --model fusion"),
    "study blind": ("study blind lab --suite existence", "study blind lab --suite existence --model ngram --markdown"),
    "study plain": ("study plain constant random --items 5", "study plain fusion --items 20 --split shifted --kinds"),
    "study rad": ("study rad", "study rad --markdown"),
    "study rad-coverage": ("study rad-coverage --items 60", "study rad-coverage --items 60 --markdown"),
    "suite": ("suite lab existence --valid", "suite lab negation --correct --errata errata.json"),
    "translate": (
        "translate --items 200 --there apertium/eng-spa --back apertium/spa-eng --out back.csv",
        "translate --there hf/Helsinki-NLP/opus-mt-en-de --back hf/Helsinki-NLP/opus-mt-de-en --out back.csv",
    ),
    "verify": ("verify lab", "verify lab --write-digests lab.sha256"),
    "votes": ("votes lab", "votes lab --task note"),
    "words": ("words lab --suite existence", "words lab --suite existence --top 10 --out charts"),
    "world": ("world --items 20 --out scenes", "world --items 20 --split shifted --out shifted-scenes"),
}
"""The words of each command behind `counterpoint`, by its name."""


def examples_text(name: str) -> str:
    r"""The paragraph that shows the examples of a command, empty where it has none; \b keeps its lines.

    >>> print(examples_text("ls").replace("\b", "-"))
    -
    Examples:
      counterpoint ls lab
      counterpoint ls lab --json
    """
    lines = [f"  counterpoint {line}" for line in EXAMPLES.get(name, ())]
    return "\n".join(["\b", "Examples:", *lines]) if lines else ""
