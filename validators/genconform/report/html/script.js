"use strict";
// The page is whole without this. It filters rows, marks the chosen route, moves between routes by
// arrow keys, and opens what is closed before the page is printed.
(() => {
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const field = document.getElementById("filter");
  const attention = document.getElementById("attention");
  const shown = document.getElementById("shown");
  const rows = all("[data-row]").map((row) => ({
    row,
    text: row.textContent.toLowerCase(),
    bad: "bad" in row.dataset,
  }));
  const opened = new Set();

  function filter() {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const active = words.length > 0 || attention.checked;
    let count = 0;
    for (const { row, text, bad } of rows) {
      const fits = words.every((word) => text.includes(word)) && (bad || !attention.checked);
      row.hidden = !fits;
      count += fits;
    }
    for (const details of opened) details.open = false;
    opened.clear();
    for (const details of all("main details")) {
      const inside = all("[data-row]", details);
      const left = inside.filter((row) => !row.hidden);
      const itself = "row" in details.dataset && !details.hidden;
      if (inside.length && !itself) details.hidden = active && left.length === 0;
      if (active && left.length && !details.open) {
        details.open = true;
        opened.add(details);
      }
    }
    shown.textContent = active ? `${count} of ${rows.length} shown` : "";
  }

  const links = all("#graph a.route");
  const graph = document.getElementById("graph");
  const beside = matchMedia("(min-width: 62rem)");

  function choose() {
    for (const link of links) {
      if (link.hash === location.hash) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
    const page = location.hash.startsWith("#route-") && document.querySelector(location.hash);
    if (page) page.querySelector("h3").focus({ preventScroll: beside.matches });
  }

  // Where the page of a route stands beside the graph, choosing one leaves the graph where it is.
  function stay(event) {
    const link = event.target.closest("a.route");
    if (!link || !beside.matches || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const top = scrollY;
    location.hash = link.hash;
    scrollTo(0, top);
  }

  function move(event) {
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    const visible = links.filter((link) => !link.closest("[hidden]"));
    const place = visible.indexOf(document.activeElement);
    if (!step || place < 0) return;
    event.preventDefault();
    visible[(place + step + visible.length) % visible.length].focus();
  }

  field.form.hidden = false;
  field.form.addEventListener("submit", (event) => event.preventDefault());
  field.addEventListener("input", filter);
  attention.addEventListener("change", filter);
  addEventListener("hashchange", choose);
  graph?.addEventListener("keydown", move);
  graph?.addEventListener("click", stay);
  addEventListener("beforeprint", () => {
    for (const details of all("details.card")) details.open = true;
  });
  choose();
})();
