// What the editor shows besides its text: colours of NEON assembly, heat beside the lines, faults below them.
import * as CM from "nicegui-codemirror";

const REGISTER = /^(?:[vqdsbhxwr]\d{1,2}|sp|lr|pc|xzr|wzr|fp|ip)(?:\.\d{0,2}[bhsdq])?\b/i;

// Ask the server about a place in a text; null where it knows nothing.
async function ask(path, state, position, more) {
  const line = state.doc.lineAt(position);
  const asked = { path, text: state.doc.toString(), line: line.number, ...more };
  if (more) asked.column = position - line.from;
  try {
    const answer = await fetch("/_neonlab-asked", { method: "POST", body: JSON.stringify(asked) });
    return answer.ok ? await answer.json() : null;
  } catch {
    return null; // the server has ended
  }
}

function element(name, text, className) {
  const made = document.createElement(name);
  made.textContent = text;
  if (className) made.className = className;
  return made;
}

// What an instruction does and takes, or what a line expands to.
function hoverOf(path) {
  return CM.hoverTooltip(
    async (view, position) => {
      const told = await ask(path, view.state, position);
      if (!told) return null;
      const line = view.state.doc.lineAt(position);
      const dom = document.createElement("div");
      dom.className = "neonlab-hover";
      dom.setAttribute("role", "tooltip");
      if (told.text) dom.append(element("code", told.text), element("p", told.does));
      if (told.registers) dom.append(element("p", told.registers, "dim"));
      for (const [core, cost, known] of told.costs) {
        const row = document.createElement("p");
        row.append(element("b", core), ` ${cost}`, document.createElement("br"), element("small", known, "dim"));
        dom.append(row);
      }
      if (told.code.length) dom.append(element("p", told.title), element("pre", told.code.join("\n")));
      return { pos: line.from, end: line.to, above: true, create: () => ({ dom }) };
    },
    { hoverTime: 250 },
  );
}

const KINDS = { mnemonic: "keyword", macro: "function", register: "variable", label: "text", constant: "constant" };

// Mnemonics and macros at the start of a statement, behind it registers by role, labels and constants.
function completionOf(path) {
  return async (context) => {
    const word = context.matchBefore(/[\w.$\\]+/);
    if (!word && !context.explicit) return null;
    const found = await ask(path, context.state, context.pos, { column: 0 });
    if (!found?.length) return null;
    const options = found.map(({ label, detail, type }) => ({ label, detail, type: KINDS[type] }));
    return { from: word ? word.from : context.pos, options, validFor: /^[\w.$\\]*$/ };
  };
}

// Tokens carry the names that the themes give colours to.
const assembly = CM.StreamLanguage.define({
  name: "neon",
  startState: () => ({ comment: false, operands: false }),
  token(stream, state) {
    if (stream.sol()) state.operands = false;
    if (state.comment) {
      state.comment = !stream.match(/^.*?\*\//);
      if (state.comment) stream.skipToEnd();
      return "comment";
    }
    if (stream.eatSpace()) return null;
    if (stream.match("/*")) {
      state.comment = true;
      return "comment";
    }
    if (stream.match("//") || stream.match("@")) {
      stream.skipToEnd();
      return "comment";
    }
    if (!state.operands) {
      if (stream.match(/^#\s*[a-z]+.*/)) return "meta";
      if (stream.match(/^[A-Za-z_.$\\][\w.$\\@()]*:|^\d+:/)) return "labelName";
      if (stream.match(/^\.[a-z_0-9]+/)) return (state.operands = true) && "meta";
      if (stream.match(/^\\?[A-Za-z_][\w.\\]*/)) return (state.operands = true) && "keyword";
      stream.next();
      return null;
    }
    if (stream.match(";")) return (state.operands = false) || null;
    if (stream.match(/^"(?:\\.|[^"\\])*"/)) return "string";
    if (stream.match(/^\\[A-Za-z_]\w*|^\\\(\)|^\\@/)) return "variableName.special";
    if (stream.match(/^#?-?(?:0x[0-9a-f]+|\d+(?:\.\d+)?)(?![\w.])/i)) return "number";
    if (stream.match(REGISTER)) return "typeName";
    if (stream.match(/^[A-Za-z_$.][\w$.]*/)) return "variableName";
    stream.next();
    return null;
  },
  languageData: { commentTokens: { line: "//", block: { open: "/*", close: "*/" } } },
});

class Told extends CM.WidgetType {
  constructor(remark) {
    super();
    this.remark = remark;
  }
  eq(other) {
    return other.remark.word === this.remark.word && other.remark.sentence === this.remark.sentence;
  }
  toDOM() {
    const box = document.createElement("div");
    box.className = "neonlab-fault";
    const word = document.createElement("b");
    word.textContent = this.remark.word;
    box.append(word, ` ${this.remark.sentence}`);
    return box;
  }
  ignoreEvent() {
    return false;
  }
}

class Cost extends CM.GutterMarker {
  constructor(heat) {
    super();
    this.heat = heat;
    this.elementClass = `neonlab-heat h${heat.heat}`;
  }
  eq(other) {
    return other.heat.told === this.heat.told && other.heat.heat === this.heat.heat;
  }
  toDOM() {
    const cell = document.createElement("span");
    cell.textContent = this.heat.cycles;
    cell.title = this.heat.told;
    return cell;
  }
}

class Spacer extends CM.GutterMarker {
  toDOM() {
    return document.createTextNode("0000k");
  }
}

const setFaults = CM.StateEffect.define();
const setHeat = CM.StateEffect.define();

const faults = CM.StateField.define({
  create: () => CM.Decoration.none,
  update(set, transaction) {
    set = set.map(transaction.changes);
    for (const effect of transaction.effects)
      if (effect.is(setFaults)) {
        const { doc } = transaction.state;
        const ranges = effect.value.flatMap((remark) => {
          const line = doc.line(Math.min(Math.max(remark.line, 1), doc.lines));
          return [
            CM.Decoration.line({ class: "neonlab-faulty" }).range(line.from),
            CM.Decoration.widget({ widget: new Told(remark), block: true, side: 1 }).range(line.to),
          ];
        });
        set = CM.Decoration.set(ranges, true);
      }
    return set;
  },
  provide: (field) => CM.EditorView.decorations.from(field),
});

const heat = CM.StateField.define({
  create: () => CM.RangeSet.empty,
  update(set, transaction) {
    set = set.map(transaction.changes);
    for (const effect of transaction.effects)
      if (effect.is(setHeat)) {
        const { doc } = transaction.state;
        const lines = effect.value.filter((one) => one.line <= doc.lines);
        set = CM.RangeSet.of(lines.map((one) => new Cost(one).range(doc.line(one.line).from)), true);
      }
    return set;
  },
});

const gutter = CM.gutter({
  class: "neonlab-heats",
  markers: (view) => view.state.field(heat),
  initialSpacer: () => new Spacer(),
});

async function editorOf(id) {
  for (;;) {
    const editor = getElement(id)?.editor;
    if (editor) return editor;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

// An editor that can show faults and heat already.
async function attachedEditorOf(id) {
  for (;;) {
    const editor = await editorOf(id);
    if (editor.state.field(faults, false)) return editor;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const dark = matchMedia("(prefers-color-scheme: dark)");

// What is shown is of an older text ("typing"), of this one but not all ("checking"), or all that there is ("done").
const progress = CM.EditorView.updateListener.of((update) => {
  if (!update.docChanged) return;
  document.body.dataset.neonlab = "typing";
  doing = { words: "waiting for the server", late: "", since: Date.now() };
});

let doing = { words: "", late: "", since: 0 }; // since the text changed, or since there is anything to do
const SOON = 1; // seconds after which one is told what takes so long
const LATE = 5; // seconds after which one is told what may be the cause

// What the server does for this text, and a word on it for those who wait long.
export function tellDoing(words, late) {
  doing = { words, late, since: doing.words ? doing.since : Date.now() };
  showDoing();
}

function showDoing() {
  const place = document.querySelector(".neonlab-doing");
  if (!place) return;
  const seconds = Math.floor((Date.now() - doing.since) / 1000);
  const shown = doing.words && seconds >= SOON && document.body.dataset.neonlab !== "done";
  const more = doing.late && seconds >= LATE ? ` (${doing.late})` : "";
  const words = shown ? `${doing.words}, ${seconds} s${more}` : "";
  if (place.textContent !== words) place.textContent = words;
}
setInterval(showDoing, 250);

// A text is assembled for the server's answers when first asked about: ask before a person does, after a pause.
const AHEAD = { after: 200, longest: 200_000 }; // milliseconds, characters

function askAhead(path) {
  let pause = 0;
  return CM.EditorView.updateListener.of(({ docChanged, state }) => {
    if (!docChanged) return;
    clearTimeout(pause);
    if (state.doc.length < AHEAD.longest) pause = setTimeout(() => ask(path, state, 0), AHEAD.after);
  });
}

function assemblyOf(path) {
  return [assembly, assembly.data.of({ autocomplete: completionOf(path) }), hoverOf(path), askAhead(path)];
}

function followTheme(id) {
  const follow = () => getElement(id)?.setTheme(dark.matches ? "githubDark" : "githubLight");
  dark.addEventListener("change", follow);
  follow();
}

// Tab indents: who has no mouse must know how to leave.
const WRITTEN = { spellcheck: "false", "aria-description": "Escape, then Tab, leaves the editor" };

// The editor of the second pane, in which nothing is shown but its text.
export async function attachSecond(id) {
  const editor = await editorOf(id);
  const named = CM.EditorView.contentAttributes.of({ "aria-label": "the other implementation", ...WRITTEN });
  editor.dispatch({ effects: CM.StateEffect.appendConfig.of(named) });
  followTheme(id);
}

export async function attach(id, isAssembly, path) {
  const editor = await editorOf(id);
  const name = path.slice(path.lastIndexOf("/") + 1);
  const named = CM.EditorView.contentAttributes.of({ "aria-label": name, ...WRITTEN });
  const extensions = [faults, heat, gutter, named, progress, ...(isAssembly ? assemblyOf(path) : [])];
  editor.dispatch({ effects: CM.StateEffect.appendConfig.of(extensions) });
  followTheme(id);
}

const turns = new Map(); // by editor: how often there was something to show

// The costs shown are those of an earlier text where they are `stale`.
export async function annotate(id, remarks, costs, complete, stale) {
  const turn = (turns.get(id) ?? 0) + 1;
  turns.set(id, turn);
  const editor = await attachedEditorOf(id);
  if (turns.get(id) !== turn) return; // more is known by now
  const effects = [setFaults.of(remarks)];
  if (costs) effects.push(setHeat.of(costs));
  editor.dispatch({ effects });
  document.body.dataset.neonlab = complete ? "done" : "checking";
  if (stale !== null) document.body.classList.toggle("neonlab-stale-heat", stale);
}

// How long ago figures were had that are shown for want of newer ones.
function tellAges() {
  for (const place of document.querySelectorAll(".neonlab-age")) {
    const seconds = Math.max(0, Math.round((Date.now() - Number(place.dataset.had)) / 1000));
    const words = `as of ${seconds} s ago`;
    if (place.textContent !== words) place.textContent = words; // a change calls this again
  }
}
new MutationObserver(tellAges).observe(document.body, { childList: true, subtree: true });
setInterval(tellAges, 1000);

let front = 0;
let file = "";

export function setFront(id, path) {
  front = id;
  file = path;
}

// The text goes along: what is saved is what is seen.
function save() {
  const editor = getElement(front)?.editor;
  if (editor) emitEvent("neonlab-save", { id: front, text: editor.state.doc.toString() });
}
window.neonlabSave = save;

export async function goTo(number) {
  const editor = await attachedEditorOf(front);
  const line = editor.state.doc.line(Math.min(number, editor.state.doc.lines));
  const effects = CM.EditorView.scrollIntoView(line.from, { y: "center" });
  editor.dispatch({ selection: { anchor: line.from }, effects });
  editor.focus();
}

// Ways to a line, of the text in front or of another file: what is wrong there, rows of the pipeline and of tables.
function follow({ path, line }) {
  if (path === file) goTo(Number(line));
  else emitEvent("neonlab-open", { path, line: Number(line) });
}
addEventListener("click", (event) => {
  const way = event.target.closest?.(".neonlab-goto");
  const picture = event.target.closest?.(".pipeline[data-shown]");
  const row = picture?.querySelectorAll(".row")[Number(picture.dataset.shown)];
  const listed = event.target.closest?.(".neonlab-included[data-path] tr[data-line]");
  if (way) follow(way.dataset);
  else if (row?.dataset.path) follow(row.dataset);
  else if (listed) follow({ path: listed.closest("[data-path]").dataset.path, line: listed.dataset.line });
});
addEventListener("keydown", (event) => {
  const row = event.key === "Enter" && event.target.closest?.(".pipeline .row[data-path]");
  if (row) follow(row.dataset);
});

addEventListener(
  "keydown",
  (event) => {
    if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === "s") {
      event.preventDefault();
      event.stopPropagation();
      save();
    }
  },
  { capture: true },
);
