// Attention: one head as a heat table, all heads as small pictures.

const BROAD = 24; // source tokens; with more, the small pictures stand below the big one

function headsPanel() {
  const model = DOCUMENT.model;
  const numbers = (n) => Array.from({ length: n }, (_, i) => [i, i + 1]);
  const kinds = ["cross", "decoder", "encoder"].map((kind) => [kind, say(`kind.${kind}`)]);
  const kind = choice(say("page.heads.kind"), kinds, (value) =>
    set({ kind: value, layer: Math.min(state.layer, attention(value).layers - 1) }),
  );
  const head = choice(
    say("page.heads.head"),
    [...numbers(model.n_heads), ["average", say("page.heads.average")]],
    (value) => set({ head: value }),
  );
  const layers = el("div"),
    big = el("div"),
    small = el("div");
  const element = el(
    "div",
    {},
    part(say("page.heads"), say("page.heads.note"), el("div", { class: "controls" }, kind, layers, head)),
    el(
      "div",
      { class: sentence().source.tokens.length > BROAD ? null : "pair" },
      el("div", { class: "part" }, big),
      el(
        "section",
        { class: "part" },
        el("h3", {}, say("page.heads.all")),
        el("p", { class: "note" }, say("page.heads.all.note")),
        small,
      ),
    ),
  );
  let shownKind = null;
  let layer = null;
  const update = () => {
    if (shownKind !== state.kind) {
      shownKind = state.kind;
      layer = choice(say("page.heads.layer"), numbers(attention(state.kind).layers), (value) =>
        set({ layer: value }),
      );
      layers.replaceChildren(layer);
      small.replaceChildren(smallMultiples(state.kind));
    }
    kind.show(state.kind);
    layer.show(state.layer);
    head.show(state.head);
    for (const button of small.querySelectorAll("button")) {
      button.setAttribute("aria-pressed", String(button.dataset.place === `${state.layer}:${state.head}`));
    }
    big.replaceChildren(...oneHead(state.kind, state.layer, state.head));
  };
  return { element, update };
}

function oneHead(kind, layer, head) {
  const average = head === "average";
  const values = average ? attention(kind).average([layer]) : attention(kind).head(layer, head);
  const { rows, columns } = sides(kind);
  const hidden = (i, j) => kind === "decoder" && j > i;
  const name = say("page.heads.name", {
    kind: say(`kind.${kind}`),
    layer: layer + 1,
    head: average ? say("page.heads.average") : head + 1,
  });
  const table = heatTable({
    name,
    values,
    rows,
    columns,
    hidden,
    text: (x) => (x >= 0.005 ? (100 * x).toFixed(0) : ""),
    tell: (i, j) => {
      const names = { row: rows.names[i], column: columns.names[j], value: exactPercent(values[i][j]) };
      return say(hidden(i, j) ? "page.heads.cell.hidden" : "page.heads.cell", names);
    },
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
    pick: kind === "encoder" ? null : (i) => set({ step: i }),
    lit: kind === "encoder" ? null : state.step,
    hint: say("page.heads.readout"),
  });
  const notes = [say(`kind.${kind}.note`), ...(average ? [] : headFacts(kind, layer, head))];
  if (kind === "decoder") notes.push(say("page.heads.mask"));
  return [
    el("h3", {}, name),
    table,
    el(
      "ul",
      { class: "facts" },
      notes.map((note) => el("li", {}, note)),
    ),
  ];
}

// What is known about a head in this sentence.
function headFacts(kind, layer, head) {
  const { head_entropy: entropy, sinks, alignment } = sentence();
  const bits = entropy[kind][layer][head];
  const focus = say(bits < 1.5 ? "page.heads.focus.narrow" : "page.heads.focus.wide");
  const facts = [say("page.heads.focus", { bits: bits.toFixed(2), mood: focus })];
  const names = sides(kind).columns.names;
  for (const sink of sinks.filter((s) => s.kind === kind && s.layer === layer && s.head === head)) {
    facts.push(say("page.heads.sink", { share: percent(sink.share), token: names[sink.key] }));
  }
  if (kind === "cross" && alignment.layer === layer && alignment.head === head) {
    facts.push(say(alignment.trained ? "page.heads.trained" : "page.heads.aligns"));
  }
  return facts;
}

// A grid of pictures: a row a layer, a column a head.
function smallMultiples(kind) {
  const all = attention(kind);
  const { rows, columns } = sides(kind);
  const shape = clamp(columns.names.length / rows.names.length, 0.5, 2);
  const picture = (layer, head) =>
    el(
      "button",
      {
        type: "button",
        class: "small",
        "data-place": `${layer}:${head}`,
        "aria-label": say("head", { layer: layer + 1, head: head + 1 }),
        onclick: () => set({ layer, head }),
      },
      thumbnail(all.head(layer, head)),
      el("span", { "aria-hidden": "true" }, `${layer + 1}·${head + 1}`),
    );
  const grid = Array.from({ length: all.layers * all.heads }, (_, n) =>
    picture(Math.floor(n / all.heads), n % all.heads),
  );
  return scroller(
    say("page.heads.all"),
    el("div", { class: "multiples", "--heads": all.heads, "--shape": shape.toFixed(3) }, grid),
  );
}
