// The road: every stage of the sentence through the model, with shapes and numbers.

function roadPanel() {
  const { flow } = sentence();
  const model = DOCUMENT.model;
  const stages = el(
    "div",
    { class: "stages" },
    flow.stages.map((stage, n) => roadStage(flow.stages, stage, n)),
  );
  const open = (on) => stages.querySelectorAll("details").forEach((d) => (d.open = on));
  const element = el(
    "div",
    {},
    part(
      say("flow.title"),
      say("flow.note", {
        // A stack with fewer layers is followed through its last.
        encoder: Math.min(flow.layer + 1, model.encoder_layers),
        decoder: Math.min(flow.layer + 1, model.decoder_layers),
        head: flow.head + 1,
        heads: model.n_heads,
      }),
      el(
        "div",
        { class: "choice" },
        el("button", { type: "button", onclick: () => open(true) }, say("page.road.open")),
        " ",
        el("button", { type: "button", onclick: () => open(false) }, say("page.road.close")),
      ),
      stages,
    ),
    part(say("training.title"), say("training.note"), blanksTable()),
  );
  return { element, update: () => {} };
}

function roadStage(stages, stage, n) {
  const name = `stage.${stage.key}`;
  const text = name in DATA.texts ? say(name) : "";
  const shape = stage.shape.join(" × ");
  const details = el(
    "details",
    { class: "stage" },
    el(
      "summary",
      {},
      el("span", { class: "count" }, n + 1),
      el("span", { class: "what" }, text),
      el("code", {}, stage.formula),
      el("span", { class: "shape" }, shape),
    ),
  );
  const build = () => {
    if (details.open && details.childElementCount === 1)
      details.append(stageNumbers(stage, text || stage.formula));
  };
  details.addEventListener("toggle", build);
  if (n && stages[n - 1].part === stage.part) return details;
  const layers = DOCUMENT.model[`${stages[n - 1]?.part}_layers`];
  return [
    layers > 1 && el("p", { class: "note" }, say("flow.repeat", { layers })),
    el("h3", {}, say(`flow.${stage.part}`)),
    details,
  ];
}

function stageNumbers(stage, name) {
  // Not Math.max(...numbers): the scores of a long sentence are more than a call can take.
  const biggest = stage.values.flat().reduce((most, x) => Math.max(most, Math.abs(x)), 1e-9);
  const isMask = stage.key.endsWith("mask"),
    isWeights = stage.key.endsWith("weights");
  const dimensions = stage.values[0].map((_, j) => String(j));
  const ofSource = (key) => (["encoder", "memory"].includes(stage.part) || key ? sourceLanguage : targetLanguage);
  const rows = { names: stage.rows.map(pieceText), language: ofSource(/^cross\.[kv]$/.test(stage.key)) };
  const columns = {
    names: stage.columns?.map(pieceText) ?? dimensions,
    language: ofSource(stage.key.startsWith("cross.")),
  };
  const text = (x) => (isMask ? (x ? "■" : "·") : isWeights ? (100 * x).toFixed(0) : fixed(x, 2));
  const table = heatTable({
    name,
    rows,
    columns,
    text,
    wide: !isMask && !isWeights,
    values: stage.values,
    shade: (x) => (isMask ? 0 : (0.85 * x) / biggest),
    tell: (i, j) => `[${rows.names[i]}, ${columns.names[j]}] = ${fixed(stage.values[i][j], 4)}`,
    tellRow: (i) => rows.names[i],
    tellColumn: (j) => columns.names[j],
  });
  const more = stage.shape[1] > dimensions.length;
  return el(
    "div",
    {},
    more &&
      el("p", { class: "note" }, say("page.road.more", { shown: dimensions.length, all: stage.shape[1] })),
    table,
  );
}

// The training view: the target shifted right, a blank a step, and its loss −ln p.
function blanksTable() {
  const losses = sentence().steps.map((step) => -Math.log(step.chosen.probability));
  const row = (step, t) =>
    el(
      "tr",
      {},
      el(
        "td",
        { class: "read", lang: targetLanguage },
        inputTokens()
          .slice(Math.max(0, t - 9), t + 1)
          .join(" "),
        " ",
        el("span", { class: "blank" }, "\u2003\u2003"),
      ),
      el("th", { scope: "row", lang: targetLanguage }, step.chosen.text),
      el("td", { class: "number" }, percent(step.chosen.probability)),
      el("td", { class: "number" }, losses[t].toFixed(3)),
    );
  const head = ["question", "answer", "probability", "loss"].map((name, n) =>
    el("th", { scope: "col", class: n > 1 ? "number" : null }, say(`training.${name}`)),
  );
  const mean = losses.reduce((sum, x) => sum + x, 0) / losses.length;
  const foot = el(
    "tr",
    {},
    el("td"),
    el("th", { scope: "row" }, say("training.mean")),
    el("td"),
    el("td", { class: "number" }, mean.toFixed(3)),
  );
  const table = el(
    "table",
    { class: "steps" },
    el("thead", {}, el("tr", {}, head)),
    el("tbody", {}, sentence().steps.map(row)),
    el("tfoot", {}, foot),
  );
  return scroller(say("training.title"), table);
}
