"""The texts of the world in the layouts of the official files, so that readers of those files read the world too.

Values in, dictionaries that can be written as JSON out. Pictures are numbered by split and index, as those files want.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from counterpoint.core.ids import content_id
from counterpoint.core.items import Caption, Dialogue, Frame, Question, Turn
from counterpoint.core.pictures import Picture, Size
from counterpoint.core.scenes import Scene
from counterpoint.language.lexicon.senses import sense_of
from counterpoint.world.scene_building import SPLITS

Json: TypeAlias = dict[str, Any]
"""A JSON object."""

_SPLIT_SIZE = 10_000_000
_INFO = {
    "description": "The built-in world of Counterpoint",
    "url": "",
    "version": "1.0",
    "year": 2026,
    "contributor": "",
    "date_created": "",
}
_LICENSE = {"url": "", "name": "Apache-2.0", "id": 1}
_QUESTION_TYPES = (
    *("what color is the", "what color are the", "what kind of", "what is the", "what are the", "what animal is"),
    *("what type of", "what room is", "what is on the", "what color", "what is", "what are", "what"),
    *(
        "how many people are in",
        "how many people are",
        "how many",
        "how",
        "is there a",
        "is there",
        "is the man",
        "is the woman",
    ),
    *(
        "is the person",
        "is this a",
        "is this",
        "is the",
        "is it",
        "is",
        "are there any",
        "are there",
        "are the",
        "are they",
        "are",
    ),
    *(
        "does the",
        "does this",
        "do you",
        "do",
        "can you",
        "could",
        "where is the",
        "where are the",
        "where",
        "which",
        "who is",
        "who",
    ),
)


def image_number(picture: Picture) -> int:
    """A whole number for a picture: its split, then its index; for pictures from elsewhere a hash of the address."""
    split, _, name = picture.path.partition("/")
    index = name.partition(".")[0]
    if split in SPLITS and index.isdecimal():
        return (list(SPLITS).index(split) + 1) * _SPLIT_SIZE + int(index)
    return content_id(picture.address) % 2**31


def gqa_scene_graphs(scenes: Iterable[Scene]) -> Json:
    """`*_sceneGraphs.json`: scene graphs by image id; an object's relations point away from it."""
    return {scene.id: _scene_graph(scene) for scene in scenes}


def _scene_graph(scene: Scene) -> Json:
    graph: Json = {"width": scene.size.width, "height": scene.size.height}
    if scene.place:
        graph["location"] = scene.place
    if scene.weather:
        graph["weather"] = {"name": scene.weather, "type": scene.weather}
    graph["objects"] = {
        thing.id: {
            "name": thing.name,
            "x": thing.box.x if thing.box else 0,
            "y": thing.box.y if thing.box else 0,
            "w": thing.box.width if thing.box else 0,
            "h": thing.box.height if thing.box else 0,
            "attributes": list(thing.attributes),
            "relations": [{"object": link.object, "name": link.name} for link in scene.relations_of(thing.id)],
        }
        for thing in scene.objects
    }
    return graph


def vqa_questions_file(questions: Iterable[Question], split: str = "") -> Json:
    """`v2_OpenEnded_…_questions.json`."""
    rows = [
        {"image_id": image_number(question.picture), "question": question.text, "question_id": number}
        for number, question in _numbered(questions)
    ]
    return {"info": _INFO, "license": _LICENSE, **_vqa_head(split), "task_type": "Open-Ended", "questions": rows}


def vqa_annotations_file(questions: Iterable[Question], split: str = "") -> Json:
    """`v2_…_annotations.json`: ten answers for each question, with the kinds of question and answer."""
    rows = [
        {
            "question_type": question_type(question.text),
            "multiple_choice_answer": question.gold.best,
            "answers": [
                {"answer": vote, "answer_confidence": "yes", "answer_id": place}
                for place, vote in enumerate(question.votes, start=1)
            ],
            "image_id": image_number(question.picture),
            "answer_type": answer_type(question.gold.best),
            "question_id": number,
        }
        for number, question in _numbered(questions)
    ]
    return {"info": _INFO, "license": _LICENSE, **_vqa_head(split), "annotations": rows}


def _vqa_head(split: str) -> Json:
    return {"data_type": "world", "data_subtype": split}


def _numbered(questions: Iterable[Question]) -> Iterable[tuple[int, Question]]:
    """Questions with their numbers: that of the picture, then a running one."""
    seen: dict[int, int] = {}
    for question in questions:
        image = image_number(question.picture)
        seen[image] = seen.get(image, -1) + 1
        yield image * 1000 + seen[image], question


def question_type(text: str) -> str:
    """The words that a question begins with, as VQA groups them.

    >>> question_type("What color is the dog?"), question_type("Would you say it is red?")
    ('what color is the', 'none of the above')
    """
    low = text.lower() + " "
    fitting = [start for start in _QUESTION_TYPES if low.startswith(start + " ")]
    return max(fitting, key=len, default="none of the above")


def answer_type(answer: str) -> str:
    """The three kinds of answers that VQA reports apart."""
    if answer in ("yes", "no"):
        return "yes/no"
    return "number" if answer.isdecimal() else "other"


def coco_captions(captions: Sequence[Caption], sizes: Mapping[str, Size]) -> Json:
    """`captions_*.json`; `sizes` are those of the pictures, by address."""
    pictures = dict.fromkeys(caption.picture for caption in captions)
    images = [
        {
            "license": 1,
            "file_name": picture.path,
            "coco_url": "",
            "height": sizes[picture.address].height,
            "width": sizes[picture.address].width,
            "date_captured": "",
            "flickr_url": "",
            "id": image_number(picture),
        }
        for picture in pictures
    ]
    rows = [
        {"image_id": image_number(caption.picture), "id": number, "caption": caption.text}
        for number, caption in enumerate(captions, start=1)
    ]
    return {"info": _INFO, "licenses": [_LICENSE], "images": images, "type": "captions", "annotations": rows}


def visdial_file(dialogues: Sequence[Dialogue], split: str = "") -> Json:
    """`visdial_1.0_*.json`: questions and answers are listed once, and dialogues refer to their places."""
    questions = _places(turn.question for dialogue in dialogues for turn in dialogue.turns)
    answers = _places(
        option for dialogue in dialogues for turn in dialogue.turns for option in (turn.answer, *turn.options)
    )
    rows = [
        {
            "image_id": image_number(dialogue.picture),
            "caption": dialogue.caption,
            "dialog": [_turn(turn, questions, answers) for turn in dialogue.turns],
        }
        for dialogue in dialogues
    ]
    data = {"questions": list(questions), "answers": list(answers), "dialogs": rows}
    return {"version": "1.0", "split": split, "data": data}


def _turn(turn: Turn, questions: Mapping[str, int], answers: Mapping[str, int]) -> Json:
    return {
        "question": questions[turn.question],
        "answer": answers[turn.answer],
        "answer_options": [answers[option] for option in turn.options],
        "gt_index": turn.options.index(turn.answer),
    }


def _places(texts: Iterable[str]) -> dict[str, int]:
    return {text: place for place, text in enumerate(dict.fromkeys(texts))}


def swig_frames(frames: Iterable[Frame], sizes: Mapping[str, Size]) -> Json:
    """SWiG's files by picture: verb, boxes by role as two corners (-1 where there is none), three annotators' nouns.

    A picture is listed once for each verb, under SWiG's own kind of name: `riding_10000007.png`.
    """
    frames_by_picture: Json = {}
    for frame in frames:
        size = sizes[frame.picture.address]
        nouns = {role.name: noun_id(role.noun) for role in frame.roles}
        boxes = {
            role.name: [role.box.x, role.box.y, role.box.right, role.box.bottom] if role.box else [-1, -1, -1, -1]
            for role in frame.roles
        }
        row = {"verb": frame.verb, "height": size.height, "width": size.width, "bb": boxes, "frames": [nouns] * 3}
        frames_by_picture.setdefault(f"{frame.verb}_{image_number(frame.picture)}.png", row)
    return frames_by_picture


def swig_space(frames: Iterable[Frame]) -> Json:
    """`imsitu_space.json`: what the nouns mean and which roles each verb has."""
    listed = list(frames)
    nouns = {noun_id(role.noun): {"gloss": [role.noun], "def": ""} for frame in listed for role in frame.roles}
    verbs = {frame.verb: _verb([role.name for role in frame.roles]) for frame in listed}
    return {"nouns": nouns, "verbs": verbs}


def _verb(roles: list[str]) -> Json:
    return {"order": roles, "roles": {role: {"def": "", "framenet": role} for role in roles}, "abstract": "", "def": ""}


def noun_id(noun: str) -> str:
    """WordNet's id of a noun, as SWiG writes it.

    >>> noun_id("dog")
    'n02084071'
    """
    return f"n{sense_of(noun).offset:08d}"
