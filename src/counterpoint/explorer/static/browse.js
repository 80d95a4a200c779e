// Browse answers while the hand moves: the page of the new filter is fetched, and what differs is put in its place.
// Each choice is a step of the history, so Back undoes it; what is typed or dragged in one go is one step.

const wait = { input: 90, typed: 250 };
const form = () => document.querySelector("[data-browse]");
let timer = 0;
let last = "";
let asked = new AbortController();

// Everything that is chosen; the whole range of scores, and what is empty, need not be said.
function address() {
  const said = [...new FormData(form())].filter(([name, value]) => {
    if (!value) return false;
    return !((name === "low" && Number(value) === 0) || (name === "high" && Number(value) === 1));
  });
  const query = new URLSearchParams(said);
  return `/browse${query.size ? `?${query}` : ""}`;
}

// The handles do not pass each other, and say where they are.
function held(moved) {
  const [low, high] = ["low", "high"].map((name) => form().elements[name]);
  if (!low) return;
  if (moved === low && Number(low.value) > Number(high.value)) low.value = high.value;
  if (moved === high && Number(high.value) < Number(low.value)) high.value = low.value;
  const ends = form().querySelectorAll(".bounds b");
  [low, high].forEach((one, place) => { ends[place].textContent = Number(one.value).toFixed(2); });
  const bars = form().querySelectorAll(".bounds rect");
  bars.forEach((bar, place) => {
    const inside = place >= Math.round(low.value * (bars.length - 1)) && place <= Math.round(high.value * (bars.length - 1));
    bar.classList.toggle("inside", inside);
  });
}

function swap(fresh, selector) {
  const [here, there] = [document.querySelector(selector), fresh.querySelector(selector)];
  if (here && there) here.replaceWith(document.adoptNode(there));
}

// What is under the hand stays; the rest is that of the new page.
function show(fresh, { whole }) {
  if (whole) {
    swap(fresh, ".browse");
  } else {
    swap(fresh, "#found");
    swap(fresh, "#facets");
    for (const box of form().querySelectorAll("select, datalist")) {
      const there = fresh.querySelector(box.id ? `#${box.id}` : `select[name="${box.name}"]`);
      if (!there) continue;
      const value = box.value;
      box.replaceChildren(...[...there.children].map((option) => document.adoptNode(option)));
      if (box.name) box.value = value;
    }
    if (document.activeElement?.type !== "range") swap(fresh, "#slider");
  }
  for (const rel of ["prev", "next", "alternate"]) {
    document.querySelector(`link[rel="${rel}"]`)?.remove();
    const link = fresh.querySelector(`link[rel="${rel}"]`);
    if (link) document.head.append(document.adoptNode(link));
  }
  swap(fresh, "footer a"); // the twin
  form().querySelector("button").hidden = true;
  held();
}

async function look(there, { whole = false, control = "" } = {}) {
  asked.abort();
  asked = new AbortController();
  document.querySelector("#found").setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(there, { signal: asked.signal, headers: { accept: "text/html" } });
    if (!answer.ok) throw new Error(answer.statusText);
    show(new DOMParser().parseFromString(await answer.text(), "text/html"), { whole });
    if (!whole) history[control && control === last ? "replaceState" : "pushState"](null, "", there);
    last = control;
  } catch (problem) {
    if (problem.name !== "AbortError") location.assign(there); // the server says what is wrong
  }
}

document.addEventListener("input", (event) => {
  const control = event.target;
  if (control.form !== form()) return;
  held(control);
  clearTimeout(timer);
  const kind = ["low", "high"].includes(control.name) ? "bounds" : control.type === "search" ? control.name : "";
  timer = setTimeout(() => look(address(), { control: kind }), control.type === "search" ? wait.typed : wait.input);
});
document.addEventListener("submit", (event) => {
  if (event.target !== form()) return;
  event.preventDefault();
  clearTimeout(timer);
  look(address());
});
window.addEventListener("popstate", () => look(location.href, { whole: true }));
form().querySelector("button").hidden = true;

document.addEventListener("click", async (event) => {
  const link = event.target.closest("[data-link]");
  if (!link || !navigator.clipboard) return;
  event.preventDefault();
  await navigator.clipboard.writeText(link.href);
  link.textContent = "link copied";
});
