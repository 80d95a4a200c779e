"""Antecedents of `coreference` beside those of people: `python -m benchmarks.antecedents FILE… [--visdial OUT]`.

Files are those of VisPro (Yu et al., EMNLP 2019), `data/*.vispro.1.1.jsonlines`: dialogues of VisDial in which people
marked what each pronoun refers to. Printed is in how many turns that the suite would take they marked the noun of the
caption that it takes for the antecedent. `--visdial` writes the dialogues in the layout of VisDial, to generate from.
`--without FILE`, in that layout, leaves out the dialogues about its pictures.
"""

import argparse
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from counterpoint.core.items import Dialogue, Turn
from counterpoint.core.pictures import Picture
from counterpoint.language.english import singular
from counterpoint.suites.valse.coreference import PronounTurn, pronoun_turns, pronouns


@dataclass(frozen=True, slots=True)
class MarkedDialogue:
    """A dialogue, the place of each question among its tokens, and the phrases that people marked for each pronoun."""

    dialogue: Dialogue
    questions: Sequence[tuple[int, Sequence[str]]]  # where it begins, and its tokens
    marked: dict[int, list[frozenset[str]]]  # words of phrases by the place of the pronoun

    def agreement(self) -> Iterator[tuple[bool, str]]:
        """Whether people marked each antecedent that the suite takes, and the case in words."""
        for turn in pronoun_turns(self.dialogue):
            if isinstance(turn, PronounTurn):
                start, tokens = self.questions[turn.turn]
                for word, noun in zip(dict.fromkeys(pronouns(turn.question)), turn.antecedents, strict=False):
                    if word in tokens:
                        phrases = self.marked.get(start + tokens.index(word), [])
                        same = any(noun in (token, singular(token)) for phrase in phrases for token in phrase)
                        yield same, f"{turn.text} {word}: {noun}"


def main() -> None:
    """Read the files, and print how often the suite's antecedents are those of people."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--visdial", type=Path)
    parser.add_argument("--without", type=Path)
    given = parser.parse_args()
    dialogues = list(read_dialogues(given.files, given.without))
    cases = [case for dialogue in dialogues for case in dialogue.agreement()]
    same = sum(same for same, _ in cases)
    print(f"{len(dialogues)} dialogues, {same} of {len(cases)} antecedents as people marked them")
    for _, case in (case for case in cases if not case[0]):
        print(f"  {case}")
    if given.visdial:
        given.visdial.write_text(json.dumps(visdial_layout([one.dialogue for one in dialogues])))


def read_dialogues(files: Sequence[Path], without: Path | None) -> Iterator[MarkedDialogue]:
    """The dialogues of files, one for each picture."""
    known = {str(one["image_id"]) for one in json.loads(without.read_text())["data"]["dialogs"]} if without else set()
    for line in (line for file in files for line in file.read_text().splitlines()):
        record = json.loads(line)
        number = str(int(re.findall(r"\d+", record["image_file"])[-1]))
        if number not in known:
            known.add(number)
            yield marked_dialogue(number, record)


def marked_dialogue(number: str, record: Any) -> MarkedDialogue:
    """A record of VisPro: a caption, then questions and answers."""
    sentences, speakers = record["sentences"], [names[0] for names in record["speakers"]]
    starts = [sum(map(len, sentences[:place])) for place in range(len(sentences))]
    pairs = [place for place in range(1, len(sentences) - 1) if speakers[place : place + 2] == ["question", "answer"]]
    turns = tuple(Turn(written(sentences[place]), written(sentences[place + 1])) for place in pairs)
    tokens = [token.lower() for sentence in sentences for token in sentence]
    return MarkedDialogue(
        Dialogue(number, Picture(f"visdial:{record['image_file']}"), written(sentences[0]), turns),
        [(starts[place], [token.lower() for token in sentences[place]]) for place in pairs],
        {
            pronoun["current_pronoun"][0]: [frozenset(tokens[a : b + 1]) for a, b in pronoun["correct_NPs"]]
            for pronoun in record["pronoun_info"]
        },
    )


def written(tokens: Sequence[str]) -> str:
    """Tokens as a line of VisDial, in lower case and without its last mark."""
    joined = re.sub(r" (n't|'s|'re|'m|'ve|'ll|'d)\b", r"\1", " ".join(tokens))
    return re.sub(r" ([.,?!])", r"\1", joined).rstrip("?. ").lower()


def visdial_layout(dialogues: Sequence[Dialogue]) -> dict[str, Any]:
    """Dialogues as VisDial's file has them, without further candidates of answers."""
    questions = {turn.question: None for dialogue in dialogues for turn in dialogue.turns}
    answers = {turn.answer: None for dialogue in dialogues for turn in dialogue.turns}
    asked, said = ({text: number for number, text in enumerate(texts)} for texts in (questions, answers))
    listed = [
        {
            "image_id": int(dialogue.id),
            "caption": dialogue.caption,
            "dialog": [{"question": asked[turn.question], "answer": said[turn.answer]} for turn in dialogue.turns],
        }
        for dialogue in dialogues
    ]
    data = {"questions": list(questions), "answers": list(answers), "dialogs": listed}
    return {"version": "1.0", "split": "val2018", "data": data}


if __name__ == "__main__":
    main()
