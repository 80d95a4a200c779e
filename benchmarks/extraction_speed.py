"""Seconds that extraction rules take, for usual and hostile replies: `python -m benchmarks.extraction_speed`.

Time is that of the process. Twice the text takes about twice the time, up to the limit of characters that are read.
"""

import json
from pathlib import Path
from time import process_time

from counterpoint.core.groups import Query
from counterpoint.language.answers.extraction import extract_answer
from counterpoint.language.answers.final_answer import MAX_CHARACTERS

REPLIES = Path(__file__).parents[1] / "tests/language/answers/replies_tuning.jsonl"
SIZES = (4_000, 8_000, 16_000, 32_000, 1_000_000)
HOSTILE = ("*", "no ", "1 or ", "sorry, ", "answer: ", "\\boxed{", '{"', "not any ", "\n", "red or blue ")
QUERIES = (
    Query(None, "Is there a dog?"),
    Query(None, "How many dogs are there?"),
    Query(None, "What is on the table?"),
    Query(None, "Which one?", choices=("red", "blue")),
)


def main() -> None:
    """Print microseconds for a usual reply, and seconds for the slowest question of each hostile one."""
    records = [json.loads(line) for line in REPLIES.read_text("utf-8").splitlines()]
    usual = [(record["reply"], Query(None, record["question"], choices=tuple(record["choices"]))) for record in records]
    start = process_time()
    for reply, query in usual:
        extract_answer(reply, query)
    print(f"{len(usual)} written replies: {(process_time() - start) / len(usual) * 1e6:,.0f} µs each")
    print(f"seconds for replies of so many characters, of which {MAX_CHARACTERS:,} are read")
    print(f"{'repeated':>14}" + "".join(f"{size:>11,}" for size in SIZES))
    for piece in HOSTILE:
        times = [max(_seconds(piece * (size // len(piece)), query) for query in QUERIES) for size in SIZES]
        print(f"{piece!r:>14}" + "".join(f"{seconds:>11.3f}" for seconds in times))


def _seconds(reply: str, query: Query) -> float:
    start = process_time()
    extract_answer(reply, query)
    return process_time() - start


if __name__ == "__main__":
    main()
