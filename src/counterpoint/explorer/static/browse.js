// Find answers while the hand moves: the page of the new filter is fetched, and what differs is put in its place.

const form = document.querySelector("[data-browse]");
const wait = { input: 90, typed: 250 };
let timer = 0;
let asked = new AbortController();

// Everything that is chosen; the whole range of scores, and what is empty, need not be said.
function address() {
  const said = [...new FormData(form)].filter(([name, value]) => {
    if (!value) return false;
    return !((name === "low" && Number(value) === 0) || (name === "high" && Number(value) === 1));
  });
  const query = new URLSearchParams(said);
  return `/browse${query.size ? `?${query}` : ""}`;
}

// The handles do not pass each other, and say where they are.
function held(moved) {
  const [low, high] = ["low", "high"].map((name) => form.elements[name]);
  if (!low) return;
  if (moved === low && Number(low.value) > Number(high.value)) low.value = high.value;
  if (moved === high && Number(high.value) < Number(low.value)) high.value = low.value;
  const ends = form.querySelectorAll(".bounds b");
  [low, high].forEach((one, place) => { ends[place].textContent = Number(one.value).toFixed(2); });
  const last = form.querySelectorAll(".bounds rect").length - 1;
  form.querySelectorAll(".bounds rect").forEach((bar, place) => {
    bar.classList.toggle("inside", place >= Math.round(low.value * last) && place <= Math.round(high.value * last));
  });
}

function swap(fresh, selector) {
  const [here, there] = [document.querySelector(selector), fresh.querySelector(selector)];
  if (here && there) here.replaceWith(document.adoptNode(there));
}

function shown(fresh) {
  swap(fresh, "#found");
  for (const box of form.querySelectorAll("select, datalist")) {
    const same = box.id ? `#${box.id}` : `select[name="${box.name}"]`;
    const there = fresh.querySelector(same);
    if (!there) continue;
    const value = box.value;
    box.replaceChildren(...[...there.children].map((option) => document.adoptNode(option)));
    if (box.name) box.value = value;
  }
  const moving = document.activeElement?.type === "range";
  if (!moving) swap(fresh, "#slider");
  for (const rel of ["prev", "next", "alternate"]) {
    document.querySelector(`link[rel="${rel}"]`)?.remove();
    const link = fresh.querySelector(`link[rel="${rel}"]`);
    if (link) document.head.append(document.adoptNode(link));
  }
  swap(fresh, "footer a"); // the twin
  held();
}

async function look() {
  asked.abort();
  asked = new AbortController();
  const there = address();
  document.querySelector("#found").setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(there, { signal: asked.signal, headers: { accept: "text/html" } });
    if (!answer.ok) throw new Error(answer.statusText);
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    shown(fresh);
    history.replaceState(null, "", there);
  } catch (problem) {
    if (problem.name !== "AbortError") location.assign(there); // the server says what is wrong
  }
}

function soon(milliseconds) {
  clearTimeout(timer);
  timer = setTimeout(look, milliseconds);
}

form.addEventListener("input", (event) => {
  held(event.target);
  soon(event.target.type === "search" ? wait.typed : wait.input);
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  soon(0);
});
form.querySelector("button").hidden = true;

document.addEventListener("click", async (event) => {
  const link = event.target.closest("[data-link]");
  if (!link || !navigator.clipboard) return;
  event.preventDefault();
  await navigator.clipboard.writeText(link.href);
  link.textContent = "link copied";
});
