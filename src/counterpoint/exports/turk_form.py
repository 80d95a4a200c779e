"""The form of a task on Mechanical Turk: an HTMLQuestion of its API (2017-01-17), or the layout of a project.

It loads nothing of another site. Its script takes the id of the assignment from the address, as the site gives it, and
sends the form to `externalSubmit` of the site or of its sandbox. The site fills in ${field} from the input table.
"""

from collections.abc import Mapping, Sequence
from html import escape

from counterpoint.core.votes import AMBIGUOUS, AuditCause, VoteTask

_STYLE = "img{max-width:100%;max-height:60vh}body{font:16px/1.4 sans-serif;max-width:46em}p{margin:.6em 0}"
_ASSIGNMENT = """const form = document.querySelector("form"), given = new URLSearchParams(location.search);
const site = given.get("turkSubmitTo") ?? "", id = given.get("assignmentId") ?? "";
if (/^https:\\/\\/([a-z]+\\.)*mturk\\.com(\\/|$)/.test(site)) form.action = new URL("/mturk/externalSubmit", site);
for (const field of document.getElementsByName("assignmentId")) field.value = id;
form.querySelector("[type=submit]").disabled = id === "ASSIGNMENT_ID_NOT_AVAILABLE"; // a preview"""
_OFFERED = """const place = document.querySelector("[data-choices]"), offered = place.dataset.choices.split(" | ");
if (offered.length > 1) {
  place.replaceChildren(...offered.map((value) => {
    const line = document.createElement("p"), label = document.createElement("label");
    const input = document.createElement("input");
    Object.assign(input, { type: "radio", name: "choice", value, required: true });
    label.append(input, " ", value);
    line.append(label);
    return line;
  }));
}"""
"""Radio buttons for the choices of a task; without any, the field stays in which an answer is typed."""


def turk_form(
    task: str, question: str, texts: Sequence[str], choices: Mapping[str, str], *, has_picture: bool = True
) -> str:
    """The form of one task, as a page; `texts` and `choices` are columns of the input table and labels by value."""
    shown = [f'<p class="{name}">${{{name}}}</p>' for name in texts]
    if has_picture:
        shown.insert(0, '<p><img src="${image}" alt="the picture"></p>')
    fields, script = [_radio(value, label) for value, label in choices.items()], _ASSIGNMENT
    if task == VoteTask.ANSWER:
        typed = f'<p><label>Your answer, or "{AMBIGUOUS}" <input name="choice" required></label></p>'
        fields, script = [f'<div data-choices="${{choices}}">{typed}</div>'], f"{_ASSIGNMENT}\n{_OFFERED}"
    if task == VoteTask.AUDIT:
        causes = "".join(f'<option value="{cause.value}">{cause.value}</option>' for cause in AuditCause)
        fields += [f'<p><label>Cause <select name="reason"><option value=""></option>{causes}</select></label></p>']
        fields += ['<p><label>Right answer <input name="value"></label></p>']
        fields += ['<p><label>Note <input name="note"></label></p>']
    lines = [
        "<!DOCTYPE html>",
        f'<meta charset="utf-8">\n<style>{_STYLE}</style>',
        '<form method="post" id="mturk_form" action="https://www.mturk.com/mturk/externalSubmit">',
        '<input type="hidden" name="assignmentId" id="assignmentId" value="">',
        *shown,
        f"<p><strong>{escape(question)}</strong></p>",
        *fields,
        '<p><input type="submit" id="submitButton" value="Submit"></p>',
        f"</form>\n<script>\n{script}\n</script>",
    ]
    return "\n".join(lines) + "\n"


def _radio(value: str, label: str) -> str:
    return f'<p><label><input type="radio" name="choice" value="{value}" required> {escape(label)}</label></p>'
