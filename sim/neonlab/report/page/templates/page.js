"use strict";
// Without this script the page shows its first core; with it, the one that was chosen, and who waits for whom.
const costs = JSON.parse(document.getElementById("costs").textContent);
const chooser = document.getElementById("core");

function show(core) {
  for (const part of document.querySelectorAll("[data-core]")) part.hidden = part.dataset.core !== core;
  for (const row of document.querySelectorAll("tr[data-cost]")) {
    const [listing, at] = row.dataset.cost.split(".").map(Number);
    const cost = (costs[core] || [])[listing]?.[at];
    const [, , cycles, stalled] = row.cells;
    cycles.textContent = cost && cost[0] ? cost[0].toLocaleString("en-US") : "";
    cycles.className = "number" + (cost && cost[3] ? " h" + cost[3] : "");
    stalled.textContent = cost && cost[1] ? cost[1].toLocaleString("en-US") : "";
    stalled.title = cost ? cost[2] : "";
  }
}

if (chooser) {
  const wanted = decodeURIComponent(location.hash.match(/core=([\w-]+)/)?.[1] || "");
  if ([...chooser.options].some((option) => option.value === wanted)) chooser.value = wanted;
  chooser.addEventListener("change", () => show(chooser.value));
  show(chooser.value);
}

const svgNamespace = "http://www.w3.org/2000/svg";
for (const picture of document.querySelectorAll("svg.pipeline")) {
  const rows = [...picture.querySelectorAll(".row")];
  const drawn = picture.appendChild(document.createElementNS(svgNamespace, "g"));
  const leave = () => {
    drawn.replaceChildren();
    for (const row of rows) row.classList.remove("source");
  };
  const enter = (row) => {
    leave();
    const [x, y] = [Number(row.dataset.issued), Number(row.dataset.y)];
    for (const at of (row.dataset.waits || "").split(" ").filter(Boolean).map(Number)) {
      const source = rows[at];
      source.classList.add("source");
      const line = drawn.appendChild(document.createElementNS(svgNamespace, "path"));
      line.setAttribute("class", "dependence");
      line.setAttribute("d", `M${source.dataset.ready} ${source.dataset.y}L${x} ${y}`);
    }
  };
  rows.forEach((row, at) => {
    row.addEventListener("mouseenter", () => enter(row));
    row.addEventListener("focus", () => enter(row));
    row.addEventListener("mouseleave", leave);
    row.addEventListener("blur", leave);
    row.addEventListener("keydown", (event) => {
      const next = { ArrowDown: at + 1, ArrowUp: at - 1 }[event.key];
      if (rows[next]) {
        event.preventDefault();
        rows[next].focus();
      }
    });
  });
}
