"""From raw text to a value: what each rule takes, what it leaves, and what all of them promise."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterpoint.core.errors import UnknownName
from counterpoint.core.groups import Answer, Mode, Query, State
from counterpoint.language.answers.extraction import EXTRACTION_RULES, RULE_VERSION, extract_answer
from counterpoint.language.answers.final_answer import normalize
from counterpoint.language.answers.refusals import is_hedge, is_refusal
from counterpoint.language.question_types import QuestionType, parse_question
from counterpoint.world.source import World

COLORS = ("red", "blue", "light blue", "green")
OPEN = "What is on the table?"


def _taken(raw: str, text: str = OPEN, choices: tuple[str, ...] = (), rule: str = "auto") -> str:
    """The value, or the state of an answer that has none."""
    answer = extract_answer(raw, Query(None, text, choices=choices), rule=rule)
    assert (answer.state is State.OK) == (answer.value != "")
    return answer.value or f"<{answer.state}>"


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ("Yes, there is a dog.", "yes"),
        ("yes", "yes"),
        ("**Yes**", "yes"),
        ("Yeah!", "yes"),
        ("True", "yes"),
        ("I would say yes.", "yes"),
        ("It is.", "yes"),
        ("I think so.", "yes"),
        ("Yes, and there is no cat.", "yes"),
        ("There is a dog in the picture.", "yes"),
        ("There is no doubt that there is a dog.", "yes"),
        ("No doubt about it.", "yes"),
        ("<think>no, no</think>Yes.", "yes"),
        ("I looked twice. Final answer: yes", "yes"),
        ("No", "no"),
        ("No, I cannot see a dog.", "no"),
        ("Nope.", "no"),
        ("There is no dog", "no"),
        ("There are no dogs in the image.", "no"),
        ("There isn't a dog.", "no"),
        ("I don't think so.", "no"),
        ("I don’t see any dogs.", "no"),
        ("I can't see a dog.", "no"),
        ("No dog is visible, but there is a cat.", "no"),
        ("Definitely not.", "no"),
        ("My answer would be no.", "no"),
        ("Not sure.", "<hedged>"),
        ("Yes and no.", "<hedged>"),
        ("Yes or no?", "<hedged>"),
        ("Maybe, yes.", "yes"),
        ("There is a cat.", "<unparsed>"),
        ("There is no cat.", "<unparsed>"),
        ("A dog", "yes"),
        ("Brown.", "<unparsed>"),
        ("", "<unparsed>"),
        ("I cannot tell from the picture.", "<hedged>"),
        ("I can't see the image.", "<refused>"),
    ],
)
def test_yes_and_no_are_found_in_free_text(raw: str, value: str) -> None:
    assert _taken(raw, "Is there a dog in the picture?") == value
    assert _taken(raw, "Is there a dog in the picture?", rule="yes-no") == value


@pytest.mark.parametrize(
    "before",
    ["Is there a dog in the picture? ", "Is there a dog in the picture?\n", "Is there a dog? ", "Look. Is it there? "],
)
def test_a_question_in_a_reply_is_no_claim(before: str) -> None:
    question = "Is there a dog in the picture?"
    assert _taken(before, question) == "<unparsed>"
    for reply, value in [
        ("No.", "no"),
        ("no", "no"),
        ("I see no dog.", "no"),
        ("Yes", "yes"),
        ("A cat.", "<unparsed>"),
    ]:
        assert _taken(before + reply, question) == value
        assert _taken(before + reply, question, ("yes", "no")) == value
    assert _taken("There is a dog, isn't there?", question) == "yes"
    assert _taken("有狗吗？没有。", question) == "no"


@pytest.mark.parametrize(
    "form",
    ["{question} {reply}", "{question}\n{reply}", "Q: {question}\nA: {reply}", "USER: {question} ASSISTANT: {reply}"],
)
@pytest.mark.parametrize(
    ("question", "choices", "reply", "value"),
    [
        ("What color is the car?", (), "Blue.", "blue"),
        ("What color is the car?", ("red", "blue"), "Blue.", "blue"),
        ("Is the car red or blue?", (), "Blue.", "blue"),
        ("How many of the 2 dogs sit?", (), "One.", "1"),
        ("Is the car red?", (), "No.", "no"),
    ],
)
def test_a_reply_may_repeat_the_question(
    form: str, question: str, choices: tuple[str, ...], reply: str, value: str
) -> None:
    assert _taken(form.format(question=question, reply=reply), question, choices) == value


YES_AND_NO = {
    "English": ("Yes", "No"),
    "Chinese": ("是的", "不是", "没有"),
    "Cantonese": ("係", "唔係"),
    "Hindi": ("हाँ", "नहीं", "जी नहीं"),
    "Spanish": ("Sí", "No"),
    "French": ("Oui", "Non"),
    "Arabic": ("نعم", "لا"),
    "Bengali": ("হ্যাঁ", "না"),
    "Portuguese": ("Sim", "Não"),
    "Russian": ("Да", "Нет"),
    "Urdu": ("جی ہاں", "نہیں", "جی نہیں"),
    "Indonesian": ("Ya", "Tidak", "Bukan"),
    "German": ("Ja", "Nein"),
    "Japanese": ("はい", "いいえ", "そうではありません"),
    "Marathi": ("होय", "नाही"),
    "Telugu": ("అవును", "కాదు"),
    "Turkish": ("Evet", "Hayır", "Yok"),
    "Tamil": ("ஆம்", "இல்லை"),
    "Vietnamese": ("Có", "Không", "Không phải"),
    "Korean": ("네", "아니요", "아뇨"),
    "Persian": ("بله", "خیر"),
    "Italian": ("Sì", "No"),
    "Thai": ("ใช่", "ไม่ใช่", "ไม่", "ไม่มี"),
    "Gujarati": ("હા", "ના"),
    "Polish": ("Tak", "Nie"),
    "Ukrainian": ("Так", "Ні"),
    "Malayalam": ("അതെ", "ഇല്ല"),
    "Kannada": ("ಹೌದು", "ಇಲ್ಲ"),
    "Burmese": ("ဟုတ်ကဲ့", "မဟုတ်ဘူး"),
    "Punjabi": ("ਹਾਂ", "ਨਹੀਂ"),
    "Tagalog": ("Oo", "Wala"),
    "Swahili": ("Ndiyo", "Hapana"),
    "Romanian": ("Da", "Nu"),
    "Dutch": ("Ja", "Nee"),
    "Greek": ("Ναι", "Όχι"),
    "Hebrew": ("כן", "לא"),
    "Czech": ("Ano", "Ne"),
    "Hungarian": ("Igen", "Nem"),
    "Swedish": ("Ja", "Nej"),
    "Finnish": ("Kyllä", "Ei"),
    "Serbian": ("Да", "Не"),
}
"""Yes, and one or more words for no, some of which contain the word for yes."""


@pytest.mark.parametrize("language", YES_AND_NO)
def test_yes_and_no_are_read_in_the_largest_languages(language: str) -> None:
    yes, *noes = YES_AND_NO[language]
    for mark in ("", ".", ", …", "!"):
        assert _taken(f"{yes}{mark}", "Is there a dog?") == "yes", yes
        for no in noes:
            assert _taken(f"{no}{mark}", "Is there a dog?") == "no", no


@pytest.mark.parametrize(
    "reply", ["不确定", "无法判断", "对不起，看不清", "Không biết.", "Tidak tahu", "ไม่แน่ใจ", "Не знаю"]
)
def test_a_reply_in_another_language_that_does_not_settle_is_neither(reply: str) -> None:
    assert _taken(reply, "Is there a dog?") == "<unparsed>"


def test_a_language_is_no_answer_in_another_one() -> None:
    question = "Is the sign written in Hindi?"
    assert {_taken(reply, question) for reply in ("Hindi", "Hindi.", "Hindi is written on it.")} == {"yes"}


def test_a_question_that_denies_is_answered_by_yes_or_no_alone() -> None:
    assert _taken("Yes.", "Is there no dog?") == "yes"
    assert _taken("No, there is a dog.", "Is there no dog?") == "no"
    assert _taken("There is no dog.", "Is there no dog?") == "<unparsed>"


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ("red", "red"),
        ("Red.", "red"),
        ("B", "blue"),
        ("(B)", "blue"),
        ("b)", "blue"),
        ("B. blue", "blue"),
        ("(C) light blue", "light blue"),
        ("**D**", "green"),
        ("Answer: B", "blue"),
        ("The answer is (b).", "blue"),
        ("Option C", "light blue"),
        ("The correct answer is C: light blue.", "light blue"),
        ("<answer>D</answer>", "green"),
        (r"So it must be \boxed{A}.", "red"),
        ("The car is light blue.", "light blue"),
        ("The car is blue.", "blue"),
        ("The car is blue, not red.", "blue"),
        ("Blue. The red one is behind it.", "blue"),
        ("blue\n\nThe red one is behind it.", "blue"),
        ("Reds", "red"),
        ("It is not red.", "<unparsed>"),
        ("red or blue", "<hedged>"),
        ("red, blue", "<unparsed>"),
        ("neither red nor blue", "<unparsed>"),
        ("(B) red", "<unparsed>"),
        ("F", "<unparsed>"),
        ("yellow", "<unparsed>"),
        ("a red one", "red"),
        ("hundred", "<unparsed>"),
        ("I'm sorry, but I can't tell whether it is red.", "<hedged>"),
    ],
)
def test_one_of_the_choices_is_found_as_it_is_by_its_letter_or_by_its_name(raw: str, value: str) -> None:
    assert _taken(raw, "What color is the car?", COLORS) == value


@pytest.mark.parametrize(
    "choices",
    [
        ("男", "女"),
        ("是", "否"),
        ("+", "-"),
        ("x", "y", "z"),
        ("S", "M", "L", "XL"),
        ("C", "C#"),
        ("-5", "5"),
        ("5", "-5"),
    ],
)
def test_choices_of_one_sign_are_read_by_letter_and_as_they_are(choices: tuple[str, ...]) -> None:
    for letter, choice in zip("ABCD", choices, strict=False):
        for reply in (letter, f"{letter}.", f"({letter})", f"Answer: {letter}", f"It's {letter}.", choice):
            assert _taken(reply, "Which is it?", choices) == choice, reply
    assert _taken("A", "Which is it?", ("C", "B", "A")) == "A"


def test_letters_are_read_beside_a_choice_that_is_a_letter() -> None:
    languages = ("C", "C++", "Java")
    for reply in ("B", "(B)", "B.", "Option B", "It's B", "C++"):
        assert _taken(reply, "Which is it?", languages) == "C++", reply
    for reply in ("A", "(A)", "(A) C", "C", "c."):
        assert _taken(reply, "Which is it?", languages) == "C", reply
    for reply in ("(C)", "C)", "Option C"):  # the third, or the one of this name
        assert _taken(reply, "Which is it?", languages) == "<unparsed>", reply
    assert _taken("C. Java", "Which is it?", languages) == "Java"
    assert [_taken(reply, "Which?", ("A", "B", "none")) for reply in ("A", "(B)", "C")] == ["A", "B", "none"]


@pytest.mark.parametrize(
    "reply",
    [
        *(
            "It's C",
            "I think it's C.",
            "C is correct.",
            "C is the correct answer.",
            "C,",
            "C!",
            "Therefore, C",
            "So C.",
        ),
        *("Probably C.", "Definitely C", "A is wrong, C is right"),
    ],
)
def test_a_letter_may_stand_in_a_short_sentence(reply: str) -> None:
    assert _taken(reply, "What color is the car?", COLORS) == "light blue"


@pytest.mark.parametrize("choice", ["Cannot be determined", "Not sure", "Unknown", "Maybe", "I don't know"])
def test_a_choice_that_leaves_the_answer_open_can_be_chosen(choice: str) -> None:
    choices = ("Emma", "Olivia", choice)
    for reply in (
        choice,
        f"{choice}.",
        choice.lower(),
        f"(C) {choice}",
        f"C. {choice}",
        "C",
        "It is impossible to tell.",
    ):
        assert _taken(reply, "Who was late?", choices) == choice, reply
    assert _taken("I'm not sure, but it looks like Emma.", "Who was late?", choices) == "Emma"
    assert _taken("Not sure.", "Who was late?", ("Emma", "Olivia")) == "<hedged>"


def test_the_sign_and_the_point_of_a_number_are_kept() -> None:
    for text in ("What does the display show?", "What number is shown?"):
        assert [_taken(reply, text) for reply in ("-5", "It is -5.", "−5", ".5", "5")] == ["-5", "-5", "-5", "0.5", "5"]
    assert _taken("It is -5.", "Which?", ("5", "-5")) == "-5"
    assert _taken("It is 5.", "Which?", ("-5", "5")) == "5"
    for reply in ("minus 5", "It is minus 5 degrees.", "Minus five."):
        assert _taken(reply, "Which?", ("5", "-5", "0")) == "-5"


@pytest.mark.parametrize(
    ("raw", "value"),
    [("A is right of B.", "right"), ("A is right.", "right"), ("A is left of B", "left"), ("B is correct.", "right")],
)
def test_a_place_is_no_praise_of_an_option(raw: str, value: str) -> None:
    assert _taken(raw, "Where is A?", ("left", "right")) == value


@pytest.mark.parametrize("raw", ["A is right of B.", "A is right next to B", "B is best seen from here"])
def test_a_letter_in_a_sentence_is_not_always_a_choice(raw: str) -> None:
    assert _taken(raw, "What is it?", ("dog", "cat")) == "<unparsed>"
    assert {_taken(reply, "What is it?", ("dog", "cat")) for reply in ("It's A", "it's a")} == {"dog"}


@pytest.mark.parametrize("choices", [("a dog", "a cat"), ("A. a dog", "B. a cat"), ("A", "B")])
def test_letters_of_options_are_read_in_each_form_in_which_models_write_them(choices: tuple[str, ...]) -> None:
    first = (
        "Output (A).",
        r"\boxed{A}",
        "<answer>A</answer>",
        "I choose A.",
        "It is option (a).",
        "Ａ",
        '{"answer": "A"}',
    )
    second = ("Option B", "Output: B", "**B**", "B. because it is red", "Answer B", "(B)", "b)", "答案是B")
    for raws, choice in ((first, choices[0]), (second, choices[1])):
        assert {raw: _taken(raw, "Which caption fits?", choices) for raw in raws} == dict.fromkeys(raws, choice)


@pytest.mark.parametrize("choices", [("a dog", "a cat"), ("(1) a dog", "(2) a cat"), ("1", "2")])
def test_numbers_of_options_are_read_in_each_form_in_which_models_write_them(choices: tuple[str, ...]) -> None:
    for number, choice in enumerate(choices, 1):
        raws = [form.format(number) for form in ("({})", "{}", "{}.", "Option {}", "The answer is ({})", "Caption {}.")]
        assert {raw: _taken(raw, "Which caption fits?", choices) for raw in raws} == dict.fromkeys(raws, choice)
    assert _taken("Option 3", "Which caption fits?", choices) == "<unparsed>"


def test_an_option_that_stands_in_the_question_is_kept_whole() -> None:
    sleeves = "Is the shirt short sleeved or long sleeved?"
    for raw in ("Short sleeved", "The shirt is short sleeved.", "short", '{"answer": "Short sleeved"}'):
        assert _taken(raw, sleeves) == "short sleeved"
    assert _taken("Long sleeved.", sleeves) == "long sleeved"
    for raw in ("ice cream", "She is eating ice cream."):
        assert _taken(raw, "Is she eating ice cream or cake?") == "ice cream"
    assert _taken("Running shoes", "Is he wearing running shoes or sandals?") == "running shoes"
    assert _taken("Cows", "Are these animals cows or sheep?") == "cows"


def test_a_word_that_all_options_end_in_chooses_none_of_them() -> None:
    sleeves = "Is the shirt short sleeved or long sleeved?"
    for raw in ("sleeved", "It is sleeved.", "**Sleeved**"):
        assert _taken(raw, sleeves) == "<unparsed>"
        assert _taken(raw, sleeves, ("short sleeved", "long sleeved")) == "<unparsed>"
    assert _taken("sleeved", "Is the shirt sleeved or sleeveless?") == "sleeved"
    assert _taken("blue", "Is the car blue or light blue?") == "blue"


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ("1. A man at the front\n2. A woman in the middle\n3. A child\n\n**Total: 3 people**", "3"),
        ("I see:\n1. Two men on the left.\n2. One woman.\n\nSo there are 3 people.", "3"),
        ("The people are:\n1. A man\n2. A woman", "2"),
        ("1. Two men\n2. One woman", "<unparsed>"),
        ("3. There are three.", "3"),
        ("4.\nI counted them.", "4"),
        ('[{"label": "man", "bbox_2d": [12, 40, 210, 300]}, {"label": "man", "bbox_2d": [2, 4, 20, 30]}]', "2"),
        ('```json\n[{"point": [1, 2]}]\n```', "1"),
        ('[{"label": "man", "bbox": [1, 2, 3, 4]}, {"label": "dog", "bbox": [1, 2, 3, 4]}]', "<unparsed>"),
        ('[{"label": "man", "sure": "yes"}]', "<unparsed>"),
    ],
)
def test_listed_things_and_boxes_are_counted_where_no_number_is_stated(raw: str, value: str) -> None:
    assert _taken(raw, "How many people are there?") == value


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ("Looking at the dog, I can see that it is indeed wearing a red collar with a small tag.", "yes"),
        ("It is indeed not wearing a collar.", "no"),
        ("Indeed not.", "no"),
        ("Indeed, it is.", "yes"),
        ("The dog is indeed cute.", "<unparsed>"),
    ],
)
def test_indeed_confirms_what_was_asked(raw: str, value: str) -> None:
    assert _taken(raw, "Is the dog wearing a collar?") == value


def test_choices_may_bring_their_letters_or_be_letters() -> None:
    lettered = ("A. a dog", "B. two cats")
    for raw in ("B", "(b)", "Two cats.", "two cats", "B. two cats", "I see two cats."):
        assert _taken(raw, "What is it?", lettered) == "B. two cats"
    assert _taken("(A) because it is red", "Which one?", ("B", "A")) == "A"
    assert _taken("A.", "Which one?", ("B", "A")) == "A"
    assert _taken("Answer: a", "Which one?", ("B", "A")) == "A"


def test_choices_are_found_in_the_singular_and_in_the_plural_and_as_yes_or_no() -> None:
    assert _taken("Two dogs.", "What is it?", ("dog", "cat")) == "dog"
    assert _taken("It is a knife", "What is it?", ("knives", "forks")) == "knives"
    assert _taken("There is no dog.", "Is there a dog?", ("yes", "no")) == "no"
    assert _taken("Yes, there is no cat.", "Is there a dog?", ("Yes", "No")) == "Yes"


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ("3", "3"),
        ("Three.", "3"),
        ("There are three dogs.", "3"),
        ("There are three (3) dogs.", "3"),
        ("twenty-one", "21"),
        ("Twenty one dogs", "21"),
        ("1,000", "1000"),
        ("3.0", "3"),
        ("a dozen", "12"),
        ("half a dozen dogs", "6"),
        ("two dozen", "24"),
        ("two hundred", "200"),
        ("A single dog.", "1"),
        ("no dogs", "0"),
        ("None.", "0"),
        ("There aren't any dogs.", "0"),
        ("No, there are three dogs.", "3"),
        ("2 + 1 = 3", "3"),
        ("3\n\nOne is black, two are white.", "3"),
        ("Three. One is black.", "3"),
        (r"I count 2 here and 1 there: \boxed{3}", "3"),
        (r"İİİİ: I count 2 here and 1 there: \boxed{3}", "3"),  # a lower İ is two characters
        ("İİİİ: I count 2 here and 1 there: <answer>3</answer>", "3"),
        ("There are three dogs; one of them is black.", "3"),
        ("2 or 3", "<hedged>"),
        ("2-3", "<hedged>"),
        ("There are 3 dogs and 2 cats.", "3"),
        ("at least 2", "2"),
        ("several", "<unparsed>"),
        ("the 1st", "<unparsed>"),
        ("I cannot tell how many of the two are dogs.", "<hedged>"),
        ("I have no idea.", "<hedged>"),
        ("No one.", "0"),
        ("There is no one in the picture.", "0"),
        ("Not one", "0"),
        ("not a single one", "0"),
        ("2 million", "2000000"),
        ("十二", "12"),
        ("二十", "20"),
        ("有二十三个", "23"),
        ("一百零五", "105"),
        ("12:30", "<unparsed>"),
        ("1,5", "<unparsed>"),
        ("There are 2 brown dogs and 1 black dog, so 3 in total.", "3"),
        ("2 dogs on the left and 1 on the right, 3 in total", "3"),
        ("2 black dogs and 1 white, 3 altogether", "3"),
        ("Two dogs on the left, one dog on the right, three in all", "3"),
        ("5 dogs in total, 3 brown dogs and 2 others", "5"),
        ("2 dogs and 1 cat, 3 in total", "2"),
        ("There are 3 dogs and 2 cats, 5 animals in total.", "3"),
        ("There are 5 animals in total: 3 dogs and 2 cats.", "3"),
        ("one hundred and five", "105"),
        ("There are one hundred and five dogs.", "105"),
        ("A hundred and one dogs", "101"),
        ("one thousand two hundred", "1200"),
        ("between one hundred and two hundred", "<hedged>"),
        ("two thirds", "2/3"),
        ("It is about two thirds.", "2/3"),
        ("1/2", "1/2"),
        ("Half of them.", "1/2"),
        ("two and a half", "2.5"),
        ("half a dozen", "6"),
        ("2.50", "2.50"),
    ],
)
def test_a_number_is_found_in_digits_and_in_words(raw: str, value: str) -> None:
    assert _taken(raw, "How many dogs are there?") == value
    assert _taken(raw, "How many dogs are there?", rule="number") == value


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ("red.", "red"),
        ("A red cup", "red cup"),
        ("a red one", "red one"),
        ("It's a T-shirt!", "t-shirt"),
        ("It is a dog. It has fur.", "dog"),
        ("The answer is: a dog.", "dog"),
        ("Answer: the dog\n\nBecause it barks.", "dog"),
        ("The image shows a dog.", "dog"),
        ("In the image, there are two dogs.", "two dogs"),
        ("A dog is on the table.", "dog"),
        ("St. Bernard", "st bernard"),
        ("**Dog**", "dog"),
        ("10:30", "10:30"),
        ("unknown", "<hedged>"),
        ("I don't know.", "<hedged>"),
        ("I'm sorry, but I can't help with that.", "<refused>"),
        ("As an AI language model, I have no eyes.", "<refused>"),
        ("Unfortunately, I am unable to view pictures.", "<refused>"),
        ("<think>a dog</think>", "<unparsed>"),
    ],
)
def test_a_short_answer_is_freed_of_what_stands_around_it(raw: str, value: str) -> None:
    assert _taken(raw) == value


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("J.P. Morgan", "j.p morgan"),
        ("J. K. Rowling", "j k rowling"),
        ("John F. Kennedy", "john f kennedy"),
        ("St. Louis", "st louis"),
        ("Dr. Pepper", "dr pepper"),
        ("Sgt. Pepper", "sgt pepper"),
        ("U.S.", "u.s"),
        ("U.S. Navy", "u.s navy"),
        ("9 a.m.", "9 a.m"),
        ("Mets vs. Cubs", "mets vs cubs"),
        ("Yahoo! Inc.", "yahoo inc"),
        ("No. 5", "no 5"),
        ("Vitamin C.", "vitamin c"),
        ("left; right", "left right"),
        ("red; white; blue", "red white blue"),
    ],
)
def test_a_full_stop_or_semicolon_within_a_name_ends_no_answer(name: str, value: str) -> None:
    more = f"{name.rstrip('.')}. It is on the right."
    for reply in (name, f"It is {name}", f"The answer is {name}", more):
        assert _taken(reply, "Which one is shown?") == value, reply
    assert normalize(name) == value  # by which gold as written is compared


@pytest.mark.parametrize(
    ("question", "raw", "value"),
    [
        ("Who wrote this book?", "It was written by J. K. Rowling.", "j k rowling"),
        ("Who wrote this book?", "The book was originally written by Stephen King in 1986.", "stephen king"),
        ("Who made it?", "Designed by Apple.", "apple"),
        ("Who is near the door?", "The man is seated by the door.", "man is seated by door"),
        ("Who is this?", "It is Fred by the door.", "fred"),
        ("What is the date?", "The date is May 5, 2020.", "may 5 2020"),
        ("What is the score?", "The score is 2 - 1.", "2-1"),
        ("How much does it cost?", "It costs $5.99.", "5.99"),
        ("How heavy is it?", "It weighs 5 kg.", "5 kg"),
    ],
)
def test_makers_dates_scores_and_prices_are_read_whole(question: str, raw: str, value: str) -> None:
    assert _taken(raw, question) == value


@pytest.mark.parametrize(
    ("choices", "raw", "value"),
    [
        (("$5", "$10"), "It costs $10.", "$10"),
        (("$5", "$10"), "5", "$5"),
        (("$5", "5"), "5", "5"),
        (("5 km", "5 m"), "It is 5km.", "5 km"),
        (("5km", "5m"), "5 m", "5m"),
        (("10%", "20%"), "10 %", "10%"),
        (("10%", "20%"), "It is 20 percent.", "20%"),
        (("S", "M", "L", "XL"), "It is L.", "L"),
        (("S", "M", "L", "XL"), "(A)", "S"),
        (("S", "M", "L", "XL"), "Options", ""),
        (("C", "C++", "Java"), "C. Java", "Java"),
        (("C", "C++", "Java"), "It is C.", ""),
    ],
)
def test_amounts_and_letters_of_choices_are_read_as_they_are_written(
    choices: tuple[str, ...], raw: str, value: str
) -> None:
    assert extract_answer(raw, Query(None, "Which one is it?", choices=choices)).value == value


@pytest.mark.parametrize(
    ("question", "raw", "value"),
    [
        ("What color is the car?", "「红色」。", "红色"),
        ("What color is the car?", "أحمر،", "أحمر"),
        ("Is there a dog?", "「いいえ」。", "no"),
        ("What does the sign say?", "『STOP』", "stop"),
        ("What is the face?", "It is 🙂.", "🙂"),
        ("What is the face?", "It is a dog 🙂.", "dog"),
        ("What is the face?", "<think>It smiles.</think>It is 🙂.", "🙂"),
        ("What is on the table?", "It is a pizza! The best food is 🍕.", "pizza"),
        ("Is it a face?", "It is 🙂.", "yes"),
        ("How many dogs are there?", "There are no dogs; there are 3 cats.", "0"),
        ("How many dogs are there?", "I don't see any dogs, only 3 cats.", "0"),
        ("How many dogs are there?", "There are no dogs on the left, but 3 on the right.", "3"),
        ("How many dogs are there?", "There are no cats, but there are 3 dogs.", "3"),
        ("How many dogs are there?", "There are no fewer dogs, namely 3 of them", "3"),
        ("Is there a dog?", "It would be incorrect to say there is a dog.", "no"),
        ("Is there a dog?", "It's wrong to say there is a dog.", "no"),
        ("Is there a dog?", "It would be incorrect to say that the dog is missing.", "yes"),
        ("What animal is this?", "It's not a cat; it's a dog.", "dog"),
        ("What animal is this?", "It is not a cat but a dog.", "dog"),
        ("What color is it?", "It is not red, but blue.", "blue"),
        ("What animal is this?", "This is a dog, specifically a golden retriever.", "dog"),
        ("What animal is this?", "A bird, possibly an eagle.", "bird"),
        ("What time is it?", "The clock shows 10:30 AM.", "10:30 am"),
        ("How far is it?", "About 10 km", "10 km"),
        ("How far is it?", "About 10 to 15 km", "about 10 to 15 km"),
    ],
)
def test_foreign_quotes_symbols_denials_and_corrections_are_read(question: str, raw: str, value: str) -> None:
    assert _taken(raw, question) == value


def test_none_of_these_is_none_of_the_above() -> None:
    query = Query(None, "Which one is it?", choices=("red", "None of the above"))
    assert [extract_answer(raw, query).value for raw in ("None of these.", "It is none of the options.", "「B」")] == (
        ["None of the above"] * 3
    )


def test_what_follows_a_semicolon_and_says_more_is_left_out() -> None:
    assert _taken("Red; it has a white stripe.") == "red"
    assert _taken("Plan B. Brown pills are beside it.") == "plan b"
    assert (_taken("🙂"), _taken("It is 🙂.")) == ("🙂", "🙂")


def test_the_rule_for_normal_texts_keeps_every_word_but_articles() -> None:
    assert _taken(" It is  The red cup! ", rule="normal") == "it is red cup"
    assert _taken("<think>hm</think> A cup", rule="normal") == "cup"
    assert _taken("a", rule="normal") == "a"
    assert _taken("I cannot help with that.", rule="normal") == "<refused>"


def test_the_exact_rule_strips_blanks_and_changes_nothing_else() -> None:
    for raw in (" The Cup. ", "<think>a</think>b", "I cannot help."):
        assert extract_answer(raw, Query(None, OPEN), rule="exact") == Answer.of(raw, value=raw.strip(), rule="exact@8")


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ("<think>a cat? no</think>dog", "dog"),
        ("<thinking>a cat?</thinking>\n\nDog.", "dog"),
        ("a cat? no</think>Dog", "dog"),
        ("[THINK]a cat?[/THINK]dog", "dog"),
        ("◁think▷a cat?◁/think▷dog", "dog"),
        ("<think>one</think><think>two</think>dog", "dog"),
        ("<think>a <think>b</think> c</think>dog", "dog"),
        ("<think>a cat? no, a dog", "<unparsed>"),
        ("Dog <think>or a cat", "<unparsed>"),
        ("<|begin_of_box|>dog<|end_of_box|>", "dog"),
        (r"\boxed{\text{dog}}", "dog"),
        (r"\BOXED{DOG}", "dog"),
        ("Final answer: dog", "dog"),
    ],
)
def test_thinking_is_left_out_and_thinking_without_an_end_is_no_answer(raw: str, value: str) -> None:
    assert _taken(raw) == value


def test_a_refusal_declines_and_a_hedge_does_not_settle() -> None:
    for text in (
        "Sorry, I am not able to answer this.",
        "There is no image.",
        "I can't see the image.",
        "Hello. I must decline.",
        "I'm not able to determine the age of people in photos.",
    ):
        assert is_refusal(text), text
    for text in (
        "I cannot determine the color from the image.",
        "It is not possible to tell.",
        "The color cannot be determined.",
        "It's unclear from the picture.",
        "Not sure.",
    ):
        assert is_hedge(text), text
        assert not is_refusal(text), text
    for text in ("Sorry, red.", "I see a can.", "No.", "It is clear.", "A cannon.", "I can't see a dog."):
        assert not is_refusal(text), text
        assert not is_hedge(text), text


@pytest.mark.parametrize(
    ("text", "sort", "options"),
    [
        ("Is there a dog?", QuestionType.YES_NO, ()),
        ("In the picture, is the dog brown?", QuestionType.YES_NO, ()),
        ("Looking at this photo, are they red?", QuestionType.YES_NO, ()),
        ("Isn't it red?", QuestionType.YES_NO, ()),
        ("Would you say the cup is red?", QuestionType.YES_NO, ()),
        ("Can you tell me if you see a truck or a pig?", QuestionType.YES_NO, ()),
        ("Is there either a dog or a tree?", QuestionType.YES_NO, ()),
        ("Is a bird or a basket visible?", QuestionType.YES_NO, ()),
        ("Is it red or not?", QuestionType.YES_NO, ()),
        ("Is the cup red? Answer yes or no.", QuestionType.YES_NO, ()),
        ("Is it red or blue?", QuestionType.EITHER, ("red", "blue")),
        ("Is the car light blue or dark blue?", QuestionType.EITHER, ("light blue", "dark blue")),
        ("Is the person a girl or a man?", QuestionType.EITHER, ("girl", "man")),
        ("In this photo, are the shoes blue, brown, or black?", QuestionType.EITHER, ("blue", "brown", "black")),
        ("What is it, a cat, a dog, or a bird?", QuestionType.EITHER, ("cat", "dog", "bird")),
        ("Is the woman on the right or on the left?", QuestionType.EITHER, ("right", "left")),
        ("Is the cat in front of or behind the door?", QuestionType.EITHER, ("in front of", "behind")),
        ("Which side is the cat on?", QuestionType.EITHER, ("left", "right")),
        ("How many dogs are there?", QuestionType.NUMBER, ()),
        ("In the picture, how many dogs do you see?", QuestionType.NUMBER, ()),
        ("What number is on the shirt?", QuestionType.NUMBER, ()),
        ("What color is it?", QuestionType.OPEN, ()),
        ("Can you tell what the man is doing?", QuestionType.OPEN, ()),
        ("The man is on what?", QuestionType.OPEN, ()),
        ("", QuestionType.OPEN, ()),
        ("or", QuestionType.OPEN, ()),
        ("? or ?", QuestionType.OPEN, ()),
    ],
)
def test_what_a_question_asks_for_is_told_from_its_words(
    text: str, sort: QuestionType, options: tuple[str, ...]
) -> None:
    assert (parse_question(text).type, parse_question(text).options) == (sort, options)


def test_a_question_that_offers_words_is_answered_by_one_of_them_or_by_yes_or_no() -> None:
    text = "Is the bench made of metal or wood?"
    assert _taken("The bench is made of wood.", text) == "wood"
    assert _taken("Plastic.", text) == "<unparsed>"
    assert _taken("Yes.", text) == "yes"
    assert extract_answer("Wood, not metal", Query(None, text)).rule == "choice@8"


def test_an_answer_names_the_rule_that_gave_its_value_and_keeps_what_else_there_is() -> None:
    found = extract_answer("Two.", Query(None, "How many?"), top=[("2", 0.9)])
    assert found == Answer("Two.", "2", "number@8", top=(("2", 0.9),))
    assert extract_answer("B", Query(None, "Which?", choices=("a", "b"))).rule == "choice@8"
    assert extract_answer("yes", Query(None, "Is it?")).rule == "yes-no@8"
    assert extract_answer("hm", Query(None, "Is it?")).rule == "yes-no@8"


def test_a_text_that_was_to_be_scored_stays_as_it_is() -> None:
    assert extract_answer(" Yes. ", Query(None, "A dog.", Mode.SCORE)) == Answer.of(" Yes. ")


def test_an_unknown_rule_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownName) as caught:
        extract_answer("yes", Query(None, "Is it?"), rule="yesno")
    assert "yes-no" in caught.value.hint


def test_what_the_world_would_say_in_full_sentences_has_the_value_of_its_gold() -> None:
    for question in World("test", 30).questions():
        for said in (question.gold.best, f"{question.gold.best}.".capitalize(), question.full_answer):
            assert _taken(said, question.text) == question.gold.best, (question.text, said)


PIECES = st.sampled_from(
    [
        *("yes", "no", "not", "red", "light blue", "blue", "a", "the", "two", "3", "12", "dozen", "(B)", "A.", "or"),
        *("Answer:", "final answer is", "<think>", "</think>", r"\boxed{", "}", "I cannot", "see", "sorry", "it is"),
        *("and", "there is", "dogs", ".", ",", "\n", "=", "%", "'", "-", "Is", "?", "1,000", "3.50", "none", ":", "**"),
    ]
)
RAWS = st.lists(PIECES, max_size=8).map(" ".join) | st.text(max_size=40)
QUERIES = st.builds(
    Query,
    st.none(),
    st.sampled_from(["Is it red?", "Is it red or blue?", "How many?", "What is it?"]) | RAWS,
    choices=st.sampled_from([(), COLORS, ("yes", "no"), ("A. red", "B. blue"), ("2", "3"), ("A", "B"), ("",)]),
)


@given(RAWS, QUERIES, st.sampled_from(sorted(EXTRACTION_RULES)))
def test_no_text_is_too_odd_for_a_rule(raw: str, query: Query, rule: str) -> None:
    found = extract_answer(raw, query, rule=rule)
    assert found.raw == raw
    assert found.rule in {f"{name}@{RULE_VERSION}" for name in EXTRACTION_RULES if name != "auto"}
    assert found.state is not State.FAILED
    assert (found.value == "") == (found.state is not State.OK)


@given(RAWS, QUERIES, st.sampled_from(["normal", "number", "yes-no", "choice"]))
def test_the_value_of_a_value_is_itself(raw: str, query: Query, rule: str) -> None:
    found = extract_answer(raw, query, rule=rule)
    if found.state is State.OK:
        assert extract_answer(found.value, query, rule=rule).value == found.value


@given(RAWS, QUERIES.filter(lambda query: query.choices))
def test_what_is_chosen_was_offered(raw: str, query: Query) -> None:
    found = extract_answer(raw, query)
    assert found.state is not State.OK or found.value in query.choices


@given(
    st.lists(PIECES, max_size=8).map(" ".join), QUERIES, st.sampled_from(["auto", "normal", "number", "yes-no", "free"])
)
def test_case_and_space_around_a_reply_change_nothing(raw: str, query: Query, rule: str) -> None:
    values = {extract_answer(form, query, rule=rule).value for form in (raw, raw.upper(), raw.lower(), f"\n {raw} \t")}
    assert len(values) == 1
