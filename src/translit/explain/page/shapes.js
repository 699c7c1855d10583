// Heat tables and line charts.

const LIGHT_ON_DARK = 0.78; // from this shade on, numbers are written in the colour of paper

// A table of shades. `values` rows of numbers; `rows`, `columns`: {names, language}.
//   shade(x)       0 to 1, or negative for striped; the value itself by default
//   text(x)        what stands in a cell
//   tell(i, j)     one line about a cell; tellRow(i) and tellColumn(j) about a name
//   hidden(i, j)   cells that the mask hides
//   marked(i, j)   cells with a frame
//   pick(i, j)     what happens on a press
//   lit, now       the row and the column to point out
// Hovering, or the arrow keys once the table has the focus, shows a row and a column and tells about the cell.
function heatTable({
  name,
  values,
  rows,
  columns,
  shade = (x) => x,
  text,
  tell,
  tellRow,
  tellColumn,
  hidden,
  marked,
  pick,
  lit,
  now,
  wide,
  hint,
}) {
  const readout = el("output", { class: "readout" }, hint);
  const cell = (i, j) => {
    const x = values[i][j];
    if (hidden?.(i, j)) return el("td", { class: "hidden" });
    const depth = shade(x);
    const classes = [
      depth < 0 && "negative",
      Math.abs(depth) >= LIGHT_ON_DARK && "deep",
      marked?.(i, j) && "marked",
    ];
    return el(
      "td",
      { class: classes.filter(Boolean).join(" ") || null, "--w": `${Math.round(100 * Math.abs(depth))}%` },
      text(x, i, j),
    );
  };
  const head = columns.names.map((title, j) =>
    el(
      "th",
      { scope: "col", lang: columns.language, class: j === now ? "now" : null },
      el("span", {}, title),
    ),
  );
  const body = rows.names.map((title, i) =>
    el(
      "tr",
      { class: i === lit ? "lit" : null },
      el("th", { scope: "row", lang: rows.language }, title),
      columns.names.map((_, j) => cell(i, j)),
    ),
  );
  const table = el(
    "table",
    { class: wide ? "heat wide" : "heat", "--cell": `${clamp(24 / columns.names.length, 1.9, 2.7)}rem` },
    el("caption", { class: "unseen" }, name),
    el("thead", {}, el("tr", {}, el("td"), head)),
    el("tbody", {}, body),
  );
  const cursor = cursorOf(name, table, rows.names.length, columns.names.length, (i, j) => {
    readout.textContent = i < 0 ? tellColumn(j) : j < 0 ? tellRow(i) : tell(i, j);
  });
  const frame = scroller(name, table);
  frame.addEventListener("keydown", (event) => cursor.key(event, pick));
  table.addEventListener("mouseover", (event) => cursor.point(event.target.closest("td, th")));
  table.addEventListener("mouseleave", () => cursor.clear());
  if (pick) table.addEventListener("click", (event) => cursor.press(event.target.closest("td, th"), pick));
  return el("div", { class: "heatbox" }, frame, readout);
}

const visited = new Map(); // name of a table → the cell where its cursor was, for when the table is drawn anew

// The cell that is looked at: its row and column are marked with classes. Row or column −1 is a name.
function cursorOf(name, table, height, width, tell) {
  let at = null;
  const trs = table.tBodies[0].rows;
  const names = table.tHead.rows[0].cells;
  const mark = (on) => {
    if (!at) return;
    const [i, j] = at;
    table.classList.toggle("looking", on);
    if (i >= 0) trs[i].classList.toggle("here", on);
    if (j < 0) return;
    names[j + 1].classList.toggle("here", on);
    for (const tr of trs) tr.cells[j + 1].classList.toggle("here", on);
    if (i >= 0) trs[i].cells[j + 1].classList.toggle("cell", on);
  };
  const go = (i, j) => {
    mark(false);
    at = [i, j];
    visited.set(name, at);
    mark(true);
    tell(i, j);
  };
  const where = (cell) => [cell.parentNode.rowIndex - 1, cell.cellIndex - 1];
  return {
    point: (cell) => {
      if (!cell) return;
      const [i, j] = where(cell);
      if (i >= 0 || j >= 0) go(i, j);
    },
    press: (cell, pick) => {
      if (cell && where(cell)[0] >= 0) pick(...where(cell));
    },
    key: (event, pick) => {
      const move = ARROWS[event.key];
      if (event.key === "Enter" && at && pick && at[0] >= 0) pick(...at);
      if (!move) return;
      event.preventDefault();
      event.stopPropagation();
      const [i, j] = at ?? visited.get(name) ?? [0, -1];
      const row = clamp(i + move[0], -1, height - 1);
      go(row, clamp(j + move[1], row < 0 ? 0 : -1, width - 1));
      const cell = at[0] < 0 ? names[at[1] + 1] : trs[at[0]].cells[at[1] + 1];
      cell.scrollIntoView({ block: "nearest", inline: "nearest" });
    },
    clear: () => {
      mark(false);
      at = null;
    },
  };
}

const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }; // [rows, columns]
const clamp = (x, low, high) => Math.min(Math.max(x, low), high);

// A small picture of a head: ten shades, one path each, so that it follows the colours of the page.
function thumbnail(values) {
  const paths = Array.from({ length: 11 }, () => "");
  values.forEach((row, i) => row.forEach((x, j) => (paths[Math.round(10 * x)] += `M${j} ${i}h1v1h-1z`)));
  const shades = paths.map((d, level) =>
    level && d ? svg("path", { d, "fill-opacity": level / 10 }) : null,
  );
  const box = `0 0 ${values[0].length} ${values.length}`;
  return svg(
    "svg",
    { viewBox: box, class: "thumbnail", preserveAspectRatio: "none", "aria-hidden": "true" },
    shades,
  );
}

// Lines over named columns. series: [{name, values (0 to 1, or null), main}]; pick(j) on a press.
function lineChart({ name, columns, series, selected, pick, gap = 46 }) {
  const top = 14,
    height = 150,
    left = 44,
    right = 20;
  const width = left + gap * (columns.names.length - 1) + right;
  const x = (j) => left + gap * j;
  const y = (p) => top + height * (1 - p);
  const grid = [0, 0.25, 0.5, 0.75, 1].map((p) => [
    svg("line", { class: "grid", x1: left - 8, x2: width - right + 8, y1: y(p), y2: y(p) }),
    svg("text", { class: "tick", x: left - 14, y: y(p) + 4, "text-anchor": "end" }, `${100 * p}`),
  ]);
  const labels = columns.names.map((label, j) =>
    svg(
      "text",
      {
        class: j === selected ? "name selected" : "name",
        x: x(j),
        y: top + height + 22,
        "text-anchor": "middle",
        lang: columns.language,
      },
      clip(label, 7),
    ),
  );
  const here =
    selected == null
      ? null
      : svg("line", { class: "here", x1: x(selected), x2: x(selected), y1: top, y2: top + height });
  const lines = [...series].reverse().map((one) => curve(one, x, y, columns.names));
  const hits =
    pick &&
    columns.names.map((_, j) =>
      svg("rect", {
        class: "hit",
        x: x(j) - gap / 2,
        y: 0,
        width: gap,
        height: top + height + 30,
        onclick: () => pick(j),
      }),
    );
  const size = { width, height: top + height + 34, viewBox: `0 0 ${width} ${top + height + 34}` };
  const summary = series
    .map((one) => `${one.name}: ${one.values.map((v) => (v == null ? "–" : percent(v))).join(" ")}`)
    .join("; ");
  const picture = svg(
    "svg",
    { class: "chart", role: "img", "aria-label": `${name}. ${summary}`, ...size },
    grid,
    here,
    hits,
    lines,
    labels,
  );
  return el("div", {}, legend(series), scroller(name, picture));
}

function curve({ name, values, kind }, x, y, columns) {
  let d = "";
  values.forEach((v, j) => {
    if (v != null) d += `${d && values[j - 1] != null ? "L" : "M"}${x(j)} ${y(v)}`;
  });
  const points = values.map((v, j) =>
    v == null
      ? null
      : svg(
          "circle",
          { cx: x(j), cy: y(v), r: kind === "main" ? 4 : 3 },
          svg("title", {}, `${columns[j]} · ${name}: ${percent(v)}`),
        ),
  );
  return svg("g", { class: `curve ${kind}` }, svg("path", { d }), points);
}

function legend(series) {
  const item = ({ name, kind, language }) =>
    el(
      "li",
      {},
      svg(
        "svg",
        { class: `curve ${kind}`, width: 28, height: 10, "aria-hidden": "true" },
        svg("path", { d: "M1 5H27" }),
      ),
      el("span", { lang: language }, name),
    );
  return el("ul", { class: "legend" }, series.map(item));
}

const clip = (text, length) =>
  [...text].length > length ? `${[...text].slice(0, length - 1).join("")}…` : text;
