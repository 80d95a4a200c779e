// Small helps for pages that are files: keys, boxes, tables that are ordered and searched in place. No server is asked.

(() => {
  const all = (query, within = document) => [...within.querySelectorAll(query)];

  // A click on a column head orders its table, another one turns the order round.

  const said = (cell) => {
    const text = (cell.querySelector(".value") ?? cell).textContent.trim();
    const number = Number.parseFloat(text.replace(/,/g, ""));
    return /^[-+]?[\d.,]+\s*%?$/.test(text) ? number : text.toLowerCase();
  };

  const less = (one, other) => {
    if (typeof one === typeof other) return one < other ? -1 : one > other ? 1 : 0;
    return typeof one === "number" ? -1 : 1;
  };

  // What is ordered: rows, or bodies where a table has one for each model.
  const parts = (table) => (table.tBodies.length > 1 ? [...table.tBodies] : [...(table.tBodies[0]?.rows ?? [])]);

  function order(head) {
    const table = head.closest("table");
    const place = [...head.parentElement.cells].reduce((sum, cell) => (cell === head ? sum : cell.cellIndex < head.cellIndex ? sum + cell.colSpan : sum), 0);
    const up = head.getAttribute("aria-sort") === "descending" || (head.getAttribute("aria-sort") !== "ascending" && !head.classList.contains("number"));
    for (const other of all("th[aria-sort]", table)) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    const keyed = parts(table).map((part, number) => {
      const cell = (part.rows?.[0] ?? part).cells[place];
      return { part, number, key: cell ? said(cell) : "" };
    });
    keyed.sort((a, b) => (up ? 1 : -1) * less(a.key, b.key) || a.number - b.number);
    keyed[0].part.parentElement.append(...keyed.map(({ part }) => part));
  }

  for (const table of all("table")) {
    const head = table.tHead?.rows[table.tHead.rows.length - 1];
    if (!head || parts(table).length < 2) continue;
    for (const cell of head.cells) {
      if (cell.tagName !== "TH" || !cell.textContent.trim()) continue;
      cell.classList.add("orders");
      cell.tabIndex = 0;
      cell.addEventListener("click", () => order(cell));
      cell.addEventListener("keydown", (event) => {
        if (event.key === "Enter") order(cell);
      });
    }
  }

  // A search narrows its table while one types.

  for (const field of all("[data-filter]")) {
    const rows = [...document.getElementById(field.dataset.filter).tBodies[0].rows];
    const texts = rows.map((row) => row.textContent.toLowerCase());
    field.addEventListener("input", () => {
      const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      rows.forEach((row, place) => {
        row.hidden = !words.every((word) => texts[place].includes(word));
        shown += !row.hidden;
      });
      document.querySelector("[data-shown]").textContent = `${shown} of ${rows.length} groups`;
    });
  }

  // The same keys as on the server.

  const go = (rel) => {
    const link = document.querySelector(`link[rel="${rel}"]`);
    if (link) location.assign(link.href);
    return Boolean(link);
  };

  function step(by) {
    const rows = all("a[data-row]");
    if (!rows.length) return go(by > 0 ? "next" : "prev");
    const here = rows.indexOf(document.activeElement.closest("[data-row]"));
    const there = here < 0 ? (by > 0 ? 0 : rows.length - 1) : here + by;
    return rows[there] ? rows[there].focus() : go(by > 0 ? "next" : "prev");
  }

  const keys = {
    j: () => step(1),
    k: () => step(-1),
    b: () => document.body.classList.toggle("boxes"),
    u: () => go("up"),
    "/": () => document.querySelector("[data-search]")?.focus(),
    "?": () => document.querySelector("#help")?.showModal(),
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea, dialog[open]")) return;
    const act = keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
  document.querySelector("[data-help]")?.addEventListener("click", keys["?"]);
  for (const dialog of all("dialog")) {
    const close = dialog.querySelector("[data-close]");
    close?.addEventListener("click", () => dialog.close());
  }
  document.body.dataset.ready = "yes";
})();
