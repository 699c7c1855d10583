// Why: which source word each piece of the translation looked at, beside which one it needed.

function wordsPanel() {
  const { occlusion, alignment } = sentence();
  const options = [
    ["aligned_head", alignedName()],
    ["average", say("alignment.average")],
  ];
  const which = choice(say("page.words.which"), options, (value) => set({ which: value }));
  const looked = el("div"),
    needed = el("div"),
    agree = el("p", { class: "verdict" });
  const element = el(
    "div",
    {},
    part(say("why.title"), say("why.note"), which, agree),
    el(
      "div",
      { class: "beside" },
      part(say("page.words.attention"), say("page.words.attention.note"), looked),
      occlusion && part(say("page.words.needed"), say("page.words.needed.note"), needed),
    ),
  );
  const update = () => {
    which.show(state.which);
    looked.replaceChildren(lookedTable(alignment[state.which]));
    if (!occlusion) return;
    needed.replaceChildren(neededTable(occlusion.words));
    agree.textContent = agreement(state.which, occlusion.agreement[state.which]);
  };
  return { element, update };
}

const wordNames = () => ({
  rows: { names: sentence().target.words.map((word) => word.text), language: targetLanguage },
  columns: { names: sentence().source.words.map((word) => word.text), language: sourceLanguage },
});
const wordOfStep = () => sentence().target.tokens[state.step].word;
const pickWord = (i) => set({ step: sentence().target.words[i].tokens[0] });

function lookedTable(values) {
  const { rows, columns } = wordNames();
  return heatTable({
    name: say("page.words.attention"),
    values,
    rows,
    columns,
    text: (x) => (x >= 0.005 ? (100 * x).toFixed(0) : ""),
    tell: (i, j) =>
      say("page.words.cell", {
        row: rows.names[i],
        column: columns.names[j],
        value: exactPercent(values[i][j]),
      }),
    tellRow: (i) =>
      say("page.look.picture", { token: rows.names[i], list: strongest(columns.names, values[i], 5) }),
    tellColumn: (j) =>
      say("page.look.column", {
        token: columns.names[j],
        list: strongest(
          rows.names,
          values.map((row) => row[j]),
          5,
        ),
      }),
    marked: (i, j) => j === largest(values[i]),
    pick: pickWord,
    lit: wordOfStep(),
    hint: say("page.heads.readout"),
  });
}

const STRONGEST_FALL = 3; // nats: the darkest cell, a probability divided by 20
const NOTICEABLE = 0.05; // nats: a smaller fall is no need

const SEPARATORS = ["<s>", "</s>", "<pad>"]; // are never taken out, so nothing is known of their effect

function neededTable(all) {
  const { rows, columns: every } = wordNames();
  const real = every.names.map((_, j) => j).filter((j) => !SEPARATORS.includes(every.names[j]));
  const columns = { ...every, names: real.map((j) => every.names[j]) };
  const values = all.map((row) => real.map((j) => row[j]));
  const tell = (i, j) => {
    const drop = values[i][j];
    const told = {
      row: rows.names[i],
      column: columns.names[j],
      factor: percent(Math.exp(-drop)),
      value: fixed(-drop, 2),
    };
    return say(drop < 0 ? "page.words.rise" : "page.words.drop", told);
  };
  return heatTable({
    name: say("page.words.needed"),
    values,
    rows,
    columns,
    tell,
    shade: (x) => clamp(x / STRONGEST_FALL, -1, 1),
    text: (x) => (Math.abs(x) >= NOTICEABLE ? fixed(x, 1) : ""),
    tellRow: (i) => tell(i, largest(values[i])),
    tellColumn: (j) => tell(largest(values.map((row) => row[j])), j),
    marked: (i, j) => values[i][j] >= NOTICEABLE && j === largest(values[i]),
    pick: pickWord,
    lit: wordOfStep(),
    hint: say("page.words.scale"),
  });
}

function agreement(which, { same_top: share, words, spearman }) {
  const { layer, head } = sentence().alignment;
  const values = {
    layer: layer + 1,
    head: head + 1,
    share: percent(share),
    words,
    same: Math.round(share * words),
    spearman: spearman == null ? "–" : fixed(spearman, 2),
  };
  return say(`why.agree.${which}`, values);
}
