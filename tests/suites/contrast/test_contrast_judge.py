"""The second opinion on contrast questions reads GQA's own wordings."""

import pytest
from contrast_items import scene
from contrast_judge import judged

PARK = scene(
    1,
    [
        ("man", ("tall",), (10, 100, 60, 150)),
        ("bicycle", ("red",), (5, 180, 80, 80)),
        ("woman", (), (320, 100, 60, 150)),
        ("bench", ("brown",), (300, 200, 90, 60)),
        ("dogs", ("black",), (170, 220, 40, 40)),
        ("dog", ("white", "sitting"), (240, 220, 20, 40)),
    ],
    (("1", "riding", "2"), ("3", "sitting on", "4"), ("5", "near", "4"), ("6", "to the left of", "4")),
)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Are there any dogs near the bench?", "yes"),
        ("Do you see bicycles that are near the bench in this photo?", "no"),
        ("Can you also see a cat to the left of the bench?", "no"),
        ("Is there a dog that is to the left of the brown bench?", "yes"),
        ("Do you see either cats or benches in the picture?", "yes"),
        ("Are there any cats or cups there?", "no"),
        ("On which side of the photo is the bench?", "right"),
        ("On what side of the image is the bicycle, the left or the right?", "left"),
        ("Which side of the picture are the dogs on?", "left"),
        ("The man is on which side of the photo?", "left"),
        ("Is the bench on the left side or on the right of the image?", "right"),
        ("Is the man in the left or right part of the picture?", "left"),
        ("Is the tall man riding the red bicycle?", "yes"),
        ("Is the woman riding a bicycle?", "no"),
        ("Does the woman ride bicycles?", "no"),
        ("Does the woman sit on a brown bench?", "yes"),
        ("Do you think the woman is sitting under the bench?", "no"),
        ("Do the dogs to the left of the bench sit on a bench?", "no"),
        ("Is the man to the right of a bench in this photo?", "no"),
        ("What is the color of the bench that the woman sits on?", "<0 for bench that the woman sits on>"),
        ("Which color do you think the bicycle is?", "red"),
        ("The bicycle has what color?", "red"),
        ("What color does the bench have?", "brown"),
        ("What colour is the dog that is sitting?", "white"),
        ("The bench is of what color?", "brown"),
        ("What color is the bicycle to the left of the woman?", "red"),
    ],
)
def test_wordings_of_gqa_are_read(text: str, answer: str) -> None:
    assert judged(PARK, text) == answer
