// Step by step: the candidates, where the model looks, how sure it was.

function stepsPanel() {
  const next = el("div"),
    look = el("div"),
    curve = el("div"),
    table = el("div");
  const { element: by, select } = menu(say("page.look.by"), lookGroups(), (value) => set({ look: value }));
  const element = el(
    "div",
    {},
    el(
      "div",
      { class: "two" },
      el(
        "div",
        {},
        part(say("page.next"), say("page.next.note"), next),
        part(say("page.sure"), say("page.sure.note"), curve),
      ),
      part(say("page.look"), say("page.look.note"), by, look),
    ),
    part(say("page.all"), say("page.all.note"), table),
  );
  const update = () => {
    select.value = state.look;
    next.replaceChildren(prefixLine(state.step), candidateBars(sentence().steps[state.step]));
    look.replaceChildren(linesPicture(state.look, state.step));
    curve.replaceChildren(sureChart());
    table.replaceChildren(stepTable());
  };
  return { element, update };
}

// ---- What comes next ----

// <s> 我 爱 ____, the blank filled in.
function prefixLine(step) {
  const read = inputTokens().slice(0, step + 1);
  return el(
    "p",
    { class: "prefix", lang: targetLanguage },
    read.map((token, i) => [el("span", { class: i ? null : "special" }, token), " "]),
    el("strong", { class: "blank" }, targetTokens()[step]),
  );
}

function candidateBars({ candidates, chosen, entropy }) {
  const shown = candidates.slice(0, 8);
  if (!shown.some((c) => c.id === chosen.id)) shown.push(chosen);
  const rest = Math.max(0, 1 - shown.reduce((sum, c) => sum + c.probability, 0));
  const row = (name, p, kind, rank) =>
    el(
      "tr",
      { class: kind },
      el("td", { class: "mark" }, kind === "chosen" ? "▶" : ""),
      el("th", { scope: "row", lang: rank ? targetLanguage : null }, name),
      el("td", { class: "bar" }, el("span", { "--w": `${100 * p}%` })),
      el("td", { class: "number" }, percent(p)),
      el(
        "td",
        { class: "rank" },
        rank > shown.length ? say("steps.rank", { rank: rank.toLocaleString() }) : "",
      ),
    );
  const others = say("page.next.rest", {
    count: (DOCUMENT.model.target_vocab - shown.length).toLocaleString(),
  });
  return el(
    "div",
    {},
    el(
      "table",
      { class: "candidates" },
      el("caption", { class: "unseen" }, say("page.next")),
      el(
        "tbody",
        {},
        shown.map((c) => row(c.text, c.probability, c.id === chosen.id ? "chosen" : null, c.rank)),
        row(others, rest, "rest"),
      ),
    ),
    el(
      "p",
      { class: "note" },
      say("steps.entropy", { bits: entropy.toFixed(2), mood: mood(candidates[0].probability) }),
    ),
  );
}

// How sure the model was, by the probability of its favourite; the terminal draws the same borders.
function mood(best) {
  return say(`mood.${best > 0.85 ? "certain" : best > 0.6 ? "sure" : best > 0.3 ? "unsure" : "guess"}`);
}

// ---- Where it looks ----

// Which head stands for the alignment, and who says so: the model, or a rule.
function alignedName() {
  const { layer, head, trained } = sentence().alignment;
  return say(trained ? "alignment.trained" : "alignment.chosen", { layer: layer + 1, head: head + 1 });
}

function lookGroups() {
  const model = DOCUMENT.model;
  const heads = (kind) =>
    Array.from({ length: model.decoder_layers * model.n_heads }, (_, n) => {
      const layer = Math.floor(n / model.n_heads),
        head = n % model.n_heads;
      return [`${kind}:${layer}:${head}`, say("head", { layer: layer + 1, head: head + 1 })];
    });
  return [
    [
      null,
      [
        ["aligned", alignedName()],
        ["average", say("page.look.average")],
      ],
    ],
    [say("kind.cross"), heads("cross")],
    [say("kind.decoder"), heads("decoder")],
  ];
}

// The attention that `look` names: {kind, values}.
function looked(look) {
  if (look === "average")
    return {
      kind: "cross",
      values: attention("cross").average([...Array(DOCUMENT.model.decoder_layers).keys()]),
    };
  const { layer, head } = sentence().alignment;
  const [kind, l, h] = look === "aligned" ? ["cross", layer, head] : look.split(":");
  return { kind, values: attention(kind).head(Number(l), Number(h)) };
}

const LINE = { left: 196, right: 300, width: 430, top: 8 };

// Keys on the left, written tokens on the right, and lines as strong as the attention between them.
// Hovering shows the row of a written token, or the column of a key.
function linesPicture(look, step) {
  const { kind, values } = looked(look);
  const { rows, columns } = sides(kind);
  const longest = Math.max(rows.names.length, columns.names.length);
  const height = longest * clamp(660 / longest, 22, 32);
  const keyAt = (j) => LINE.top + (height * (j + 0.5)) / columns.names.length;
  const rowAt = (i) => LINE.top + (height * (i + 0.5)) / rows.names.length;
  const hidden = (j) => kind === "decoder" && j > step;
  const lines = svg("g"),
    shades = svg("g"),
    shares = svg("g");
  const readout = el("output", { class: "readout" });

  const draw = (pairs, told) => {
    lines.replaceChildren(
      ...pairs
        .filter(([i, j]) => values[i][j] >= 0.01)
        .map(([i, j]) => line(rowAt(i), keyAt(j), values[i][j])),
    );
    readout.textContent = told;
  };
  const showRow = (i) => {
    draw(
      columns.names.map((_, j) => [i, j]),
      say("page.look.picture", { token: rows.names[i], list: strongest(columns.names, values[i]) }),
    );
    shades.replaceChildren(
      ...values[i].map((w, j) =>
        svg("rect", {
          class: "shade",
          x: LINE.left + 4 - 150 * w,
          y: keyAt(j) - 13,
          width: 150 * w,
          height: 26,
          rx: 3,
        }),
      ),
    );
    shares.replaceChildren(
      ...values[i].map((w, j) =>
        w >= 0.005 ? svg("text", { class: "share", x: 0, y: keyAt(j) + 5 }, percent(w)) : "",
      ),
    );
  };
  const showColumn = (j) => {
    const column = values.map((row) => row[j]);
    draw(
      rows.names.map((_, i) => [i, j]),
      say("page.look.column", { token: columns.names[j], list: strongest(rows.names, column) }),
    );
  };
  const keys = columns.names.map((name, j) =>
    svg(
      "text",
      {
        class: hidden(j) ? "key future" : "key",
        x: LINE.left,
        y: keyAt(j) + 5,
        lang: columns.language,
        onmouseenter: () => showColumn(j),
      },
      clip(name, 14),
    ),
  );
  const written = rows.names.map((name, i) =>
    svg(
      "text",
      {
        class: i === step ? "token now" : i < step ? "token" : "token future",
        x: LINE.right,
        y: rowAt(i) + 5,
        lang: rows.language,
        onmouseenter: () => showRow(i),
        onclick: () => set({ step: i }),
      },
      clip(name, 12),
    ),
  );
  showRow(step);
  const label = say("page.look.picture", {
    token: rows.names[step],
    list: strongest(columns.names, values[step], 5),
  });
  const box = `0 0 ${LINE.width} ${height + 2 * LINE.top}`;
  const picture = svg(
    "svg",
    { class: "lines", viewBox: box, role: "img", "aria-label": label, onmouseleave: () => showRow(step) },
    shades,
    lines,
    shares,
    keys,
    written,
  );
  return el(
    "div",
    {},
    kind === "decoder" && el("p", { class: "note" }, say("page.look.self")),
    el("div", { class: "tall" }, picture),
    readout,
  );
}

function line(from, to, weight) {
  const a = LINE.left + 8,
    b = LINE.right - 8,
    middle = (a + b) / 2;
  const d = `M${b} ${from}C${middle} ${from} ${middle} ${to} ${a} ${to}`;
  return svg("path", {
    class: "line",
    d,
    "stroke-width": 0.8 + 5 * weight,
    "stroke-opacity": 0.2 + 0.8 * weight,
  });
}

// ---- How sure ----

const rival = (step) => step.candidates.find((c) => c.id !== step.chosen.id);

function sureChart() {
  const steps = sentence().steps;
  const series = [
    { name: say("page.sure.written"), kind: "main", values: steps.map((s) => s.chosen.probability) },
    { name: say("page.sure.rival"), kind: "rival1", values: steps.map((s) => rival(s)?.probability ?? null) },
  ];
  const columns = { names: targetTokens(), language: targetLanguage };
  return lineChart({
    name: say("page.sure"),
    columns,
    series,
    gap: clamp(420 / columns.names.length, columns.names.some((name) => name.length > 4) ? 56 : 24, 66),
    selected: state.step,
    pick: (step) => set({ step }),
  });
}

// ---- All steps ----

function stepTable() {
  const { steps } = sentence();
  const header = [
    "",
    say("page.all.read"),
    say("page.all.wrote"),
    say("page.all.probability"),
    "",
    say("page.all.others"),
    say("page.all.entropy"),
  ];
  const row = (step, t) => {
    const others = step.candidates.filter((c) => c.id !== step.chosen.id).slice(0, 3);
    const read = inputTokens()
      .slice(Math.max(0, t - 5), t + 1)
      .join(" ");
    return el(
      "tr",
      { class: t === state.step ? "lit" : null, onclick: () => set({ step: t }) },
      el(
        "td",
        {},
        el(
          "button",
          {
            type: "button",
            class: "plain",
            "aria-label": say("page.step.of", { step: t + 1, steps: steps.length }),
          },
          t + 1,
        ),
      ),
      el("td", { class: "read", lang: targetLanguage }, t > 5 ? `… ${read}` : read),
      el("th", { scope: "row", lang: targetLanguage }, step.chosen.text),
      el("td", { class: "bar" }, el("span", { "--w": `${100 * step.chosen.probability}%` })),
      el("td", { class: "number" }, percent(step.chosen.probability)),
      el(
        "td",
        { class: "others", lang: targetLanguage },
        others.map((c) => `${c.text} ${percent(c.probability)}`).join("   "),
      ),
      el("td", { class: "number" }, step.entropy.toFixed(2)),
    );
  };
  const head = header.map((text, n) =>
    text ? el("th", { scope: "col", class: n === 6 ? "number" : null }, text) : el("td"),
  );
  return scroller(
    say("page.all"),
    el("table", { class: "steps" }, el("thead", {}, el("tr", {}, head)), el("tbody", {}, steps.map(row))),
  );
}
