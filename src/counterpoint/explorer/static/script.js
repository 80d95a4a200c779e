// Small helps for hands: keys and boxes. Every page works without them.

// A closed dialog keeps the focus until the next frame is drawn, so only an open one takes the keys.
const typing = (target) => target.closest("input, select, textarea, dialog[open]");
const rows = () => [...document.querySelectorAll("[data-row]")];

function step(by) {
  const link = document.querySelector(`link[rel="${by > 0 ? "next" : "prev"}"]`);
  const all = rows();
  if (!all.length) {
    if (link) location.assign(link.href);
    return;
  }
  const here = all.indexOf(document.activeElement.closest("[data-row]"));
  const there = here < 0 ? (by > 0 ? 0 : all.length - 1) : here + by;
  if (all[there]) all[there].focus();
  else if (link) location.assign(link.href);
}

const keys = {
  j: () => step(1),
  k: () => step(-1),
  b: () => document.body.classList.toggle("boxes"),
  u: () => {
    const up = document.querySelector('link[rel="up"]');
    if (up) location.assign(up.href);
  },
  "/": () => document.querySelector("[data-search]")?.focus(),
  "?": () => document.querySelector("#help").showModal(),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
  const act = keys[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});

document.querySelector("[data-help]")?.addEventListener("click", keys["?"]);

for (const form of document.querySelectorAll("form[data-at-once]")) {
  form.addEventListener("change", () => {
    const chosen = new URLSearchParams([...new FormData(form)].filter(([, value]) => value));
    location.assign(`${form.action}${chosen.size ? `?${chosen}` : ""}#groups`);
  });
  form.querySelector("button").hidden = true;
}

// A closer look: the wheel or + and - zoom about the pointer, dragging moves. Without a script the link opens the picture.
const closer = document.querySelector("#zoom");
if (closer) {
  const [stage, image] = [closer.querySelector("div"), document.createElement("img")];
  let [scale, x, y, held] = [1, 0, 0, null];
  const place = () => { image.style.transform = `translate(${x}px, ${y}px) scale(${scale})`; };
  const magnify = (by, at = { x: 0, y: 0 }) => {
    const next = Math.min(Math.max(scale * by, 1), 16);
    [x, y] = next === 1 ? [0, 0] : [at.x - ((at.x - x) * next) / scale, at.y - ((at.y - y) * next) / scale];
    scale = next;
    place();
  };
  document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-zoom]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    [scale, x, y] = [1, 0, 0];
    place();
    image.src = link.href;
    image.alt = link.querySelector("img").alt;
    stage.replaceChildren(image);
    closer.showModal();
  });
  stage.addEventListener("wheel", (event) => {
    event.preventDefault();
    const box = stage.getBoundingClientRect();
    magnify(event.deltaY < 0 ? 1.2 : 1 / 1.2, { x: event.clientX - box.x - box.width / 2, y: event.clientY - box.y - box.height / 2 });
  }, { passive: false });
  stage.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    held = { x: event.clientX - x, y: event.clientY - y };
    stage.setPointerCapture(event.pointerId);
  });
  stage.addEventListener("pointermove", (event) => {
    if (!held) return;
    [x, y] = [event.clientX - held.x, event.clientY - held.y];
    place();
  });
  for (const end of ["pointerup", "pointercancel"]) stage.addEventListener(end, () => { held = null; });
  closer.addEventListener("keydown", (event) => {
    if (event.key === "+" || event.key === "=") magnify(1.2);
    if (event.key === "-") magnify(1 / 1.2);
  });
}

for (const box of document.querySelectorAll("[data-search-rows]")) {
  box.addEventListener("input", () => {
    const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of document.querySelectorAll(box.dataset.searchRows)) {
      row.hidden = !words.every((word) => row.dataset.name.includes(word));
    }
  });
}

// Parts that are fetched when they are opened, and again while the server is still making them.
for (const part of document.querySelectorAll("details[data-load]")) {
  const load = async () => {
    const response = await fetch(part.dataset.load).catch(() => null);
    if (!response?.ok) return;
    const found = new DOMParser().parseFromString(await response.text(), "text/html").querySelector("#similar");
    part.querySelector("[data-into]").replaceChildren(...found.childNodes);
    if (part.open && part.querySelector("progress")) setTimeout(load, 1500);
  };
  part.addEventListener("toggle", load, { once: true });
}

// The picture of a mark on a map.
const map = document.querySelector("[data-pictures]");
if (map) {
  const [image, words] = document.querySelectorAll(".map-preview > *");
  const preview = (event) => {
    const mark = event.target.closest("a[data-q]");
    if (!mark) return;
    image.src = `${map.dataset.pictures}${mark.dataset.q}.webp?width=320`;
    image.hidden = false;
    words.textContent = mark.getAttribute("aria-label");
  };
  for (const kind of ["pointerover", "focusin"]) map.addEventListener(kind, preview);
}
