"""Refusals and hedges in a reply, and what it settles on beside them.

A refusal declines to answer or says that there is no picture; a hedge has looked and does not settle: "I cannot tell".
"""

import re
from collections.abc import Iterator

from counterpoint.language.answers.final_answer import split_sentences

_WORDS = r"(?:\w{1,30} ){0,3}"
_UNABLE = r"(?:can't|cannot|can not|couldn't|could not|unable to|not able to)"
_CANNOT = (
    rf"(?:{_UNABLE}|won't(?: be able to)?|will not|not allowed to|don't|do not|decline to|(?:'m|am) not comfortable)"
)
_PEOPLE = (
    r"(?:people|persons?|individuals?|someone|somebody|anyone|who (?:this|that|he|she|they)|faces?|race|ethnicity"
    r"|gender"
    r"|religion|wealth|income|identity|identities|emotions?|weight|height|age|attractiveness|personal|medical"
    r"|politic\w{1,6}|looks"
    r"|appearance|health|names?)"
)
_PICTURE = r"(?:images?|pictures?|photos?|photographs?|attachments?|visual content|files?)"
_REFUSALS = (
    rf"{_CANNOT} {_WORDS}(?:help|assist|answer|respond|comply|fulfill?|engage|continue"
    r"|provide(?! an? (?:exact|precise|definit\w{1,6}|accurate))|share|comment|diagnose"
    r"|transcribe|speculate|discuss|give(?! an? (?:exact|precise|definit\w{1,6}|accurate))|identify|recogni[sz]e"
    r"|describe|describing|process|feel comfortable)\b",
    rf"{_CANNOT} {_WORDS}(?:determine|judge|assess|assume|infer|make|making|estimate|guess|name|compare|rate|read out"
    rf"|evaluate|rank|reveal|disclose)\b[^.]{{0,60}}\b{_PEOPLE}",
    rf"{_CANNOT} {_WORDS}(?:read|disclose|reveal)\b[^.]{{0,20}}\b(?:private|personal|sensitive|confidential)\b",
    r"\b(?:not|n't) (?:in a position|qualified|able or willing|permitted|supposed|designed|going) to"
    r" (?:\w{1,30} ){0,2}(?:judge|diagnose|say|answer|assess|decide|comment|guess|identify|make|give|help)",
    r"\bsomething (?:that )?i(?: can't|'m not able to| cannot| am not able to| won't) (?:do|help|answer|say)\b",
    r"\bnot (?:an? |the )?(?:\w{1,30} ){1,4}(?:that )?i(?: can|'m able to| am able to) (?:do|make|give|help|answer"
    r"|take)\b",
    r"\bcan only (?:process|read|handle|work with|understand) text\b|\bno access to (?:personal|private|\w{1,20} data)",
    rf"\b{_PICTURE} (?:did not|didn't|hasn't|has not|never) (?:\w{{1,20}} )?(?:come|came|go|get|arrive|upload)",
    rf"\b{_PICTURE} (?:seems|appears|is|was)(?: to be)? (?:missing|broken|corrupt(?:ed)?|blank and)\b",
    rf"\bcan't (?:look at|access|open|load|find|see) {_WORDS}{_PICTURE}\b(?! of)",
    rf"{_CANNOT} {_WORDS}make that\b|{_CANNOT} tell (?:you|who)\b|{_CANNOT} (?:have|possess) (?:the "
    rf"|any )?(?:ability|capability|access)",
    rf"{_CANNOT} {_WORDS}(?:see|view|look at|access|open|analy[sz]e|display|interpret)(?: or \w{{1,30}})? "
    rf"(?:an?|the|this|that|your|any|these)? ?{_PICTURE}",
    rf"\bno {_PICTURE} (?:was|is|were|has|attached|provided|in our)|\b(?:no|any|an) {_PICTURE} attached",
    rf"\b(?:seem|appear)s? to be (?:an?|any) {_PICTURE}",
    rf"\b{_PICTURE} (?:failed to|could not be|couldn't be|did not|didn't) load",
    rf"\b{_PICTURE} (?:is|was)(?: not|n't) (?:provided|attached|available|shown|visible|loaded)\b",
    rf"\bthere(?: is|'s) no {_PICTURE}(?! of)|^no {_PICTURE}\b(?! of)",
    r"\b(?:please|could you(?: please)?|can you(?: please)?) (?:provide|upload|share|attach|describe|send|resend)\b",
    rf"\bneed (?:to see )?(?:the|an|your) {_PICTURE} (?:to|in order|before)\b",
    r"\btrouble (?:loading|viewing|accessing|opening|seeing)\b"
    r"|\b(?:haven't|have not|didn't|did not) (?:shared|provided|attached|uploaded|share|provide|attach|upload)\b",
    r"\bplease (?:ask|consult|see|contact|seek)\b|\bforgot to (?:attach|upload|include|add)\b",
    r"\bas an? (?:ai|artificial|language|large|text|vision|visual)\b",
    r"\bi(?: am|'m) (?:just |only )?an? (?:ai|language|text)\b|\bi'm not a (?:doctor|lawyer|physician)\b",
    r"\b(?:must|have to|going to have to) decline\b|\brefuse to\b|\bagainst my (?:policy|guidelines|programming)\b",
    r"\b(?:i'd|i would) (?:rather|prefer) not\b|\bi prefer not\b|\bi (?:aim|try) not to\b|\bi (?:won't|will not)\b",
    r"\bi (?:don't|do not) (?:identify|infer|make|judge|assume|compare|speculate|guess|rate|rank|name)\b"
    r"|\bwould be inappropriate\b|\bnot comfortable\b",
)
_JUDGE = (
    r"(?:determine|tell|say|know|confirm|discern|make out|verify|judge|assess|identify|count|read|estimate|decide"
    r"|give an?|provide an?"
    r"|see (?:inside|what|whether|if|who|where|how|which|through|behind)"
    r"|be (?:\w{1,30} )?(?:sure|certain)|answer)"
)
_ENOUGH = r"(?:enough|sufficient) (?:information|context|detail)"
_HEDGES = (
    rf"\b{_UNABLE} (?:\w{{1,30}} )?{_JUDGE}\b(?! (?:you|who)\b)",
    rf"\b(?:impossible|not possible|isn't possible|hard|difficult|tough|tricky) to (?:\w{{1,30}} )?"
    rf"(?:see|give|provide|pin|make|{_JUDGE})\b|^(?:it|that|this) (?:isn't|is not) (?:shown|depicted|pictured)\b",
    r"\b(?:cannot|can't|can not|could not|couldn't) be (?:\w{1,30} )?"
    r"(?:determined|identified|told|answered|discerned|known|inferred|judged|verified|confirmed|seen|read|counted"
    r"|decided"
    r"|estimated|ascertained|made out)\b",
    r"(?:\bnot|n't|\bnever) (?:be |entirely |completely |really |fully |so |quite )?"
    r"(?:sure|certain|clear|visible|legible|readable|known|mentioned|stated|indicated|specified)\b",
    r"\b(?:unsure|uncertain|unclear|undetermined|indeterminate|unknown|illegible|ambiguous)\b",
    r"\bi (?:do not|don't) know\b|\bno idea\b|\bwho knows\b|\bdon't have (?:that|this|any|the) information\b"
    r"|\bno way (?:to|of)\b",
    r"\bnothing (?:\w{1,30} ){0,5}(?:confirm|indicate|suggest|tell)s?\b",
    r"\btoo (?:\w{1,30} ){1,3}to (?:tell|see|read|count|say|make out)\b",
    rf"\b(?:not|doesn't) (?:(?:give|provide|contain|offer|show) (?:\w{{1,30}} )?)?{_ENOUGH}",
    r"\b(?:insufficient|no) (?:information|context|detail)",
    r"\byes\s{0,2}(?:and|or|/)\s{0,2}no\b|\bno\s{0,2}(?:and|or|/)\s{0,2}yes\b",
    r"^(?:maybe|perhaps|possibly|it depends|could be|not necessarily|(?:it(?:'s| is) )?possible)(?=[.,!]|$)",
    r"\b(?:maybe|perhaps|possibly) (?:so|yes|no|not)\b.{0,12}\b(?:maybe|perhaps|possibly) (?:so|yes|no|not)\b",
    r"^either\b[^.]{1,60}\bor\b|\bit depends on\b|\b50[/-]50\b|\bfifty-fifty\b|\b(?:anyone|anybody)'s guess\b"
    r"|\bgo either way\b",
    r"\b(?:image|picture|photo|view|angle|it) (?:does not|doesn't) (?:reveal|indicate|specify|tell|say"
    r"|make (?:it )?clear"
    r"|show (?:whether|if|what|how|which|who|that|this|it)\b)",
    r"\bcontents? (?:is|are) (?:hidden|concealed|covered|obscured)\b|\bout of (?:frame|view|shot|sight)\b",
    r"\b(?:could|might|may) be (?:\w{1,30} ){0,4}or\b|\b(?:could|might|may) be (?:either|both)\b",
)
_REFUSAL = re.compile("|".join(f"(?:{part})" for part in _REFUSALS))
_HEDGE = re.compile("|".join(f"(?:{part})" for part in _HEDGES))
_TENTATIVE = re.compile(r"\b(?:could|might|may|maybe|perhaps|possibly|both|either)\b")
_POLITE = re.compile(
    r"(?:(?:i(?: am|'m) (?:so |very )?sorry|sorry|my apologies|apologies|i apologi[sz]e|unfortunately|i'm afraid|well"
    r"|hmm|hm|oh|honestly|actually|however|that said)\b"
    r"(?: (?:for|about) [^.,!;]{1,40})?[,.!]? {0,2}(?:but |that )?){1,3}",
    re.IGNORECASE,
)
_TURN = re.compile(
    r"(?:[,;:]\s)(?:but|however|though|although|yet|so|and|as|since|because)?\b\s?"
    r"|\s(?:but|however|though|although|because)\s",
    re.IGNORECASE,
)
_REASONS = frozenset(("as", "since", "because"))
_RETURNS = frozenset(("but", "however", "though", "although", "yet"))
_SETTING = re.compile(
    r"(?:for|due to|because of|out of|given|without|as an?|from (?:this|the)|based on|with)\b(?! what i)", re.IGNORECASE
)
_RETURN = re.compile(r"(?:but|however|that said|still|nevertheless|nonetheless|what i can)\b", re.IGNORECASE)
_CONCEDES = re.compile(r"(?:although|though|while|even though)\b", re.IGNORECASE)


def is_refusal(text: str) -> bool:
    """Whether a text declines to answer, or says that there is no picture.

    >>> is_refusal("I'm sorry, but I can't help with that."), is_refusal("I can't see a dog."), is_refusal("No.")
    (True, False, False)
    """
    return _REFUSAL.search(text.lower()) is not None


def is_hedge(text: str) -> bool:
    """Whether a text leaves open what it says.

    >>> is_hedge("It cannot be determined."), is_hedge("Not sure."), is_hedge("It is clear.")
    (True, True, False)
    """
    return _HEDGE.search(text.lower().strip(" \"'(")) is not None


def is_tentative(text: str) -> bool:
    """Whether a text names a possibility, or several things at once."""
    return _TENTATIVE.search(text.lower()) is not None


def settled_text(text: str) -> str:
    """What a reply says beside its apologies, refusals and hedges; empty where it says nothing else.

    >>> settled_text("I'm not sure, but it looks like a dog."), settled_text("I cannot tell.")
    ('it looks like a dog.', '')
    """
    kept: list[str] = []
    has_refused = False
    for sentence in split_sentences(text):
        plain = _strip_apology(sentence)
        if is_refusal(plain) or is_hedge(plain):
            has_refused |= is_refusal(plain)
            kept += map(_strip_apology, _settled_clauses(plain))
        elif not has_refused or _RETURN.match(sentence):
            kept.append(plain)
    return "\n".join(part for part in kept if part)


def _settled_clauses(sentence: str) -> Iterator[str]:
    """The clauses that neither refuse nor hedge nor give a reason; after a refusal only what is set against it."""
    start, word, has_refused = 0, "", False
    pending = ""  # held back, since "so I can't tell" makes it a reason
    concedes = _CONCEDES.match(sentence) is not None
    for turn in [*_TURN.finditer(sentence), None]:
        clause = sentence[start : turn.start() if turn else len(sentence)].strip()
        if word != "so" or not (is_refusal(clause) or is_hedge(clause)):
            yield pending
        pending = ""
        if is_refusal(clause):
            has_refused = True
        elif _SETTING.match(clause) and turn and not word:  # "For privacy reasons, I can't …"
            pass
        elif not is_hedge(clause) and word not in _REASONS and (not has_refused or concedes or word in _RETURNS):
            pending = clause
        if turn:
            start, word = turn.end(), turn[0].strip(" ,;:\n").lower()
    yield pending


def _strip_apology(text: str) -> str:
    match = _POLITE.match(text)
    return text[match.end() :].strip() if match else text
