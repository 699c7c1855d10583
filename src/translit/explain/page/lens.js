// Layer by layer: what would be written if the model stopped early.

function lensPanel() {
  const curves = el("div", { class: "two" }),
    note = el("p", { class: "note" });
  const decoder = el("div"),
    encoder = el("div");
  const element = el(
    "div",
    {},
    el(
      "section",
      { class: "part" },
      el("h2", {}, say("page.lens.curve")),
      note,
      curves,
      el("p", { class: "note" }, say("page.lens.curve.gaps")),
    ),
    part(say("lens.decoder.title"), say("lens.decoder.note"), decoder),
    part(say("lens.encoder.title"), say("lens.encoder.note"), encoder),
    part(say("page.lens.free"), say("page.lens.free.note"), freeTranslations()),
  );
  const update = () => {
    const { lens } = sentence();
    note.textContent = say("page.lens.curve.note", {
      step: state.step + 1,
      token: targetTokens()[state.step],
    });
    curves.replaceChildren(
      el(
        "div",
        {},
        el("h3", {}, say("page.lens.curve.decoder")),
        layerChart(lens.decoder, say("page.lens.curve.decoder")),
      ),
      el(
        "div",
        {},
        el("h3", {}, say("page.lens.curve.encoder")),
        layerChart(lens.encoder, say("page.lens.curve.encoder")),
      ),
    );
    decoder.replaceChildren(lensTable(lens.decoder, say("lens.decoder.title")));
    encoder.replaceChildren(lensTable(lens.encoder, say("lens.encoder.title")));
  };
  return { element, update };
}

const layerName = (layer) => (layer ? String(layer) : say("lens.embedding"));
const RIVALS = 3;

// The written token and its strongest rivals, over the layers, at the current step.
function layerChart(rows, name) {
  const cells = rows.map((row) => row.steps[state.step]);
  const chosen = cells[0].chosen;
  const best = new Map(); // id of a rival → its highest probability
  for (const c of cells.flatMap((cell) => cell.candidates)) {
    if (c.id !== chosen.id)
      best.set(c.id, { text: c.text, p: Math.max(c.probability, best.get(c.id)?.p ?? 0) });
  }
  const rivals = [...best].sort((a, b) => b[1].p - a[1].p).slice(0, RIVALS);
  const known = (id) => cells.map((cell) => cell.candidates.find((c) => c.id === id)?.probability ?? null);
  const series = [
    {
      name: chosen.text,
      kind: "main",
      language: targetLanguage,
      values: cells.map((cell) => cell.chosen.probability),
    },
    ...rivals.map(([id, { text }], n) => ({
      name: text,
      kind: `rival${n + 1}`,
      language: targetLanguage,
      values: known(id),
    })),
  ];
  const columns = { names: rows.map((row) => layerName(row.layer)), language: state.language };
  return lineChart({ name, columns, series, gap: 62 });
}

function lensTable(lens, name) {
  const cells = lens.map((row) => row.steps);
  const rows = { names: lens.map((row) => layerName(row.layer)), language: state.language };
  const columns = { names: targetTokens(), language: targetLanguage };
  const list = (cell) => cell.candidates.map((c) => `${c.text} ${percent(c.probability)}`).join(listComma());
  const tell = (i, j) => {
    const { chosen } = cells[i][j];
    return say("page.lens.cell", {
      layer: rows.names[i],
      list: list(cells[i][j]),
      token: chosen.text,
      value: percent(chosen.probability),
      rank: chosen.rank.toLocaleString(),
    });
  };
  return heatTable({
    name,
    rows,
    columns,
    tell,
    values: cells.map((row) => row.map((cell) => cell.candidates[0].probability)),
    text: (p, i, j) => [
      el("b", { lang: targetLanguage }, clip(cells[i][j].candidates[0].text, 6)),
      el("small", {}, (100 * p).toFixed(0)),
    ],
    tellRow: (i) => tell(i, state.step),
    tellColumn: (j) => tell(lens.length - 1, j),
    marked: (i, j) => cells[i][j].candidates[0].id === cells[i][j].chosen.id,
    pick: (i, j) => set({ step: j }),
    now: state.step,
    wide: true,
    hint: say("page.lens.mark"),
  });
}

function freeTranslations() {
  const row = ({ layer, translation }) => [
    el("dt", {}, layerName(layer)),
    el("dd", { lang: targetLanguage }, translation || say("page.nothing")),
  ];
  return el("dl", { class: "free" }, sentence().lens.encoder.map(row));
}
