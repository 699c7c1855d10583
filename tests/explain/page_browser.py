"""Click through a page in headless Chromium: ``python page_browser.py page.html document.json``.

Prints a line per check; exit code 1 when one fails. Needs Debian's chromium and chromium-driver, and selenium.
"""

from __future__ import annotations

import json
import sys
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from selenium import webdriver
from selenium.webdriver import ActionChains, Keys
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement

CHROMIUM, DRIVER = "/usr/bin/chromium", "/usr/bin/chromedriver"
SWITCHES = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
)
TABS = ("steps", "heads", "words", "lens", "beam", "road", "tour")

# Every element that shows text of its own, with the contrast of that text to what lies behind it.
CONTRASTS = """
const rgba = (text) => {
  const numbers = text.match(/[\\d.e-]+/g).map(Number);
  if (text.startsWith("color(srgb")) return [...numbers.slice(0, 3), numbers[3] ?? 1];
  return [...numbers.slice(0, 3).map((x) => x / 255), numbers[3] ?? 1];
};
const over = (top, under) => top.slice(0, 3).map((x, i) => x * top[3] + under[i] * (1 - top[3]));
const light = (c) => {
  const [r, g, b] = c.map((x) => (x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const behind = (e) => (e ? over(rgba(getComputedStyle(e).backgroundColor), behind(e.parentElement)) : [1, 1, 1]);
const found = [];
for (const e of document.querySelectorAll("body *")) {
  const text = [...e.childNodes].filter((n) => n.nodeType === 3).map((n) => n.data.trim()).join("");
  if (!text || e.closest("svg, .unseen, .skip, script, noscript, option") || !e.checkVisibility()) continue;
  const under = behind(e), ink = over(rgba(getComputedStyle(e).color), under);
  const [a, b] = [light(ink), light(under)].sort((x, y) => y - x);
  found.push([(a + 0.05) / (b + 0.05), e.tagName + "." + e.className + " " + text.slice(0, 30)]);
}
return found.sort((x, y) => x[0] - y[0])[0];
"""

UNNAMED = """
const named = (e) => e.getAttribute("aria-label") || e.textContent.trim() || e.closest("label");
const things = document.querySelectorAll("button, select, input, [role=img], [role=group], [role=tabpanel]");
return [...things].filter((e) => !named(e)).map((e) => e.outerHTML.slice(0, 80));
"""


class Page:
    """The page in a browser, and the document that it was made from."""

    def __init__(self, path: Path, document: dict[str, Any], profile: str) -> None:
        options = webdriver.ChromeOptions()
        options.binary_location = CHROMIUM
        for switch in [*SWITCHES.split(), f"--user-data-dir={profile}"]:
            options.add_argument(switch)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.browser = webdriver.Chrome(options=options, service=Service(DRIVER))
        self.document = document
        self.sentence = document["sentences"][0]
        self.address = path.resolve().as_uri()
        self.size(1280)
        self.browser.get(self.address)

    def size(self, width: int) -> None:
        metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def media(self, scheme: str, medium: str = "") -> None:
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": medium, "features": features})

    def one(self, css: str) -> WebElement:
        return self.browser.find_element(By.CSS_SELECTOR, css)

    def all(self, css: str) -> list[WebElement]:
        return self.browser.find_elements(By.CSS_SELECTOR, css)

    def texts(self, css: str) -> list[str]:
        texts: list[str] = self.run(
            "return [...document.querySelectorAll(arguments[0])].map((e) => e.textContent)", css
        )
        return texts

    def run(self, script: str, *arguments: object) -> Any:
        return self.browser.execute_script(script, *arguments)

    def press(self, css: str) -> None:
        self.run("arguments[0].scrollIntoView({block: 'center'})", self.one(css))
        self.one(css).click()

    def hover(self, css: str) -> None:
        self.run("arguments[0].scrollIntoView({block: 'center', inline: 'center'})", self.one(css))
        ActionChains(self.browser, duration=0).move_to_element(self.one(css)).perform()

    def keys(self, *keys: str) -> None:
        ActionChains(self.browser, duration=0).send_keys(*keys).perform()

    def open(self, tab: str) -> None:
        self.press(f"#tab-{tab}")

    def show(self, tab: str) -> None:
        """As ``open``, without a mouse: quicker."""
        self.run("document.getElementById(`tab-${arguments[0]}`).click()", tab)

    def step(self) -> int:
        return int(self.one(".transport input").get_property("value"))


def _percent(p: float) -> str:
    """As the terminal writes it."""
    from translit.explain.terminal.pictures import percent

    return percent(p)


def steps_by_keyboard(page: Page) -> None:
    """The arrow keys and the slider move through the steps; the candidates are the document's."""
    steps = page.sentence["steps"]
    page.keys(Keys.HOME)
    assert page.step() == 0
    page.keys(Keys.ARROW_RIGHT)
    assert page.step() == 1
    page.one(".transport input").send_keys(Keys.ARROW_RIGHT)
    assert page.step() == 2
    page.keys(Keys.ARROW_LEFT)
    for t in range(1, min(4, len(steps))):
        assert page.step() == t
        shown = list(zip(page.texts(".candidates th"), page.texts(".candidates .number"), strict=True))
        # Python rounds halves to even, JavaScript up: both are right to the last digit shown.
        for (name, percent), c in zip(shown, steps[t]["candidates"][:8], strict=False):
            assert name == c["text"]
            either = {_percent(c["probability"] * (1 + e)) for e in (-1e-9, 1e-9)}
            assert percent in either, (percent, c)
        assert page.texts(".prefix .blank") == [steps[t]["chosen"]["text"]]
        assert len(page.texts(".prefix span")) == t + 1
        page.keys(Keys.ARROW_RIGHT)


def pressing_a_character(page: Page) -> None:
    """A character of the translation, a row of the table and a point of the curve lead to their step."""
    page.press(".target button:nth-of-type(1)")
    assert page.step() == 0
    page.press(".steps tbody tr:nth-child(2) button")
    assert page.step() == 1
    page.press(".target button:nth-of-type(2)")
    assert page.one(".target [aria-current=step]").get_attribute("tabindex") == "0"


def play_and_pause(page: Page) -> None:
    """The play button starts to write and stops."""
    page.keys(Keys.HOME)
    name = page.one(".play").text
    page.press(".play")
    assert page.one(".play").text != name
    page.press(".play")
    assert page.one(".play").text == name


def lines_follow_the_mouse(page: Page) -> None:
    """Hovering over a written token, then over a source token, tells their row and column."""
    page.keys(Keys.HOME)
    row = page.one("#panel-steps .readout").text
    page.hover(".lines .token.future")
    assert page.one("#panel-steps .readout").text != row
    page.hover(".lines .key")
    assert page.sentence["source"]["tokens"][0]["text"] in page.one("#panel-steps .readout").text


def heads_show_the_documents_numbers(page: Page) -> None:
    """Each kind, a layer and a head: every cell and every readout is the document's number."""
    page.open("heads")
    for kind, layers in page.sentence["attention"].items():
        page.press(f".choice [data-value={kind}]")
        layer, head = len(layers) - 1, len(layers[0]) - 1
        page.press(f".small[data-place='{layer}:{head}']")
        assert page.one(f".small[data-place='{layer}:{head}']").get_attribute("aria-pressed") == "true"
        weights = layers[layer][head]
        cells = page.texts("#panel-heads .heat td")[1:]
        wide = len(weights[0])
        for n, text in enumerate(cells):
            w = weights[n // wide][n % wide]
            assert abs(float(text or 0) - 100 * w) <= 0.5 + 1e-6, (kind, n, text, w)
        page.hover("#panel-heads .heat tbody tr:nth-child(2) td:nth-of-type(1)")
        assert f"{100 * weights[1][0]:.2f} %" in page.one("#panel-heads .readout").text
        page.hover("#panel-heads .heat tbody tr:nth-child(1) th")
        assert page.one("#panel-heads .heat tr.here th").text
    page.press(".choice [data-value=average]")


def the_mask_is_visible(page: Page) -> None:
    """In decoder self-attention all of the future is hidden, and nothing else."""
    page.open("heads")
    page.press(".choice [data-value=decoder]")
    t = len(page.sentence["steps"])
    assert len(page.all("#panel-heads .heat td.hidden")) == t * (t - 1) // 2
    page.press(".choice [data-value=cross]")
    assert not page.all("#panel-heads .heat td.hidden")


def a_heat_table_by_keyboard(page: Page) -> None:
    """Tab reaches a heat table; the arrow keys walk over its cells and leave the step alone."""
    page.open("heads")
    before = page.step()
    page.run("document.querySelector('#panel-heads .scroller').focus()")
    page.keys(Keys.ARROW_DOWN, Keys.ARROW_RIGHT)
    first = page.one("#panel-heads .readout").text
    page.keys(Keys.ARROW_DOWN)
    assert page.one("#panel-heads .readout").text != first
    assert page.all("#panel-heads .heat td.cell")
    assert page.step() == before


def words_side_by_side(page: Page) -> None:
    """Attention and occlusion stand beside each other, with their agreement."""
    page.open("words")
    words = page.sentence["target"]["words"]
    assert len(page.all("#panel-words .heat")) == 2
    assert len(page.all("#panel-words .heat tbody tr")) == 2 * len(words)
    needed = page.all("#panel-words section:nth-of-type(2) .heat tbody tr:nth-child(1) td")
    real = [word for word in page.sentence["source"]["words"] if word["text"] != "</s>"]
    assert len(needed) == len(real)  # </s> is never taken out
    before = page.one(".verdict").text
    page.press("#panel-words [data-value=average]")
    assert page.one(".verdict").text != before
    page.hover("#panel-words section:nth-of-type(2) .heat tbody tr:nth-child(1) td:nth-of-type(1)")
    assert "%" in page.all("#panel-words .readout")[1].text


def the_lens(page: Page) -> None:
    """Layer by step: a press goes to the step; one table a stack, one translation an encoder layer."""
    page.open("lens")
    lens = page.sentence["lens"]
    first, second = page.all("#panel-lens .heat")
    assert len(first.find_elements(By.CSS_SELECTOR, "tbody tr")) == len(lens["decoder"])
    assert len(second.find_elements(By.CSS_SELECTOR, "tbody tr")) == len(lens["encoder"])
    page.press("#panel-lens .heat tbody tr:nth-child(1) td:nth-of-type(2)")
    assert page.step() == 1
    assert len(page.all("#panel-lens .chart")) == 2
    assert len(page.all(".free dd")) == len(lens["encoder"])


def the_beam_tree(page: Page) -> None:
    """Every kept node is drawn, the dropped ones on request; the keyboard walks along the winner."""
    page.open("beam")
    nodes = page.sentence["beam"]["nodes"]
    kept = [n for n in nodes if n["fate"] != "dropped" or n["winner"]]
    assert len(page.all(".beam .stop")) == len(kept)
    page.press(".check input")
    assert len(page.all(".beam .stop")) == len(nodes)
    page.press(".check input")
    page.run("document.querySelector('#panel-beam .scroller').focus()")
    page.keys(Keys.ARROW_RIGHT)
    assert page.all(".beam .stop.here.winner")
    assert len(page.all("#panel-beam tbody tr")) == len(page.sentence["beam"]["ended"])


def the_road(page: Page) -> None:
    """Every stage opens to its numbers."""
    page.open("road")
    stages = page.sentence["flow"]["stages"]
    assert len(page.all(".stage")) == len(stages)
    page.press(".stage summary")
    page.browser.implicitly_wait(2)  # <details> tells of its opening a moment later
    page.one(".stage .heat")
    page.browser.implicitly_wait(0)
    cells = page.texts(".stage:first-of-type .heat tbody tr:nth-child(1) td")
    for text, x in zip(cells, stages[0]["values"][0], strict=True):
        assert abs(float(text.replace("−", "-")) - x) <= 0.005 + 1e-6


def pen_and_paper(page: Page) -> None:
    """A press on a number of a result shows arithmetic that ends with this number."""
    page.open("tour")
    page.press(".tour .result tbody tr:nth-child(2) td:nth-of-type(2)")
    number = page.one(".tour .result tbody tr:nth-child(2) td:nth-of-type(2)").text
    assert page.one(".tour .arithmetic").text.endswith(f"= {number}")
    page.run("document.querySelector('.tour .result').focus()")
    page.keys(Keys.ARROW_UP)
    number = page.one(".tour .result tbody tr:nth-child(1) td:nth-of-type(2)").text
    assert page.one(".tour .arithmetic").text.endswith(f"= {number}")


def tabs_by_keyboard(page: Page) -> None:
    """The arrow keys walk through the tabs; one panel is shown at a time."""
    page.open("steps")
    for tab in TABS:
        assert [p.get_attribute("id") for p in page.all(".panel") if p.is_displayed()] == [f"panel-{tab}"]
        page.keys(Keys.ARROW_RIGHT)
    assert page.one("#tab-steps").get_attribute("aria-selected") == "true"


def two_languages(page: Page) -> None:
    """The switch changes every caption and the page's language, and keeps the step."""
    step = page.step()
    page.press(".languages [lang=zh]")
    assert page.run("return document.documentElement.lang") == "zh-Hans"
    assert page.step() == step
    for tab in TABS:
        page.show(tab)
        for text in page.texts(f"#panel-{tab} h2, #panel-{tab} .note"):
            assert any("一" <= c <= "鿿" for c in text), text
    page.press(".languages [lang=en]")
    assert page.run("return document.documentElement.lang") == "en"


def every_sentence_can_be_chosen(page: Page) -> None:
    """Where there are several sentences, the menu in the header changes to another and back."""
    for n in [*range(1, len(page.document["sentences"])), 0]:
        for select in page.all("header select"):
            page.run("arguments[0].value = arguments[1]", select, n)
            page.run("arguments[0].dispatchEvent(new Event('change'))", select)
        pieces = [token["text"] for token in page.document["sentences"][n]["target"]["tokens"]]
        assert page.texts(".target button") == pieces


def everything_has_a_name(page: Page) -> None:
    """Buttons, pictures and groups have accessible names."""
    assert page.run(UNNAMED) == []


def contrast_is_sufficient(page: Page) -> None:
    """In light and dark, every text has a contrast of 4.5 to 1 at least (WCAG AA)."""
    for scheme in ("light", "dark"):
        page.media(scheme)
        for tab in TABS:
            page.show(tab)
            ratio, where = page.run(CONTRASTS)
            assert ratio >= 4.5, (scheme, tab, ratio, where)
    page.media("light")


def nothing_sticks_out(page: Page) -> None:
    """On a phone and on a desk, wide content scrolls inside its panel."""
    for width in (390, 1280):
        page.size(width)
        for tab in TABS:
            page.show(tab)
            assert page.run("return document.documentElement.scrollWidth") <= width, (width, tab)


def on_paper(page: Page) -> None:
    """Printed: the panels of the sentence are all there, the controls are not."""
    page.open("steps")
    page.run("dispatchEvent(new Event('beforeprint'))")
    page.media("light", "print")
    shown = [p.get_attribute("id") for p in page.all(".panel") if p.is_displayed()]
    assert shown == [f"panel-{tab}" for tab in TABS[:5]]
    assert not page.one(".transport").is_displayed()
    page.media("light")


def no_network_and_no_errors(page: Page) -> None:
    """Nothing was fetched, and the console is empty."""
    assert page.run("return performance.getEntriesByType('resource').length") == 0
    assert page.browser.get_log("browser") == []


CHECKS: list[Callable[[Page], None]] = [
    steps_by_keyboard,
    pressing_a_character,
    play_and_pause,
    lines_follow_the_mouse,
    heads_show_the_documents_numbers,
    the_mask_is_visible,
    a_heat_table_by_keyboard,
    words_side_by_side,
    the_lens,
    the_beam_tree,
    the_road,
    pen_and_paper,
    tabs_by_keyboard,
    two_languages,
    every_sentence_can_be_chosen,
    everything_has_a_name,
    contrast_is_sufficient,
    nothing_sticks_out,
    on_paper,
    no_network_and_no_errors,
]


def main(path: str, document: str) -> int:
    failed = 0
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        page = Page(Path(path), json.loads(Path(document).read_text("utf-8")), profile)
        try:
            for check in CHECKS:
                try:
                    check(page)
                    print(f"ok      {check.__name__}: {check.__doc__}")
                except Exception as error:  # any failure is a failed check; the others still run
                    failed += 1
                    line = traceback.extract_tb(error.__traceback__)[1]
                    print(f"FAILED  {check.__name__}, line {line.lineno}: {type(error).__name__}: {error}")
        finally:
            page.browser.quit()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
