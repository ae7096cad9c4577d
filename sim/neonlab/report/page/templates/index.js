// Sort the table of kernels by a column, and choose rows by words, operator and level, and columns by core.
(() => {
  const table = document.querySelector("table.kernels"), body = table.tBodies[0], rows = [...body.rows];
  const made = (name, parts, ...inside) => {
    const element = Object.assign(document.createElement(name), parts);
    element.append(...inside);
    return element;
  };
  const asked = new URLSearchParams(location.hash.slice(1));
  const words = made("input", {type: "search", id: "words", value: asked.get("words") ?? "", spellcheck: false, autocomplete: "off"});
  const choice = (id, every, values) => made("select", {id}, made("option", {value: ""}, every),
    ...values.map((value) => made("option", {value, selected: value === asked.get(id)}, value)));
  const values = (name) => [...new Set(rows.map((row) => row.dataset[name]).filter(Boolean))].sort();
  const operator = choice("operator", "every operator", values("operator"));
  const level = choice("level", "every level", values("level"));
  const core = choice("core", "every core", [...table.querySelectorAll("th[data-core]")].map((head) => head.dataset.core));
  const told = made("p", {className: "dim"});
  told.setAttribute("role", "status");
  const label = (field, text) => made("label", {htmlFor: field.id}, text);
  table.parentElement.before(made("p", {className: "choice"}, label(words, "Name "), words, " ", label(operator, "operator "), operator, " ",
    label(level, "level "), level, " ", label(core, "cycles on "), core), told);

  // Numbers in `data-value` are compared as numbers, other cells as texts; what is not there comes last.
  let by = null, down = false;
  const key = (row) => {
    const cell = row.cells[by.dataset.column];
    return cell.dataset.value === undefined ? cell.textContent : cell.dataset.value && Number(cell.dataset.value);
  };
  function sorted() {
    if (!by) return rows;
    const known = rows.filter((row) => key(row) !== ""), rest = rows.filter((row) => key(row) === "");
    known.sort((one, other) => (key(one) < key(other) ? -1 : key(one) > key(other) ? 1 : 0) * (down ? -1 : 1));
    return [...known, ...rest];
  }
  function show() {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (row) => wanted.every((word) => row.cells[0].textContent.toLowerCase().includes(word)) &&
      (!operator.value || row.dataset.operator === operator.value) && (!level.value || row.dataset.level === level.value);
    for (const row of rows) row.hidden = !fits(row);
    for (const cell of table.querySelectorAll("[data-core]")) cell.hidden = core.value !== "" && cell.dataset.core !== core.value;
    const cores = table.querySelector("th.cores"); // none where no core known here runs any of the kernels
    if (cores) cores.colSpan = 2 * (core.value ? 1 : core.options.length - 1);
    const found = rows.filter((row) => !row.hidden).length;
    const all = `${rows.length} kernel${rows.length === 1 ? "" : "s"}`;
    told.textContent = found === rows.length ? all : `${found} of ${all}`;
    body.replaceChildren(...sorted());
    const kept = {words: words.value, operator: operator.value, level: level.value, core: core.value};
    history.replaceState(null, "", `#${new URLSearchParams(Object.entries(kept).filter(([, value]) => value))}`);
  }
  for (const head of table.querySelectorAll("th[data-column]")) {
    const button = made("button", {type: "button"}, ...head.childNodes);
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      down = by === head && !down;
      by?.removeAttribute("aria-sort");
      by = head;
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      show();
    });
  }
  words.addEventListener("input", show);
  for (const field of [operator, level, core]) field.addEventListener("change", show);
  show();
})();
