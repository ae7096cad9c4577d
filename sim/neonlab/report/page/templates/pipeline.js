"use strict";
// The row of a pipeline picture under the mouse or the focus shows whose results it takes, and is told of in words in
// the `.told` of the part of the page around it.  Pictures may come and go: nothing is bound to any of them.
{
  const make = (parent, kind, attributes) => {
    const one = document.createElementNS("http://www.w3.org/2000/svg", kind);
    for (const [name, value] of Object.entries(attributes)) one.setAttribute(name, value);
    parent.append(one);
  };
  const rowsOf = (picture) => [...picture.querySelectorAll(".row")];
  const sourcesOf = (row) => (row.dataset.of || "").split(" ").filter(Boolean).map(Number);
  const tell = (picture, words) => {
    const told = picture.closest(".tells")?.querySelector(".told");
    if (told) told.textContent = words;
    const said = picture.closest(".picture")?.querySelector(".said"); // where the picture covers the other
    if (said) said.textContent = words;
  };
  const name = (row) => row.querySelector(".code").textContent;

  function inWords(row, rows) {
    const [, , dispatched, ready, waits, ...cause] = row.dataset.at.split(" ");
    const parts = [`line ${name(row)}: dispatched in cycle ${dispatched}, its result there in cycle ${ready}`];
    if (waits > 0) parts.push(`waits ${waits} cycle${waits > 1 ? "s" : ""}${cause.length ? ` (${cause.join(" ")})` : ""}`);
    const turn = (one) => one.querySelector(".dim").textContent.split(".")[0];
    const before = (one) => (turn(one) !== turn(row) ? " one iteration before" : "");
    const sources = sourcesOf(row).map((at) => `line ${name(rows[at]).split(" ")[0]}${before(rows[at])}`);
    if (sources.length) parts.push(`takes results of ${sources.join(", ")}`);
    return parts.join("; ");
  }

  function leave(picture) {
    if (picture.dataset.shown === undefined) return;
    delete picture.dataset.shown;
    for (const group of picture.querySelectorAll(".marks, .dependences")) group.replaceChildren();
    tell(picture, "");
  }

  function enter(picture, at) {
    if (Number(picture.dataset.shown ?? -1) === at) return;
    leave(picture);
    const rows = rowsOf(picture);
    const [height, cycle, left] = ["row", "cycle", "left"].map((key) => Number(picture.dataset[key]));
    const top = (which) => height * (which + 1) + 2;
    const mark = (which, kind) => {
      for (const group of picture.querySelectorAll(".marks"))
        make(group, "rect", { class: kind, x: 0, y: top(which), width: "100%", height });
      const bars = picture.querySelector(".bars .marks").lastChild;
      bars.setAttribute("x", left);
    };
    mark(at, "chosen");
    const begin = Number(rows[at].dataset.at.split(" ")[0]) + 1;
    for (const source of sourcesOf(rows[at])) {
      mark(source, "source");
      const end = Number(rows[source].dataset.at.split(" ")[1]);
      const [x, y] = [(one) => left + cycle * one, (one) => top(one) + height / 2];
      const d = `M${x(end)} ${y(source)}L${x(begin)} ${y(at)}`;
      make(picture.querySelector(".dependences"), "path", { class: "dependence", d });
    }
    picture.dataset.shown = at;
    tell(picture, inWords(rows[at], rows));
  }

  // The picture over everything else, in the browser's top layer, and back.
  function widen(part, wide) {
    const scroll = part.querySelector(".scroll");
    const [left, top] = [scroll.scrollLeft, scroll.scrollTop];
    if (wide) part.setAttribute("popover", "manual");
    part[wide ? "showPopover" : "hidePopover"]();
    if (!wide) part.removeAttribute("popover");
    const button = part.querySelector("[data-do=wide]");
    button.setAttribute("aria-pressed", String(wide));
    button.textContent = wide ? "Back to the page (Escape)" : "Whole window";
    scroll.scrollLeft = left;
    scroll.scrollTop = top;
  }

  const ZOOMS = [0.5, 0.75, 1, 1.5, 2, 3, 4]; // of the width of a cycle
  function zoom(part, step) {
    const scroll = part.querySelector(".scroll");
    const before = Number(part.dataset.zoom ?? 1);
    const at = Math.max(0, Math.min(ZOOMS.length - 1, ZOOMS.indexOf(before) + step));
    const width = Number(scroll.dataset.width) * ZOOMS[at];
    part.dataset.zoom = ZOOMS[at];
    scroll.querySelector(".bars").setAttribute("width", width);
    scroll.querySelector(".ruler div").style.width = `${width}px`;
    scroll.scrollLeft *= ZOOMS[at] / before; // the first cycle in sight stays the first
    part.querySelector("output").textContent = `${100 * ZOOMS[at]} %`;
    const ends = [["narrower", 0], ["wider", ZOOMS.length - 1]];
    for (const [name, end] of ends) part.querySelector(`[data-do=${name}]`).setAttribute("aria-disabled", String(at === end));
  }

  addEventListener("click", (event) => {
    const button = event.target.closest?.(".picture .tools button");
    const part = button?.closest(".picture");
    if (!part) return;
    if (button.dataset.do === "wide") widen(part, button.getAttribute("aria-pressed") !== "true");
    else zoom(part, button.dataset.do === "wider" ? 1 : -1);
  });
  addEventListener("keydown", (event) => {
    const wide = event.key === "Escape" && document.querySelector(".picture:popover-open");
    if (!wide) return;
    widen(wide, false);
    wide.querySelector("[data-do=wide]").focus();
  });

  addEventListener("mousemove", (event) => {
    const picture = event.target.closest?.(".pipeline");
    for (const other of document.querySelectorAll(".pipeline[data-shown]")) if (other !== picture) leave(other);
    if (!picture) return;
    const drawn = picture.querySelector(".labels");
    const box = drawn.getBoundingClientRect();
    const y = ((event.clientY - box.top) * drawn.viewBox.baseVal.height) / box.height;
    const at = Math.floor((y - 2) / Number(picture.dataset.row)) - 1;
    if (rowsOf(picture)[at]) enter(picture, at);
  });
  addEventListener("focusin", (event) => {
    const row = event.target.closest?.(".pipeline .row");
    const picture = row?.closest(".pipeline");
    if (row) enter(picture, rowsOf(picture).indexOf(row));
  });
  addEventListener("focusout", (event) => {
    const picture = event.target.closest?.(".pipeline");
    if (picture) leave(picture);
  });
  addEventListener("keydown", (event) => {
    const picture = event.target.closest?.(".pipeline");
    if (!picture) return;
    const rows = rowsOf(picture);
    const at = rows.indexOf(event.target.closest(".row"));
    const next = rows[{ ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key]];
    if (at < 0 || !next) return;
    event.preventDefault();
    rows[at].setAttribute("tabindex", "-1");
    next.setAttribute("tabindex", "0");
    next.focus();
  });
}
