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
