// Pen and paper: the tour's matrices. Press a number of a result to see its arithmetic.

function tourPanel() {
  const { panels } = DATA.tour;
  const sections = new Map(); // "encoder.1" → its panels
  for (const panel of panels) {
    const [stack, layer] = panel.place.split(".");
    const key = stack === "output" ? stack : `${stack}.${layer ?? 1}`;
    sections.set(key, [...(sections.get(key) ?? []), panel]);
  }
  const told = new Set(); // what is said only once
  const chapters = [...sections].map(([key, list], n) => chapter(key, list, n === 0, told));
  const element = el(
    "div",
    { class: "tour" },
    part(say("tour.title"), null, tourIntro(), chapters),
    part(
      say("tour.outro.title"),
      say("page.tour.try"),
      el("dl", { class: "commands" }, say("tour.outro").split("\n").map(command)),
    ),
  );
  return { element, update: () => {} };
}

function command(text) {
  const [line, meaning] = text.split("|");
  return [el("dt", {}, el("code", {}, line)), el("dd", {}, meaning)];
}

// The sizes that the captions speak of.
function tourSizes() {
  const { panels, heads, vocabulary } = DATA.tour;
  const steps = panels.flatMap((panel) => panel.steps);
  const d = steps[0].result.shape[1];
  const layers = (stack) =>
    new Set(panels.filter((p) => p.place.startsWith(`${stack}.`)).map((p) => p.place.split(".")[1])).size;
  return {
    d_model: d,
    heads,
    d_k: d / heads,
    d_ff: steps.find((step) => step.operation === "relu").result.shape[1],
    encoder: layers("encoder"),
    decoder: layers("decoder"),
    vocabulary: vocabulary.length,
    guess: Math.log(vocabulary.length).toFixed(4),
    source: DATA.tour.source.join(" "),
    target: DATA.tour.target.join(" "),
    decimals: DATA.tour.decimals,
  };
}

function tourIntro() {
  const sizes = tourSizes();
  const texts = [
    "tour.intro",
    "tour.intro.same_code",
    "tour.weights.trained",
    "page.tour.rounding",
    "tour.intro.simple",
  ];
  return [
    el("p", {}, sentences(texts.map((name) => say(name, sizes)))),
    el("p", { class: "note" }, say("page.tour.note")),
  ];
}

const sentences = (list) => list.join(state.language === "zh" ? "" : " ");

function chapter(key, panels, open, told) {
  const [stack, layer] = key.split(".");
  const title = !layer
    ? say("tour.section.output")
    : layer === "1"
      ? say(`tour.section.${stack}.first`)
      : say(`tour.section.${stack}.next`, { layer, before: layer - 1 });
  const details = el("details", { class: "chapter", open }, el("summary", {}, title));
  const articles = panels.map((panel) => [panel, sentences(tourTexts(panel, told))]); // told in reading order
  const build = () => {
    if (details.open && details.childElementCount === 1)
      details.append(...articles.map(([panel, text]) => tourArticle(panel, text)));
  };
  details.addEventListener("toggle", build);
  build();
  return details;
}

function tourTexts(panel, told) {
  const names = [`tour.${panel.kind}.why`];
  const once = [
    `tour.${panel.kind}.more`,
    ...(panel.kind === "embedding" && !DATA.tour.positions ? ["tour.embedding.order"] : []),
  ];
  names.push(...once.filter((name) => name in DATA.texts && !told.has(name)));
  once.forEach((name) => told.add(name));
  const sizes = tourSizes();
  return names.map((name) => say(name, sizes));
}

// "encoder 1 · self-attention · head 2 · who fits whom: scores"
function tourHeading({ kind, place }) {
  const [stack, layer, ...rest] = place.split(".");
  const words = stack === "output" ? [] : [say(`tour.part.${stack}`, { layer: layer ?? "" }).trim()];
  for (const name of rest)
    words.push(
      name.startsWith("head") ? say("tour.part.head", { head: name.slice(4) }) : say(`tour.part.${name}`),
    );
  return [...words, say(`tour.${kind}`)].join(" · ");
}

function tourArticle(panel, text) {
  return el(
    "article",
    {},
    el("h3", {}, tourHeading(panel)),
    el("p", { class: "note" }, text),
    panel.steps.map((step) => tourStep(step, panel.place)),
  );
}

function tourStep(step, place) {
  const written = el("output", { class: "arithmetic" });
  const operands = step.operands.map((matrix) => matrixTable(matrix, place));
  const name = step.result.name.replace(`${place}.`, "");
  const show = (i, j) => {
    operands.forEach(({ mark }, n) => mark(partsOf(step, n, i, j)));
    result.mark((a, b) => a === i && b === j);
    const { rows, columns } = step.result;
    const cell = `${name}[${rows[i] ?? i + 1}, ${columns[j] ?? j + 1}]`;
    const lines = step.cells[i][j];
    written.replaceChildren(
      ...lines.map((line, n) => el("span", {}, n === lines.length - 1 ? `${cell} = ${line}` : line)),
    );
  };
  const result = matrixTable(step.result, place, show);
  show(step.example.row, step.example.column);
  const signs = formula(step).map((piece) =>
    typeof piece === "number" ? operands[piece].element : el("span", { class: "sign" }, piece),
  );
  return el(
    "div",
    { class: "equation" },
    scroller(name, el("div", { class: "row" }, signs, result.element)),
    written,
  );
}

// How a step reads; a number stands for an operand, and the result follows.
function formula(step) {
  const { d_model, d_k } = tourSizes();
  const three = step.operands.length === 3;
  const forms = {
    scaled: [0, `· √${d_model} =`],
    wave: [],
    sum: [0, "+", 1, "="],
    product: three ? [0, "·", 1, "+", 2, "="] : [0, "·", 1, "="],
    relu: [0, "·", 1, "+", 2, "ReLU →"],
    scores: three ? [0, "·", 1, `/ √${d_k}`, 2, "="] : [0, "·", 1, `/ √${d_k} =`],
    softmax: [0, "softmax →"],
    concat: step.operands.flatMap((_, n) => (n ? ["|", n] : [n])).concat("="),
    layer_norm: [0, "norm →"],
    loss: [0, "−ln →"],
  };
  return forms[step.operation];
}

// Which cells of operand `n` the cell (i, j) of the result is made of, as a test of (row, column).
function partsOf(step, n, i, j) {
  const row = (a) => a === i,
    column = (_, b) => b === j,
    same = (a, b) => a === i && b === j;
  const { operation, operands } = step;
  if (operation === "scores" || operation === "product" || operation === "relu")
    return [row, column, operation === "scores" ? same : column][n];
  if (operation === "softmax" || operation === "layer_norm") return row;
  if (operation !== "concat") return same;
  const before = operands.slice(0, n).reduce((sum, matrix) => sum + matrix.shape[1], 0);
  return (a, b) => a === i && b === j - before;
}

const tourNumber = (x) => (x == null ? "−∞" : minus(String(x)));

// A matrix in brackets. With `show`, its cells can be pressed; the arrow keys move from cell to cell.
function matrixTable({ name, shape, rows, columns, values }, place, show) {
  const body = values.map((row, i) =>
    el(
      "tr",
      {},
      rows.length ? el("th", { scope: "row", lang: targetLanguage }, rows[i]) : null,
      row.map((x) => el("td", {}, tourNumber(x))),
    ),
  );
  const head = columns.length
    ? el(
        "thead",
        {},
        el(
          "tr",
          {},
          rows.length ? el("td") : null,
          columns.map((c) => el("th", { scope: "col", lang: targetLanguage }, c)),
        ),
      )
    : null;
  const table = el(
    "table",
    { class: show ? "matrix result" : "matrix", tabindex: show ? 0 : null },
    head,
    el("tbody", {}, body),
  );
  const cells = body.map((tr) => [...tr.querySelectorAll("td")]);
  const mark = (used) =>
    cells.forEach((row, i) => row.forEach((td, j) => td.classList.toggle("used", used(i, j))));
  if (show) movable(table, cells, show);
  const short = name.startsWith(`${place}.`) ? name.slice(place.length + 1) : name;
  const element = el(
    "figure",
    { class: "matrixbox" },
    el("figcaption", {}, short, " ", el("span", { class: "shape" }, shape.join("×"))),
    table,
  );
  return { element, mark };
}

function movable(table, cells, show) {
  let at = [0, 0];
  const go = (i, j) => {
    at = [clamp(i, 0, cells.length - 1), clamp(j, 0, cells[0].length - 1)];
    show(...at);
  };
  cells.forEach((row, i) => row.forEach((td, j) => td.addEventListener("click", () => go(i, j))));
  table.addEventListener("keydown", (event) => {
    const move = ARROWS[event.key];
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    go(at[0] + move[0], at[1] + move[1]);
  });
}
