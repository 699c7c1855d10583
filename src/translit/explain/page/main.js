// The frame: the sentence, the slider, the tabs, and what happens when something is chosen.

const PANELS = {
  steps: stepsPanel,
  heads: headsPanel,
  words: wordsPanel,
  lens: lensPanel,
  beam: beamPanel,
  road: roadPanel,
  tour: tourPanel,
};
const PAGES_LONG = ["road", "tour"]; // printed only when they are open

let frame = null; // {update} of the header and the slider
let panels = {}; // tab → {element, update, stale}
let playing = null; // the timer of "watch it write"

// Change the state and redraw what it touches.
function set(change) {
  Object.assign(state, change);
  if ("sentence" in change) startSentence();
  if ("sentence" in change || "language" in change) build();
  else refresh();
}

function startSentence() {
  const { layer, head } = sentence().alignment;
  Object.assign(state, {
    step: 0,
    look: "aligned",
    kind: "cross",
    layer,
    head,
    which: "aligned_head",
    dropped: false,
  });
}

function refresh() {
  frame.update();
  for (const panel of Object.values(panels)) panel.stale = true;
  update(state.tab);
}

function update(tab) {
  if (!panels[tab].stale) return;
  redraw(panels[tab]);
  panels[tab].stale = false;
}

// Redraw a panel; what was scrolled stays scrolled, and the focus stays where it was.
function redraw({ element, update }) {
  const boxes = () => [...element.querySelectorAll(".scroller, .tall")];
  const places = boxes().map((box) => [box.scrollLeft, box.scrollTop]);
  const focus = element.contains(document.activeElement) && document.activeElement.getAttribute("aria-label");
  update();
  boxes().forEach((box, n) => {
    [box.scrollLeft, box.scrollTop] = places[n] ?? [0, 0];
    reveal(box);
  });
  if (focus && !element.contains(document.activeElement))
    element.querySelector(`[aria-label=${JSON.stringify(focus)}]`)?.focus();
}

// Scroll `box`, and nothing else, until the current step stands in it.
function reveal(box) {
  const here = box.querySelector(".now, .selected, .lit > [scope=row]");
  if (!here) return;
  const inner = here.getBoundingClientRect(),
    outer = box.getBoundingClientRect();
  if (inner.left < outer.left + 60 || inner.right > outer.right - 20)
    box.scrollLeft += inner.left - outer.left - outer.width / 2;
  if (inner.top < outer.top || inner.bottom > outer.bottom)
    box.scrollTop += inner.top - outer.top - outer.height / 2;
}

function build() {
  document.documentElement.lang = state.language === "zh" ? "zh-Hans" : "en";
  document.title = `${DOCUMENT.text} → ${DOCUMENT.translation} · translit explain`;
  panels = Object.fromEntries(Object.entries(PANELS).map(([tab, make]) => [tab, { stale: true, ...make() }]));
  frame = makeFrame();
  document.getElementById("page").replaceChildren(...frame.elements);
  refresh();
}

function makeFrame() {
  const sentenceParts = theSentence();
  const slider = transport();
  const tabs = tabList();
  const main = el(
    "main",
    {},
    sentenceParts.element,
    slider.element,
    tabs.element,
    Object.entries(panels).map(([tab, panel]) => tabPanel(tab, panel)),
  );
  const update = () => [sentenceParts, slider, tabs].forEach((one) => one.update());
  return {
    elements: [el("a", { class: "skip", href: "#tabs" }, say("page.skip")), header(), main, footer()],
    update,
  };
}

// ---- Header and footer ----

function header() {
  const button = (language, name) =>
    el(
      "button",
      {
        type: "button",
        lang: language,
        "aria-pressed": String(state.language === language),
        onclick: () => switchTo(language),
      },
      name,
    );
  const picker = DOCUMENT.sentences.length > 1 && sentencePicker();
  return el(
    "header",
    {},
    el("p", { class: "brand" }, el("b", {}, "translit"), " explain"),
    picker,
    el(
      "div",
      { class: "languages", role: "group", "aria-label": say("page.language") },
      button("zh", "中文"),
      button("en", "English"),
    ),
  );
}

function switchTo(language) {
  set({ language });
  document.querySelector(`.languages [lang=${language}]`).focus();
}

function sentencePicker() {
  const options = DOCUMENT.sentences.map((one, n) => [n, `${n + 1}. ${clip(one.text, 40)}`]);
  const { element, select } = menu(say("page.sentence"), [[null, options]], (value) =>
    set({ sentence: Number(value) }),
  );
  select.value = state.sentence;
  return element;
}

function footer() {
  const { model, search, translit } = DOCUMENT;
  const how = search.given_target
    ? say("search.given")
    : search.beam === 1
      ? say("search.greedy")
      : say("search.beam", search);
  const made = say("page.made_with", {
    version: translit,
    model: model.name,
    parameters: (model.parameters / 1e6).toFixed(1),
    encoder: model.encoder_layers,
    decoder: model.decoder_layers,
    heads: model.n_heads,
    search: how,
  });
  const terms = DATA.glossary.map((both) => both[COLUMN[state.language]]);
  return el(
    "footer",
    {},
    el(
      "details",
      { class: "glossary" },
      el("summary", {}, say("page.glossary")),
      el(
        "dl",
        {},
        terms.map(([term, text]) => [el("dt", {}, term), el("dd", {}, text)]),
      ),
    ),
    el("p", {}, made),
  );
}

// ---- The sentence: source words lit up by attention, written characters to press ----

function theSentence() {
  const { source, target, given, translation, final, unrepaired } = sentence();
  const label = unrepaired ? "page.repaired" : given ? "page.given" : "page.translation";
  const sources = source.tokens.map((token) => el("span", { class: special(token) }, token.text));
  const buttons = target.tokens.map((token, step) =>
    el("button", { type: "button", class: special(token), onclick: () => set({ step }) }, token.text),
  );
  const element = el(
    "section",
    { class: "sentence" },
    el("h1", { class: "unseen" }, `${sentence().text} → ${sentence().translation}`),
    el("p", { class: "label" }, say("page.source")),
    el("p", { class: "source", lang: sourceLanguage }, spaced(source.tokens, sources)),
    el("p", { class: "label" }, say(label)),
    el("p", { class: "target", lang: targetLanguage }, spaced(target.tokens, buttons)),
    unrepaired && el("p", { class: "hint" }, say("repaired", { text: unrepaired })),
    final !== translation &&
      el("p", { class: "hint", lang: targetLanguage }, say("page.final", { text: final })),
    el("p", { class: "hint" }, say("page.hint")),
  );
  const update = () => {
    const { kind, values } = looked(state.look);
    const shares = kind === "cross" ? values[state.step] : [];
    sources.forEach((span, j) => span.style.setProperty("--w", `${Math.round(100 * (shares[j] ?? 0))}%`));
    buttons.forEach((button, t) => {
      const here = t === state.step;
      button.setAttribute("aria-current", here ? "step" : "false");
      button.tabIndex = here ? 0 : -1;
      button.classList.toggle("future", t > state.step);
      if (here && element.contains(document.activeElement) && document.activeElement !== button)
        button.focus();
    });
  };
  return { element, update };
}

const special = (token) => (/^<.*>$/.test(token.piece) ? "special" : null);
// A space before each token that begins a word; a token that is only a space is one itself.
const spaced = (tokens, elements) =>
  elements.map((element, i) => [
    i && (/^▁./.test(tokens[i].piece) || special(tokens[i])) ? " " : "",
    element,
  ]);

// ---- The slider ----

function transport() {
  const steps = sentence().steps.length;
  const slider = el("input", {
    type: "range",
    min: 0,
    max: steps - 1,
    step: 1,
    "aria-label": say("page.step"),
    oninput: () => set({ step: Number(slider.value) }),
  });
  const label = el("span", { class: "where" });
  const move = (by) => set({ step: clamp(state.step + by, 0, steps - 1) });
  const arrow = (by, sign, name) =>
    el("button", { type: "button", "aria-label": name, title: name, onclick: () => move(by) }, sign);
  const play = el("button", { type: "button", class: "play", onclick: () => (playing ? pause() : start()) });
  const element = el(
    "div",
    { class: "transport" },
    play,
    arrow(-1, "‹", say("page.back")),
    slider,
    arrow(1, "›", say("page.forward")),
    label,
  );
  const update = () => {
    const { chosen } = sentence().steps[state.step];
    slider.value = state.step;
    slider.setAttribute(
      "aria-valuetext",
      say("page.step.value", {
        step: state.step + 1,
        steps,
        token: chosen.text,
        percent: percent(chosen.probability),
      }),
    );
    label.replaceChildren(
      say("page.step.of", { step: state.step + 1, steps }),
      " · ",
      el("b", { lang: targetLanguage }, chosen.text),
      ` ${percent(chosen.probability)}`,
    );
    play.replaceChildren(playing ? "❚❚ " : "▶ ", el("span", {}, say(playing ? "page.pause" : "page.play")));
  };
  return { element, update };
}

function start() {
  const last = sentence().steps.length - 1;
  if (state.step === last) state.step = 0;
  playing = setInterval(
    () => (state.step < sentence().steps.length - 1 ? set({ step: state.step + 1 }) : pause()),
    800,
  );
  refresh();
}

function pause() {
  clearInterval(playing);
  playing = null;
  refresh();
}

// Left and right move through the steps, unless something with the focus needs these keys itself.
document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("input, select, [role=tab]"))
    return;
  const last = sentence().steps.length - 1;
  const to = { ArrowLeft: state.step - 1, ArrowRight: state.step + 1, Home: 0, End: last }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  set({ step: clamp(to, 0, last) });
});

// ---- Tabs ----

function tabList() {
  const names = Object.keys(PANELS);
  const buttons = names.map((tab) =>
    el(
      "button",
      {
        type: "button",
        role: "tab",
        id: `tab-${tab}`,
        "aria-controls": `panel-${tab}`,
        onclick: () => open(tab),
      },
      say(`page.tab.${tab}`),
    ),
  );
  const element = el(
    "div",
    { class: "tabs", role: "tablist", id: "tabs", "aria-label": say("page.tabs") },
    buttons,
  );
  element.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const n =
      event.key === "Home"
        ? 0
        : event.key === "End"
          ? names.length - 1
          : by && (names.indexOf(state.tab) + by + names.length) % names.length;
    if (n === undefined) return;
    event.preventDefault();
    open(names[n]);
    buttons[n].focus();
  });
  const update = () => {
    buttons.forEach((button, n) => {
      const here = names[n] === state.tab;
      button.setAttribute("aria-selected", String(here));
      button.tabIndex = here ? 0 : -1;
      if (here) element.scrollLeft = button.offsetLeft - (element.clientWidth - button.offsetWidth) / 2;
    });
    for (const tab of names)
      document.getElementById(`panel-${tab}`)?.classList.toggle("open", tab === state.tab);
  };
  return { element, update };
}

function tabPanel(tab, panel) {
  const classes = PAGES_LONG.includes(tab) ? "panel long" : "panel";
  return el(
    "div",
    { class: classes, role: "tabpanel", id: `panel-${tab}`, "aria-labelledby": `tab-${tab}` },
    panel.element,
  );
}

function open(tab) {
  history.replaceState(null, "", `#${tab}`);
  set({ tab });
}

// On paper all panels are shown, so all must be drawn.
addEventListener("beforeprint", () => Object.keys(panels).forEach(update));

const asked = location.hash.slice(1);
if (asked in PANELS) state.tab = asked;
startSentence();
build();
