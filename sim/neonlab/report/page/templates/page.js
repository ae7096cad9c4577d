"use strict";
// Without this script the page shows its first core and its hottest loop; with it, what was chosen, and what a line of
// source, or a variant, is.
const costs = JSON.parse(document.getElementById("costs").textContent);
const chooser = document.getElementById("core");
const heat = document.getElementById("heat");
const told = document.querySelector(".told");
const number = (cell) => Number(cell.textContent.replaceAll(",", ""));
const words = (count) => count.toLocaleString("en-US");
const listed = [...document.querySelectorAll("tr[data-cost]")].map((row) => {
  const [listing, at] = row.dataset.cost.split(".").map(Number);
  return { row, listing, at, executed: number(row.cells[1]) };
});

// Heat from 1 to 9, which is the most there is, over three powers of ten.
function degree(count, most) {
  return count ? Math.max(1, Math.round(9 + (Math.log(count / most) * 9) / Math.log(1000))) : 0;
}

function show(core) {
  for (const part of document.querySelectorAll("[data-core]")) part.hidden = part.dataset.core !== core;
  const column = heat.selectedIndex; // as in the names of the columns below
  document.documentElement.dataset.heat = heat.value;
  const rows = listed.map(({ row, listing, at, executed }) => {
    const [cycles, stalled, causes] = (costs[core] || [])[listing]?.[at] || [0, 0, ""];
    return { row, causes, counts: [cycles, executed, stalled] };
  });
  for (const cell of document.querySelectorAll("td[data-inside]"))
    cell.textContent = "Σ " + words(JSON.parse(cell.dataset.inside)[core] || 0);
  const most = rows.reduce((sofar, one) => Math.max(sofar, one.counts[column]), 0);
  for (const { row, causes, counts } of rows) {
    const cells = [row.cells[2], row.cells[1], row.cells[3]];
    cells.forEach((cell, at) => {
      cell.textContent = counts[at] ? words(counts[at]) : "";
      const hot = at === column ? degree(counts[at], most) : 0;
      cell.className = "number" + (hot ? " h" + hot : "");
    });
    const waited = counts[2] ? `, stalled ${words(counts[2])}: ${causes}` : "";
    row.dataset.told = `line ${row.cells[0].textContent}: executed ${words(counts[1])} times, ${words(counts[0])} cycles${waited}`;
  }
}

if (chooser) {
  const wanted = decodeURIComponent(location.hash.match(/core=([\w-]+)/)?.[1] || "");
  if ([...chooser.options].some((option) => option.value === wanted)) chooser.value = wanted;
  for (const one of [chooser, heat]) one.addEventListener("change", () => show(chooser.value));
  show(chooser.value);
}

for (const loops of document.querySelectorAll("select.loops"))
  loops.addEventListener("change", () => {
    for (const part of document.querySelectorAll(`[data-core="${loops.dataset.of}"] [data-loop]`))
      part.hidden = part.dataset.loop !== loops.value;
  });

// Rows under the mouse or the focus: lines of source are told of in words, variants are shown in the charts.
function marked(row, on) {
  for (const one of row.closest("section").querySelectorAll(`.variant[data-number="${row.dataset.number}"]`))
    one.classList.toggle("chosen", on);
}
for (const [kind, selector] of [["source", "tr[data-cost]"], ["variants", "tr[data-number]"]])
  for (const table of document.querySelectorAll(`table.${kind}`)) {
    const rows = [...table.querySelectorAll(selector)];
    const enter = (row) => {
      if (kind === "source") told.textContent = row.dataset.told;
      else marked(row, true);
    };
    const leave = (row) => {
      if (kind === "source") told.textContent = "";
      else marked(row, false);
    };
    rows.forEach((row, at) => {
      for (const name of ["mouseenter", "focus"]) row.addEventListener(name, () => enter(row));
      for (const name of ["mouseleave", "blur"]) row.addEventListener(name, () => leave(row));
      row.addEventListener("keydown", (event) => {
        const next = rows[{ ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key]];
        if (!next) return;
        event.preventDefault();
        for (const one of rows) one.tabIndex = one === next ? 0 : -1;
        next.focus();
      });
    });
  }
