// Small helps for hands: keys, boxes, charts. Every page works without them.

const typing = (target) => target.closest("input, select, textarea, dialog");
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

// Charts are drawn where they stand, in the colours of the page, light or dark.

const token = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

// As many panels side by side as there is room for, and never wider than the page.
function fitted(spec, room) {
  delete spec.title; // it stands above the chart already, as text
  const names = 170;
  const panel = spec.spec ?? spec;
  const gap = 40;
  if (panel.width + names > room) panel.width = Math.max(room - names, 120);
  if (spec.columns) spec.columns = Math.max(1, Math.min(spec.columns, Math.floor((room - names + gap) / (panel.width + gap))));
  else if (spec.encoding?.color && room < 700) spec.encoding.color.legend.columns = 2;
  return spec;
}

async function draw(place) {
  const spec = await (await fetch(place.dataset.chart)).json();
  const text = JSON.stringify(spec).replace(/"var\(--([a-z-]+)\)"/g, (_, name) => JSON.stringify(token(name)));
  const drawn = fitted(JSON.parse(text), place.clientWidth);
  const tooltip = { disableDefaultStyle: true };
  await window.vegaEmbed(place, drawn, { ast: true, actions: false, renderer: "svg", defaultStyle: false, tooltip });
}

async function drawAll() {
  const places = [...document.querySelectorAll("[data-chart]")];
  if (!places.length) return;
  await import("/static/vega.js");
  for (const place of places) await draw(place);
  document.body.dataset.drawn = "yes";
}

drawAll();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
