// The data, the two languages, and how elements are made.

const DATA = JSON.parse(document.getElementById("data").textContent);
const DOCUMENT = DATA.document;
const COLUMN = { en: 0, zh: 1 };

// What the reader has chosen. `set` in main.js changes it and redraws.
const state = { language: DATA.language, sentence: 0, step: 0, tab: "steps" };

const sentence = () => DOCUMENT.sentences[state.sentence];
const sourceLanguage = DOCUMENT.model.source_language;
const targetLanguage = DOCUMENT.model.target_language;

// The caption `name` in the chosen language; {placeholders} are filled from `values`.
function say(name, values = {}) {
  const text = DATA.texts[name][COLUMN[state.language]];
  return text.replace(/\{(\w+)(?::[^}]*)?\}/g, (_, key) => values[key]);
}

// ---- Attention: packed as two bytes a weight, [layers][heads][rows][columns] ----

class Attention {
  constructor({ shape, scale, data }) {
    [this.layers, this.heads, this.rows, this.columns] = shape;
    const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
    const view = new DataView(bytes.buffer);
    this.weights = Float64Array.from(
      { length: bytes.length / 2 },
      (_, i) => view.getUint16(2 * i, true) / scale,
    );
  }

  // One head as an array of rows.
  head(layer, head) {
    const size = this.rows * this.columns;
    const start = (layer * this.heads + head) * size;
    return cut(this.weights.subarray(start, start + size), this.columns);
  }

  // The mean of all heads of `layers` (an array of indexes).
  average(layers) {
    const size = this.rows * this.columns;
    const mean = new Float64Array(size);
    for (const layer of layers) {
      for (let i = 0; i < this.heads * size; i++) {
        mean[i % size] += this.weights[layer * this.heads * size + i] / (this.heads * layers.length);
      }
    }
    return cut(mean, this.columns);
  }
}

function cut(flat, width) {
  return Array.from({ length: flat.length / width }, (_, i) =>
    Array.from(flat.subarray(i * width, (i + 1) * width)),
  );
}

const unpacked = new Map();
function attention(kind) {
  const packed = sentence().attention[kind];
  if (!unpacked.has(packed)) unpacked.set(packed, new Attention(packed));
  return unpacked.get(packed);
}

// ---- Tokens as people read them ----

const pieceText = (piece) => piece.replaceAll("▁", " ").trim() || "␣";
const sourceTokens = () => sentence().source.tokens.map((token) => token.text);
const targetTokens = () => sentence().target.tokens.map((token) => token.text);
const inputTokens = () => sentence().inputs.map(pieceText);

// What the rows and columns of an attention are: rows are queries, columns are keys.
function sides(kind) {
  const source = { names: sourceTokens(), language: sourceLanguage };
  const target = { names: targetTokens(), language: targetLanguage };
  if (kind === "encoder") return { rows: source, columns: source };
  if (kind === "cross") return { rows: target, columns: source };
  return { rows: target, columns: { names: inputTokens(), language: targetLanguage } };
}

// ---- Numbers ----

const minus = (text) => text.replace("-", "−");
const fixed = (x, decimals) => minus(x.toFixed(decimals)).replace(/^−(?=0\.?0*$)/, ""); // no "−0.00"
// A weight as a percentage, with as many digits as the document has.
const exactPercent = (x) => `${fixed(100 * x, 2)} %`;

// Never 100 or 0 by mere rounding of something else.
function percent(p) {
  const text = (100 * p).toFixed(1);
  if (text === "100.0" && p < 1) return ">99.9 %";
  if (text === "0.0" && p > 0) return "<0.1 %";
  return `${text} %`;
}

const largest = (row) => row.reduce((best, x, i) => (x > row[best] ? i : best), 0);

// The strongest few of `weights` with their names: "love 83 %, I 9 %".
function strongest(names, weights, count = 3) {
  const order = weights.map((w, i) => [w, i]).sort((a, b) => b[0] - a[0]);
  const shown = order.slice(0, count).filter(([w]) => w >= 0.005);
  return shown.map(([w, i]) => `${names[i]} ${percent(w)}`).join(listComma()) || say("page.nothing");
}
const listComma = () => (state.language === "zh" ? "，" : ", ");

// ---- Elements ----

const SVG = "http://www.w3.org/2000/svg";

// el("button", {class: "x", onclick: f}, "text", child): an HTML element.
const el = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes = {}, ...children) =>
  fill(document.createElementNS(SVG, tag), attributes, children);

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name.startsWith("--")) element.style.setProperty(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.flat(Infinity).filter((child) => child != null && child !== false));
  return element;
}

// A panel's part: heading, its one sentence, and content.
function part(title, note, ...content) {
  return el(
    "section",
    { class: "part" },
    el("h2", {}, title),
    note && el("p", { class: "note" }, note),
    ...content,
  );
}

// Wide content scrolls inside; with Tab and the arrow keys, too. It fades out at the right while there is more.
function scroller(name, ...content) {
  const box = el(
    "div",
    { class: "scroller", role: "group", tabindex: 0, "aria-label": say("page.scroll", { name }) },
    ...content,
  );
  const look = () => box.classList.toggle("more", box.scrollWidth - box.clientWidth - box.scrollLeft > 1);
  box.addEventListener("scroll", look, { passive: true });
  new ResizeObserver(look).observe(box);
  return box;
}

// A group of buttons of which one is pressed. Returns the element; `show(value)` presses a button.
function choice(label, options, onpick) {
  const buttons = options.map(([value, text]) =>
    el(
      "button",
      { type: "button", "aria-pressed": "false", "data-value": value, onclick: () => onpick(value) },
      text,
    ),
  );
  const element = el(
    "div",
    { class: "choice", role: "group", "aria-label": label },
    el("span", { class: "label" }, label),
    el("span", { class: "buttons" }, buttons),
  );
  element.show = (value) => {
    for (const button of buttons)
      button.setAttribute("aria-pressed", String(button.dataset.value === String(value)));
  };
  return element;
}

// <select> with groups: [[group name or null, [[value, text], …]], …].
function menu(label, groups, onpick) {
  const options = (list) => list.map(([value, text]) => el("option", { value }, text));
  const select = el(
    "select",
    { onchange: () => onpick(select.value) },
    groups.map(([name, list]) => (name ? el("optgroup", { label: name }, options(list)) : options(list))),
  );
  return { element: el("label", { class: "menu" }, el("span", { class: "label" }, label), select), select };
}
