// Review: items one at a time. A vote is kept in the browser until the server has it on disk, and sent again until then.

const task = document.querySelector("main").dataset.task;
const find = (name) => document.querySelector(`[data-${name}]`);
const made = (tag, text = "", kind = "") => {
  const element = document.createElement(tag);
  if (text) element.textContent = text;
  if (kind) element.className = kind;
  return element;
};
const newId = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const keyOf = (item) => [item.suite, item.group, item.query].join(" ");

const state = { voter: "", token: "", standing: "", done: 0, left: 0, seconds: 0, queue: [], history: [], at: null, saved: 0 };
let since = performance.now(); // when the item came on the screen
let hidden = 0; // when the page was hidden, so that a pause does not count

// Votes that the server has not acknowledged: they outlive a reload and a crash of the browser.

const store = () => `counterpoint-votes ${task} ${state.voter}`;
let held = []; // where the browser keeps nothing, as some do in private windows
const waiting = () => {
  try {
    return JSON.parse(localStorage.getItem(store()) ?? "[]").concat(held);
  } catch {
    return held;
  }
};
const keep = (votes) => {
  try {
    if (votes.length) localStorage.setItem(store(), JSON.stringify(votes));
    else localStorage.removeItem(store());
    held = [];
  } catch {
    held = votes;
  }
};

let sending = false;
let delay = 0;

async function send() {
  if (sending) return;
  sending = true;
  for (let [vote] = waiting(); vote; [vote] = waiting()) {
    const outcome = await post(vote);
    if (outcome === "again") {
      delay = Math.min(Math.max(2 * delay, 250), 8000);
      status();
      await new Promise((done) => setTimeout(done, delay));
    } else {
      delay = 0;
      keep(waiting().filter((other) => other.vote !== vote.vote));
    }
  }
  sending = false;
  status();
}

async function post(vote) {
  try {
    const answer = await fetch(`/review/${task}/votes`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Counterpoint-Token": state.token, Accept: "application/json" },
      body: JSON.stringify(vote),
    });
    if (answer.status === 201) {
      state.saved = Date.now();
      follow(await answer.json());
      problem("");
      return "saved";
    }
    if (answer.status === 403) await refresh(); // the server was started again, and has a new token
    const told = await answer.json().catch(() => ({}));
    if (answer.status === 401) problem("This page needs the link that you were sent. Your votes are kept in this browser.");
    if (answer.status >= 500) problem(`${told.problem ?? `The server has a fault (${answer.status}).`} Votes are kept in this browser, and sent again.`);
    if ([401, 403, 429].includes(answer.status) || answer.status >= 500) return "again";
    problem(`A vote was refused: ${told.problem ?? answer.status}`);
    return "refused";
  } catch {
    problem("The server does not answer. Votes are kept in this browser, and sent again.");
    return "again";
  }
}

async function refresh() {
  const answer = await fetch(`/review/${task}/items`, { headers: { Accept: "application/json" } });
  if (!answer.ok) return false;
  const told = await answer.json();
  state.voter = told.voter;
  if (!state.history.length) state.history = told.history;
  follow(told);
  return true;
}

// What the server says comes after what is on the screen; items with a vote on its way are not shown again.

function follow(told) {
  for (const name of ["token", "standing", "done", "left", "seconds"]) state[name] = told[name];
  const sent = new Set(waiting().map((vote) => keyOf(vote)));
  const kept = state.queue.slice(0, 1);
  const fresh = told.items.filter((item) => !sent.has(keyOf(item)) && !kept.some((held) => keyOf(held) === keyOf(item)));
  const first = kept.length ? keyOf(kept[0]) : "";
  state.queue = [...kept, ...fresh];
  prefetch(state.queue.map((item) => item.picture));
  if ((state.queue.length ? keyOf(state.queue[0]) : "") !== first || !state.queue.length) draw();
  else status();
}

// Pictures of the next items, fetched and decoded while this one is judged.

let prefetched = new Map();

function prefetch(addresses) {
  const known = prefetched;
  prefetched = new Map(addresses.filter(Boolean).map((address) => [address, known.get(address) ?? load(address)]));
}

function load(address) {
  const image = made("img");
  image.src = address;
  image.decode().catch(() => prefetched.delete(address)); // it is asked for again when it is shown
  return image;
}

const current = () => (state.at === null ? state.queue[0] : state.history[state.at].item);

function vote(choice, more = {}) {
  const item = current();
  if (!item) return;
  const past = state.at === null ? null : state.history[state.at];
  const id = newId();
  const seconds = Math.round(performance.now() - since) / 1000;
  const row = { vote: id, suite: item.suite, group: item.group, query: item.query, choice, seconds, ...more };
  if (past) {
    state.at = null;
    if (past.choice === choice && !Object.keys(more).length) return draw();
    row.replaces = past.vote;
    Object.assign(past, { vote: id, choice, value: "", reason: "", note: "", corrections: [], ...more });
  } else {
    state.queue.shift();
    state.history.push({ vote: id, item, choice, value: "", reason: "", note: "", corrections: [], ...more });
    state.done += 1;
    state.left = Math.max(state.left - 1, 0);
  }
  keep([...waiting(), row]);
  draw();
  send();
}

function back() {
  const last = state.at === null ? state.history.length : state.at;
  if (last === 0) return;
  state.at = last - 1;
  draw();
}

function forward() {
  if (state.at === null) return;
  state.at = state.at + 1 < state.history.length ? state.at + 1 : null;
  draw();
}

// The screen.

function draw() {
  const item = current();
  since = performance.now();
  find("item").hidden = !item;
  find("empty").hidden = Boolean(item) || !state.voter;
  if (item) show(item, state.at === null ? null : state.history[state.at]);
  else find("empty-text").textContent = emptiness();
  find("undo").disabled = state.at === null ? !state.history.length : state.at === 0;
  find("forward").hidden = state.at === null;
  status();
}

function emptiness() {
  if (waiting().length) return "The next item comes when your last votes are saved.";
  if (state.standing === "disqualified") {
    return "There are no more items for you: too many of your answers to items with a known answer differ from it. Thank you.";
  }
  return state.left ? "The next item is on its way." : "Nothing is waiting for you at the moment. Thank you.";
}

function show(item, past) {
  find("about").textContent = item.about;
  find("question").textContent = item.question;
  find("context").textContent = item.context;
  find("context").hidden = !item.context;
  picture(item);
  find("texts").replaceChildren(...item.texts.map((text) => line(text, item.texts.length > 1)));
  find("proof").textContent = item.proof ? `Proof: ${item.proof}` : "";
  find("proof").hidden = !item.proof;
  find("free").hidden = !item.free;
  find("free").reset();
  wrong(false);
  find("choices").replaceChildren(...item.choices.map((choice, place) => option(choice, place + (item.free ? 2 : 1), past)));
  if (item.free) {
    find("free").elements.answer.value = past && past.choice !== "ambiguous" ? past.value || past.choice : "";
    find("free").elements.answer.focus({ preventScroll: true });
  } else document.activeElement?.blur();
}

function line(text, numbered) {
  const row = made("li");
  if (numbered) row.append(made("span", text.name, "small"), " ");
  const words = made("span", "", "said");
  words.append(...text.text.map((piece) => (piece.changed ? made("b", piece.text) : document.createTextNode(piece.text))));
  row.append(words);
  if (text.gold) row.append(made("span", `gold: ${text.gold}`, "gold"));
  if (text.said) row.append(made("span", `people: ${text.said}`, "small"));
  return row;
}

function option(choice, number, past) {
  const button = made("button", "", "voting-option");
  button.type = "button";
  button.append(made("kbd", String(number)), made("span", choice.label));
  button.setAttribute("aria-pressed", String(past?.choice === choice.value));
  button.addEventListener("click", () => choose(choice.value));
  return button;
}

function choose(value) {
  if (task === "audit" && value === "wrong") wrong(true);
  else vote(value);
}

function picture(item) {
  const place = find("picture");
  place.replaceChildren();
  find("closer").hidden = !item.picture;
  if (!item.picture) return;
  const link = made("a", "", "zoom");
  link.href = item.large;
  link.dataset.zoom = "";
  const image = prefetched.get(item.picture) ?? load(item.picture);
  image.alt = "the picture that the texts are about";
  if (item.width) Object.assign(image, { width: item.width, height: item.height });
  link.append(image);
  place.append(link);
  if (item.boxes.length) place.append(boxes(item));
}

function boxes(item) {
  const drawn = (tag, given, text = "") => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(given)) element.setAttribute(name, value);
    element.textContent = text;
    return element;
  };
  const svg = drawn("svg", { viewBox: `0 0 ${item.width} ${item.height}`, "aria-hidden": "true" });
  const font = Math.max(item.width / 30, 7);
  for (const { name, x, y, width, height } of item.boxes) {
    const top = y >= 1.45 * font ? y - 1.45 * font : y;
    svg.append(
      drawn("rect", { class: "box", x, y, width, height, rx: 2 }),
      drawn("rect", { class: "plate", x, y: top, width: font * (0.56 * name.length + 0.8), height: 1.45 * font, rx: 2 }),
      drawn("text", { class: "label", x: x + 0.4 * font, y: top + 1.06 * font, "font-size": font }, name),
    );
  }
  return svg;
}

// What is wrong with a gold.

function wrong(opened) {
  const form = find("wrong");
  const item = current();
  const past = state.at === null ? null : state.history[state.at];
  form.hidden = !opened;
  for (const name of ["choices", "texts"]) find(name).hidden = opened; // the form has the texts, each with its gold
  if (!opened) return;
  form.reset();
  find("causes").replaceChildren(
    ...item.causes.map((cause, place) => {
      const label = made("label", "", "voting-option");
      const input = Object.assign(made("input"), { type: "radio", name: "reason", value: cause.value, required: true });
      input.checked = past?.reason === cause.value;
      label.append(input, made("kbd", String(place + 1)), made("span", cause.label));
      return label;
    }),
  );
  find("golds").replaceChildren(...item.texts.map((text) => correction(text, item, past)));
  checkGolds();
  form.elements.note.value = past?.note ?? "";
  find("causes").querySelector("input:checked, input").focus();
}

// A text whose gold may be wrong, and the correct one: the opposite of yes or no is filled in.

const opposite = { yes: "no", no: "yes" };

function correction(text, item, past) {
  const row = made("div", "", "correction");
  const known = past?.corrections.find((own) => own.query === text.query);
  const words = text.text.map((piece) => piece.text).join("");
  const label = made("label", "", "voting-option");
  const box = Object.assign(made("input"), { type: "checkbox", name: "query", value: text.query });
  box.checked = Boolean(known) || item.texts.length === 1;
  label.append(box, made("span", words), made("span", `gold: ${text.gold}`, "gold"));
  row.append(label);
  if (!item.correctable) return row;
  const answer = Object.assign(made("input"), { name: "answer", maxLength: 1000, autocomplete: "off", placeholder: "correct gold" });
  answer.setAttribute("aria-label", `The correct gold of: ${words}`);
  answer.value = known?.answer ?? (box.checked ? (opposite[text.gold] ?? "") : "");
  box.addEventListener("change", () => (answer.value = box.checked ? answer.value || (opposite[text.gold] ?? "") : ""));
  answer.addEventListener("input", () => {
    if (answer.value) box.checked = true;
    checkGolds();
  });
  row.append(answer);
  return row;
}

function checkGolds() {
  const boxes = [...find("golds").querySelectorAll("input[type=checkbox]")];
  boxes[0].setCustomValidity(boxes.some((box) => box.checked) ? "" : "Mark at least one gold as wrong.");
}

find("golds").addEventListener("change", checkGolds);
find("wrong").addEventListener("submit", (event) => {
  event.preventDefault();
  const marked = [...find("golds").children].filter((row) => row.querySelector("input").checked);
  const corrections = marked.map((row) => ({ query: row.querySelector("input").value, answer: row.querySelector("[name=answer]")?.value.trim() ?? "" }));
  vote("wrong", { reason: new FormData(event.target).get("reason"), note: event.target.elements.note.value, corrections });
});
find("cancel").addEventListener("click", () => wrong(false));

find("free").addEventListener("submit", (event) => {
  event.preventDefault();
  const answer = event.target.elements.answer.value.trim();
  if (answer) vote(answer, { value: answer });
});

// Head and foot.

function status() {
  const { done, left, seconds } = state;
  const item = current();
  const place = state.at === null ? Math.min(done + (item ? 1 : 0), done + left) : done - state.history.length + state.at + 1;
  find("count").textContent = state.voter && (item || done) ? `${place} of ${done + left}` : "";
  if (!item) find("about").textContent = "";
  Object.assign(find("progress"), { max: Math.max(done + left, 1), value: done });
  const count = waiting().length;
  const ago = Math.round((Date.now() - state.saved) / 1000);
  const saved = count
    ? `${delay ? "Not saved yet; kept in this browser" : "Saving"}: ${count} ${count === 1 ? "vote" : "votes"}`
    : state.saved ? (ago < 5 ? "Saved" : `Saved ${ago < 90 ? `${ago} seconds` : `${Math.round(ago / 60)} minutes`} ago`) : "";
  find("saved").textContent = [saved, `votes of ${state.voter}: ${done}`, seconds ? `time per item ${Math.max(Math.round(seconds), 1)} s` : ""].filter(Boolean).join(" · ");
  document.body.dataset.waiting = String(count);
}

function problem(text) {
  find("problem").textContent = text;
  find("problem").hidden = !text;
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("dialog[open]")) return;
  if (event.key === "Escape") {
    if (!find("wrong").hidden) wrong(false);
    document.activeElement?.blur();
    return;
  }
  const opened = !find("wrong").hidden;
  const typing = event.target.closest("input:not([type=radio], [type=checkbox])");
  if (typing) return;
  const number = Number(event.key);
  if (number >= 1 && opened) {
    const cause = find("causes").querySelectorAll("input")[number - 1];
    cause?.click();
    cause?.focus();
  } else if (number >= 1 && current()) {
    if (current().free && number === 1) find("free").elements.answer.focus();
    else find("choices").querySelectorAll("button")[number - (current().free ? 2 : 1)]?.click();
  } else if (event.key === "ArrowLeft" && !opened) back();
  else if (event.key === "ArrowRight" && !opened) forward();
  else if (event.key === "z") document.querySelector("[data-zoom]")?.click();
  else return;
  event.preventDefault();
});

find("undo").addEventListener("click", back);
find("forward").addEventListener("click", forward);
find("closer").addEventListener("click", () => document.querySelector("[data-zoom]")?.click());

document.addEventListener("visibilitychange", () => {
  if (document.hidden) hidden = performance.now();
  else if (hidden) [since, hidden] = [since + performance.now() - hidden, 0];
});

async function begin() {
  for (let pause = 250; !(await refresh().catch(() => false)); pause = Math.min(2 * pause, 8000)) {
    problem("The server does not answer; trying again.");
    await new Promise((done) => setTimeout(done, pause));
  }
  problem("");
  if (!state.queue.length) draw();
  document.body.dataset.voting = "yes";
  send();
  setInterval(() => {
    status();
    if (!state.queue.length && !waiting().length) refresh().catch(() => false); // items of others may have come back
  }, 5000);
}

begin();
