// Fields to search with, and the forms that fit.  FORMS is set before.
(() => {
  const place = document.getElementById("forms"), most = 300;
  const made = (name, parts, ...inside) => {
    const element = Object.assign(document.createElement(name), parts);
    element.append(...inside);
    return element;
  };
  const asked = new URLSearchParams(location.hash.slice(1));
  const words = made("input", {type: "search", id: "forms-words", value: asked.get("form") ?? "smlal*", spellcheck: false, autocomplete: "off"});
  const core = made("select", {id: "forms-core"}, made("option", {value: ""}, "every core"),
    ...FORMS.cores.map((name) => made("option", {value: name, selected: name === asked.get("core")}, name)));
  const told = made("p", {id: "forms-told"});
  told.setAttribute("role", "status");
  const body = made("tbody", {});
  const heads = [["form"], ["core"], ["latency", 1], ["addr.", 1], ["acc.", 1], ["rate", 1], ["ports"], ["known as"]];
  const head = made("tr", {}, ...heads.map(([text, right]) => Object.assign(made("th", {scope: "col"}, text), {className: right ? "number" : ""})));
  const scroll = made("div", {className: "scroll", tabIndex: 0}, made("table", {}, made("thead", {}, head), body));
  place.append(made("p", {}, made("label", {htmlFor: "forms-words"}, "Form "), words, " ",
    made("label", {htmlFor: "forms-core"}, "on "), core), told, scroll);

  // A mnemonic, a form, or a pattern with *; without one, what begins with the words comes as well.
  const matcher = (text) => {
    const pattern = text.trim().toLowerCase().replace(/[.+?^${}()|[\]\\]/g, "\\$&").replace(/\*/g, ".*");
    return new RegExp(text.includes("*") ? `^${pattern}$` : `^${pattern}(?![a-z0-9])`);
  };
  const fits = (form, found) => found.test(form) || found.test(form.split(/[. ]/)[0]);
  const number = (value) => made("td", {className: "number"}, value === null ? "" : String(value));

  function show() {
    const found = matcher(words.value), rows = [];
    const cores = FORMS.cores.map((name, at) => [name, at]).filter(([name]) => !core.value || name === core.value);
    let forms = 0;
    FORMS.forms.forEach((form, at) => {
      if (!words.value.trim() || !fits(form, found)) return;
      forms += 1;
      for (const [name, row] of cores) {
        if (rows.length >= most) continue;
        const [latency, address, sum, rate, ports, known, source] = FORMS.figures[FORMS.rows[row][at]];
        rows.push(made("tr", {}, made("td", {}, made("code", {}, form)), made("td", {}, name), number(latency), number(address),
          number(sum), number(rate), made("td", {}, FORMS.texts[ports]), made("td", {title: FORMS.texts[source]}, FORMS.texts[known])));
      }
    });
    body.replaceChildren(...rows);
    const all = forms * cores.length;
    told.textContent = `${forms} form${forms === 1 ? "" : "s"} of ${FORMS.forms.length}` + (all > rows.length ? `; the first ${rows.length} of ${all} rows` : "");
    history.replaceState(null, "", `#${new URLSearchParams({form: words.value, core: core.value})}`);
  }
  words.addEventListener("input", show);
  core.addEventListener("change", show);
  show();
})();
