// Try a model: every change is asked at once; the newest request cancels older ones, and answers stream in.

const form = document.querySelector("form[data-play]");
const token = document.querySelector('meta[name="play-token"]').content;
const visitor = [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const find = (name) => document.querySelector(`[data-${name}]`);
const field = (name) => form.elements[name];
const MOVED = ["x", "y", "w", "h"];

function made(tag, text = "", kind = "") {
  const element = document.createElement(tag);
  if (text) element.textContent = text;
  if (kind) element.className = kind;
  return element;
}

// What stands in the form, without what is as it was.

function chosen() {
  const found = {};
  for (const [name, value] of new FormData(form)) {
    if (value instanceof File || ["token", "page"].includes(name)) continue;
    const kind = form.querySelector(`[name="${name}"]`).type;
    if (kind === "range" && value === "0") continue;
    if (kind === "number" && !form.querySelector(`[name="${name}"]`).validity.valid) continue;
    if (value !== "") found[name] = value;
  }
  if (!field("words").checked) found.words = "0";
  if (!found.mask) for (const name of MOVED) delete found[name];
  if (found.dropped) delete found.query;
  return found;
}

function addressed(found) {
  const said = new URLSearchParams(found);
  const usual = { mode: "question", draw: "1", noise: "1" };
  for (const [name, value] of Object.entries(usual)) if (said.get(name) === value) said.delete(name);
  if (found.mode === "captions") for (const name of ["question", "choices", "swap", "into"]) said.delete(name);
  return `/play?${said}`;
}

// The picture follows at once, the answers when they are there.

let waiting, now;
let turn = 0;

function moved() {
  for (const slider of form.querySelectorAll('input[type="range"]')) {
    slider.nextElementSibling.textContent = slider.value === "0" ? "" : slider.value;
  }
  find("reset").hidden = ![...form.querySelectorAll('input[type="range"]')].some((one) => one.value !== "0") && !field("mask").value;
  for (const part of form.querySelectorAll("[data-mode]")) part.hidden = part.dataset.mode !== field("mode").value;
  drawn();
  offered();
  clearTimeout(waiting);
  waiting = setTimeout(ask, 120);
}

async function ask() {
  now?.abort();
  const mine = (now = new AbortController());
  const asked = chosen();
  history.replaceState(null, "", addressed(asked));
  find("status").textContent = "asking …";
  try {
    const answer = await fetch("/play/answers", {
      method: "POST",
      signal: mine.signal,
      headers: { "Content-Type": "application/json", "X-Counterpoint-Token": token, Accept: "application/x-ndjson, application/json" },
      body: JSON.stringify({ ...asked, visitor, turn: (turn += 1) }),
    });
    if (!answer.ok) {
      const { problem, hint } = await answer.json();
      find("status").textContent = [problem, hint].filter(Boolean).join(" ");
      return;
    }
    for await (const event of lines(answer.body)) {
      if (mine.signal.aborted) return; // what had arrived before is of an older request
      told(event);
    }
  } catch (problem) {
    if (problem.name !== "AbortError") find("status").textContent = "The server cannot be reached.";
  }
}

async function* lines(stream) {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const found = (rest + value).split("\n");
    rest = found.pop();
    for (const line of found) yield JSON.parse(line);
  }
}

let state = { rows: [], models: [], left: 0, first: {}, mode: "question" };

function told(event) {
  if (event.event === "asked") begun(event);
  else if (event.event === "answer") answered(event);
  else if (event.event === "end") {
    state.left -= 1;
    if (event.problem) find("status").textContent = `${event.model}: ${event.problem}`;
    else if (state.left === 0 && find("status").textContent === "asking …") find("status").textContent = "";
    if (state.left === 0) compared();
  }
}

function begun(event) {
  state = { ...event, left: event.models.length, first: {}, answers: {} };
  const picture = find("picture");
  find("source").textContent = event.shown?.source ?? "no picture";
  find("edits").textContent = event.shown?.edits ?? "";
  find("gold").textContent = event.shown?.gold ? `Gold: ${event.shown.gold}` : "";
  if (event.shown && picture.getAttribute("src") !== event.shown.picture) picture.src = event.shown.picture;
  picture.hidden = !event.shown;
  areas(event.shown?.areas ?? []);
  find("notes").replaceChildren(...event.notes.map((note) => made("p", note, "note")));
  document.querySelector("#words").replaceChildren(...event.words.map((one) => Object.assign(made("option"), { value: one.word })));
  offered();
  const head = made("tr");
  head.append(...["Asked", ...event.models.map((one) => one.name)].map((name) => Object.assign(made("th", name), { scope: "col" })));
  const [thead, body] = [find("answers").tHead, find("answers").tBodies[0]];
  thead.replaceChildren(head);
  body.replaceChildren(...event.rows.map(row));
  if (!event.rows.length || !event.models.length) find("status").textContent = event.models.length ? "Type something to ask." : "";
}

function row(said, place) {
  const line = made("tr", "", place === 0 && state.mode === "question" ? "first" : "");
  const name = Object.assign(made("th"), { scope: "row" });
  const text = made("span", "", "text");
  text.append(...said.text.map((piece) => (piece.changed ? made("mark", piece.text) : piece.text)));
  const use = place && said.family !== "picture" && state.mode === "question" ? made("button", "use", "use") : null;
  if (use) {
    use.type = "button";
    use.title = "make this the question";
    use.addEventListener("click", () => {
      field("question").value = said.text.map((piece) => piece.text).join("");
      moved();
    });
  }
  const about = made("small", [said.family, said.name].filter(Boolean).join(" · "));
  about.title = said.does;
  if (use) about.append(" ", use);
  name.append(text, about);
  line.append(name, ...state.models.map((model) => Object.assign(made("td", "…", "unknown"), { id: `said-${place}-${model.slug}` })));
  for (const cell of line.cells) if (cell.tagName === "TD") cell.dataset.label = state.models[cell.cellIndex - 1].name;
  return line;
}

const bar = (width) => {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("width", width);
  svg.setAttribute("aria-hidden", "true");
  return svg;
};

const percent = (share) => `${Math.round(100 * share)} %`;
const value = (answer) => (answer.value || answer.raw).trim().toLowerCase();

function answered({ model, row: place, answer }) {
  const cell = document.getElementById(`said-${place}-${model}`);
  if (!cell) return;
  (state.answers[model] ??= {})[place] = answer;
  cell.className = "";
  cell.replaceChildren();
  if (answer.state === "failed") {
    cell.append(Object.assign(made("span", "failed", "unknown"), { title: answer.reason }));
    return;
  }
  const first = state.answers[model][0];
  const other = state.mode === "question" && place > 0 && first && first.state !== "failed" && value(first) !== value(answer);
  cell.append(made("span", `${other ? "≠ " : ""}${answer.shown}`, other ? "wrong" : "said"));
  if (["unparsed", "refused", "hedged"].includes(answer.state)) cell.append(" ", made("span", answer.state, "state"));
  if (state.mode === "captions") {
    if (state.models.find((one) => one.slug === model).scale === "probability") cell.append(" ", bar((60 * answer.score).toFixed(1)));
  } else if (place === 0) {
    for (const likely of answer.top.filter((one) => one.probability >= 0.01)) {
      const one = made("span", "", "bars");
      one.append(bar((60 * likely.probability).toFixed(1)), ` ${likely.value} ${percent(likely.probability)}`);
      cell.append(" ", one);
    }
  } else if (answer.top.length) cell.append(" ", made("small", percent(answer.top[0].probability)));
}

// Of two captions, which one a model prefers.

function compared() {
  if (state.mode !== "captions" || state.rows.length < 2) return;
  const line = made("tr");
  line.append(Object.assign(made("th", "fits better"), { scope: "row" }));
  for (const { slug, name } of state.models) {
    const [one, other] = [0, 1].map((place) => state.answers[slug]?.[place]?.score);
    const known = typeof one === "number" && typeof other === "number";
    const says = !known ? "–" : one === other ? "neither" : one > other ? "the first" : "the second";
    const cell = made("td", says);
    cell.dataset.label = name;
    line.append(cell);
  }
  find("answers").tBodies[0].append(line);
}

// Words that could stand in the place of the one that is swapped.

function offered() {
  const word = field("swap").value.trim().toLowerCase();
  const others = state.words?.find((one) => one.word === word)?.others ?? [];
  document.querySelector("#others").replaceChildren(...others.map((one) => Object.assign(made("option"), { value: one })));
}

// The mask: its box is drawn on the picture, by hand or by numbers.

const stage = find("stage");
const rect = stage.querySelector(".mask rect");

function drawn() {
  const on = field("mask").value !== "";
  stage.classList.toggle("masking", on);
  const [x, y, w, h] = MOVED.map((name) => Number(field(name).value));
  const sides = { x, y, width: Math.min(w, 100 - x), height: Math.min(h, 100 - y) };
  for (const [side, size] of Object.entries(sides)) rect.setAttribute(side, on ? size : 0);
}

let corner;
const at = (event) => {
  const box = stage.getBoundingClientRect();
  const within = (place, size) => Math.round(Math.min(Math.max((100 * place) / size, 0), 100));
  return [within(event.clientX - box.left, box.width), within(event.clientY - box.top, box.height)];
};

stage.addEventListener("pointerdown", (event) => {
  if (!field("mask").value || field("mask").value === "cut") return;
  event.preventDefault();
  stage.setPointerCapture(event.pointerId);
  corner = at(event);
});
stage.addEventListener("pointermove", (event) => {
  if (!corner) return;
  const there = at(event);
  const [x, y] = [0, 1].map((side) => Math.min(corner[side], there[side]));
  const [w, h] = [0, 1].map((side) => Math.max(Math.abs(corner[side] - there[side]), 1));
  MOVED.forEach((name, place) => (field(name).value = [x, y, w, h][place]));
  moved();
});
for (const name of ["pointerup", "pointercancel"]) stage.addEventListener(name, () => (corner = undefined));

function boxed(text) {
  text.split(" ").forEach((number, place) => (field(MOVED[place]).value = number));
  if (!field("mask").value) field("mask").value = "hide";
  moved();
}

function areas(found) {
  const place = find("areas");
  place.replaceChildren(
    ...found.map((one) => {
      const button = Object.assign(made("button", one.name, "chip"), { type: "button" });
      button.dataset.box = [one.x, one.y, one.w, one.h].join(" ");
      return button;
    }),
  );
}

find("areas").addEventListener("click", (event) => {
  const button = event.target.closest("[data-box]");
  if (button) boxed(button.dataset.box);
});

// Pictures: one of the lab, or one of one's own.

let own = document.querySelector('[data-pick][aria-current="true"]')?.dataset.question ?? "";

for (const pick of document.querySelectorAll("[data-pick]")) {
  pick.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    for (const other of document.querySelectorAll("[data-pick]")) other.removeAttribute("aria-current");
    pick.setAttribute("aria-current", "true");
    field("suite").value = pick.dataset.suite;
    field("query").value = pick.dataset.query;
    field("dropped").value = "";
    if (!field("question").value || field("question").value === own) {
      field("question").value = own = pick.dataset.question;
      field("choices").value = "";
    }
    moved();
  });
}

async function dropped(file) {
  if (!file) return;
  find("status").textContent = "sending the picture …";
  const answer = await fetch("/play/pictures", {
    method: "POST",
    headers: { "Content-Type": file.type || "application/octet-stream", "X-Counterpoint-Token": token, Accept: "application/json" },
    body: file,
  });
  const said = await answer.json();
  if (!answer.ok) {
    find("status").textContent = [said.problem, said.hint].filter(Boolean).join(" ");
    return;
  }
  for (const pick of document.querySelectorAll("[data-pick]")) pick.removeAttribute("aria-current");
  field("dropped").value = said.dropped;
  field("file").value = "";
  moved();
}

field("file").addEventListener("change", () => dropped(field("file").files[0]));
for (const place of [stage, find("drop")]) {
  place.addEventListener("dragover", (event) => {
    event.preventDefault();
    place.classList.add("over");
  });
  place.addEventListener("dragleave", () => place.classList.remove("over"));
  place.addEventListener("drop", (event) => {
    event.preventDefault();
    place.classList.remove("over");
    dropped(event.dataTransfer.files[0]);
  });
}

find("reset").addEventListener("click", () => {
  for (const slider of form.querySelectorAll('input[type="range"]')) slider.value = "0";
  field("mask").value = "";
  moved();
});

form.addEventListener("input", (event) => {
  if (event.target.type !== "file") moved();
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  moved();
});

moved();
document.body.dataset.playing = "yes";
