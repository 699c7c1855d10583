// Search: the beam tree, drawn like a map of railway lines; the winner runs straight along the top.

function beamPanel() {
  const tree = sentence().beam;
  if (!tree) return { element: part(say("beam.title"), say("page.beam.none")), update: () => {} };
  const picture = el("div");
  const box = el("input", { type: "checkbox", onchange: () => set({ dropped: box.checked }) });
  const element = el(
    "div",
    {},
    part(
      say("beam.title"),
      say("page.beam.note", { beam: tree.beam }),
      el(
        "ul",
        { class: "facts" },
        verdict(tree).map((text) => el("li", {}, text)),
      ),
      el("label", { class: "check" }, box, " ", say("page.beam.dropped")),
      picture,
    ),
    part(
      say("page.beam.ended"),
      say("page.beam.ended.note", { alpha: tree.length_penalty }),
      endedTable(tree),
    ),
  );
  const update = () => {
    box.checked = state.dropped;
    picture.replaceChildren(beamPicture(tree, state.dropped));
  };
  return { element, update };
}

// The nodes from the first step to `id`.
function pathTo(tree, id) {
  const path = [];
  for (let node = tree.nodes[id]; node; node = node.parent == null ? null : tree.nodes[node.parent])
    path.unshift(node);
  return path;
}

const beamText = (tree, id) =>
  pathTo(tree, id)
    .map((node) => node.piece.replaceAll("▁", " "))
    .join("")
    .trim();

// Where the winner was decided, in sentences.
function verdict(tree) {
  const winner = pathTo(tree, tree.ended[0].node);
  const said = [
    tree.decided == null ? say("beam.decided.length") : say("beam.decided", { step: tree.decided + 1 }),
  ];
  if (tree.split != null) {
    const names = tree.ended.slice(0, 2).map((ended) => {
      const node = pathTo(tree, ended.node)[tree.split];
      return node ? `${pieceText(node.piece)} (${fixed(node.log_prob, 2)})` : "…";
    });
    said.push(say("beam.split", { step: tree.split + 1, winner: names[0], rival: names[1] }));
  }
  const better = (node) =>
    tree.nodes.some((n) => n.parent === node.parent && n.step === node.step && n.log_prob > node.log_prob);
  const turn = winner.find(better);
  if (turn) said.push(say("beam.not_greedy", { step: turn.step + 1 }));
  return said;
}

function endedTable(tree) {
  const row = (ended, n) =>
    el(
      "tr",
      { class: n ? null : "lit" },
      el("td", {}, n ? "" : "★"),
      el("td", { class: "number" }, fixed(ended.score, 3)),
      el("td", { class: "number" }, fixed(ended.log_prob, 2)),
      el("td", { class: "text", lang: targetLanguage }, ended.text),
    );
  const names = ["", say("page.beam.score"), say("page.beam.log_prob"), say("page.translation")];
  const head = names.map((text, n) =>
    text ? el("th", { scope: "col", class: n < 3 ? "number" : null }, text) : el("td"),
  );
  return scroller(
    say("page.beam.ended"),
    el(
      "table",
      { class: "plain" },
      el("thead", {}, el("tr", {}, head)),
      el("tbody", {}, tree.ended.map(row)),
    ),
  );
}

// ---- The map ----

const MAP = { column: 74, row: 46, left: 36, top: 26 };

function beamPicture(tree, dropped) {
  const nodes = tree.nodes.filter((node) => dropped || node.fate !== "dropped" || node.winner);
  const children = groupBy(nodes, (n) => n.parent);
  for (const list of children.values())
    list.sort(
      (a, b) => b.winner - a.winner || (a.fate === "dropped") - (b.fate === "dropped") || b.score - a.score,
    );
  const rows = placeLines(children);
  const x = (step) => MAP.left + MAP.column * (step + 1);
  const y = (id) => MAP.top + MAP.row * (id == null ? 0 : rows.get(id));
  const readout = el("output", { class: "readout" }, say("page.beam.readout"));
  const links = [...nodes].sort((a, b) => a.winner - b.winner).map((node) => link(node, x, y));
  const marks = nodes.map((node) => stop(node, x, y));
  const groups = new Map(
    nodes.map((node, n) => [node.id, [links.find((l) => l.dataset.id === String(node.id)), marks[n]]]),
  );
  const show = (id) => {
    for (const pair of groups.values()) pair.forEach((e) => e.classList.remove("here"));
    for (const node of pathTo(tree, id)) groups.get(node.id).forEach((e) => e.classList.add("here"));
    readout.textContent = tellNode(tree, tree.nodes[id]);
  };
  marks.forEach((mark, n) => mark.addEventListener("mouseenter", () => show(nodes[n].id)));
  const width = x(Math.max(...nodes.map((n) => n.step))) + MAP.column;
  const height = MAP.top + MAP.row * Math.max(...rows.values()) + 34;
  const start = svg("text", { class: "start", x: MAP.left, y: MAP.top + 5, "text-anchor": "middle" }, "<s>");
  const numbers = Array.from({ length: Math.max(...nodes.map((n) => n.step)) + 1 }, (_, step) =>
    svg(
      "text",
      { class: step === state.step ? "tick selected" : "tick", x: x(step), y: 8, "text-anchor": "middle" },
      step + 1,
    ),
  );
  const label = `${say("beam.title")}. ${tree.ended.map((e) => `${fixed(e.score, 3)} ${e.text}`).join("; ")}`;
  const picture = svg(
    "svg",
    { class: "beam", role: "img", "aria-label": label, width, height, viewBox: `0 0 ${width} ${height}` },
    numbers,
    links,
    start,
    marks,
  );
  const frame = scroller(say("beam.title"), picture);
  frame.addEventListener(
    "keydown",
    walker(nodes, children, rows, show, (id) => groups.get(id)[1]),
  );
  return el("div", {}, frame, readout);
}

function groupBy(list, key) {
  const groups = new Map();
  for (const item of list) groups.set(key(item), [...(groups.get(key(item)) ?? []), item]);
  return groups;
}

// A line is a node followed by its best child, and so on. Each gets the first row that is free on its whole length.
function placeLines(children) {
  const rows = new Map(); // id → row
  const taken = []; // per row: [first step, last step] of the lines on it
  const lines = [...(children.get(null) ?? [])];
  while (lines.length) {
    lines.sort((a, b) => b.winner - a.winner || a.step - b.step || b.score - a.score);
    const nodes = [lines.shift()];
    while (children.has(nodes.at(-1).id)) {
      const [best, ...others] = children.get(nodes.at(-1).id);
      nodes.push(best);
      lines.push(...others);
    }
    const [first, last] = [nodes[0].step, nodes.at(-1).step];
    const free = (spans) => spans.every(([a, b]) => last < a || first > b);
    let row = taken.findIndex(free);
    if (row < 0) row = taken.push([]) - 1;
    taken[row].push([first, last]);
    for (const node of nodes) rows.set(node.id, row);
  }
  return rows;
}

function link(node, x, y) {
  const a = x(node.step - 1) + (node.step ? 0 : 14),
    b = x(node.step),
    bend = (a + b) / 2;
  const d = `M${a} ${y(node.parent)}C${bend} ${y(node.parent)} ${bend} ${y(node.id)} ${b} ${y(node.id)}`;
  return svg("path", { d, class: `link ${node.fate}${node.winner ? " winner" : ""}`, "data-id": node.id });
}

function stop(node, x, y) {
  const name = clip(pieceText(node.piece), 6);
  const width = Math.max(26, 12 + 9 * [...name].reduce((sum, c) => sum + (c > "⺀" ? 1.8 : 1), 0));
  return svg(
    "g",
    {
      class: `stop ${node.fate}${node.winner ? " winner" : ""}`,
      transform: `translate(${x(node.step)} ${y(node.id)})`,
    },
    svg("rect", { x: -width / 2, y: -13, width, height: 26, rx: 13 }),
    svg("text", { class: "piece", y: 5, "text-anchor": "middle", lang: targetLanguage }, name),
    svg(
      "text",
      { class: "score", y: 25, "text-anchor": "middle" },
      (node.fate === "ended" ? "■ " : "") + fixed(node.score, 2),
    ),
  );
}

function tellNode(tree, node) {
  const fate = say(`page.beam.fate.${node.fate}`, {
    score: node.final_score == null ? "" : fixed(node.final_score, 3),
  });
  return say("page.beam.node", {
    text: beamText(tree, node.id),
    log_prob: fixed(node.log_prob, 2),
    score: fixed(node.score, 2),
    fate,
  });
}

// The arrow keys walk through the tree: left to the parent, right to the best child, up and down within a step.
function walker(nodes, children, rows, show, elementOf) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  let here = children.get(null)[0];
  return (event) => {
    const column = nodes.filter((n) => n.step === here.step).sort((a, b) => rows.get(a.id) - rows.get(b.id));
    const n = column.indexOf(here);
    const moves = {
      ArrowLeft: byId.get(here.parent),
      ArrowRight: children.get(here.id)?.[0],
      ArrowUp: column[n - 1],
      ArrowDown: column[n + 1],
    };
    if (!(event.key in moves)) return;
    event.preventDefault();
    event.stopPropagation();
    here = moves[event.key] ?? here;
    show(here.id);
    elementOf(here.id).scrollIntoView({ block: "nearest", inline: "nearest" });
  };
}
