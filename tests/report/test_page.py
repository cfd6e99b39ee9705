"""The page in a real Chromium, opened from disk, with everything hostile that a record can hold."""

from __future__ import annotations

import json
import re
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, expect, sync_playwright

from pytest_benchmac.cli.main import main
from pytest_benchmac.cli.serve import ReportServer
from pytest_benchmac.judging.store import EvaluationStore
from pytest_benchmac.model.evaluation import (
    Attempt,
    Evaluation,
    Finding,
    HostAccess,
    Integrity,
    Origin,
    Severity,
    Verdict,
)
from pytest_benchmac.model.submission import Metadata
from pytest_benchmac.report.page.case import case_key
from tests.tracks.angular.angular_records import evaluation

CHROMIUM = Path("/usr/bin/chromium")

pytestmark = pytest.mark.skipif(not CHROMIUM.exists(), reason="Debian's chromium is not installed")

ATTACK = '<img src=x onerror="window.pwned=1"></script><script>window.pwned=1</script>'
SUT = f"evil/{ATTACK}"
LOG = (
    "\x1b[31mred \x1b[1mbold\x1b[0m plain\n"
    f"{ATTACK}\n"
    "\x1b]8;;http://127.0.0.1:9/leave\x07link\x1b]8;;\x07 \x1b[2J\x1b[Hmoved \u202ereversed\n"
    "progress 1%\rprogress 100%\n"
    "javascript:window.pwned=1 http://127.0.0.1:9/\n"
    + "".join(f"line {n} of the log\n" for n in range(1, 3000))
    + "the needle is here\n"
)
PATCH = f"""diff --git a/src/app/main.ts b/src/app/main.ts
--- a/src/app/main.ts
+++ b/src/app/main.ts
@@ -1,3 +1,4 @@
 import one
-const old = 1;
+const new_ = `{ATTACK}`;
+const more = 2;
 last
diff --git a/{ATTACK.replace("/", "_")} b/x
new file mode 100644
--- /dev/null
+++ b/x
@@ -0,0 +1 @@
+hello
"""
STEP = {
    "step": 1,
    "command": f"echo '{ATTACK}'",
    "exit_code": 0,
    "output": f"\x1b[32m{ATTACK}\x1b[0m\n",
    "message": ATTACK,
}


def hostile() -> Evaluation:
    record = evaluation(SUT, "app_v1_to_v2", reached=3)
    build = record.stages[-1].model_copy(
        update={
            "attempts": (
                Attempt(command=f"echo {ATTACK}", exit_code=1, duration_s=1, log="logs/evil.log"),
            ),
            "reason": ATTACK,
            "log": "logs/evil.log",
            "observations": {ATTACK: ATTACK},
        }
    )
    finding = Finding(code="evil", severity=Severity.WARNING, message=ATTACK, file=ATTACK, line=3)
    return record.model_copy(
        update={
            "stages": (*record.stages[:-1], build),
            "integrity": Integrity(verdict=Verdict.CLEAN, findings=(finding,)),
            "criteria": {ATTACK: ATTACK, "target_version": "2"},
            "patch_sha256": "a" * 64,
            "metadata": Metadata(trajectory="t.jsonl", exit_reason=ATTACK, cost_usd=0.5, steps=1),
            "hosts": (
                HostAccess(
                    host=ATTACK, port=443, allowed=False, requests=1, origins={Origin.REFUSED: 1}
                ),
            ),
        }
    )


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six SUTs on three instances, and the page."""
    folder = tmp_path_factory.mktemp("reports") / "run"
    store = EvaluationStore(folder)
    for s, sut in enumerate(("alpha", "beta", "gamma", "delta", "epsilon")):
        for i in range(3):
            metadata = {"cost_usd": 0.1 * (s + 1), "steps": 10 + 3 * s + i}
            store.write(
                evaluation(sut, f"app_v{i}_to_v{i + 1}", reached=4 - (s + i) % 4, **metadata)
            )
    store.write(evaluation("alpha", "error_v1_to_v2", error=True))
    store.write(hostile())
    (folder / "logs").mkdir()
    (folder / "logs" / "evil.log").write_text(LOG)
    (folder / "patches").mkdir()
    (folder / "patches" / f"{'a' * 64}.patch").write_text(PATCH)
    trajectory = folder / "trajectories" / hostile().case.stem
    trajectory.parent.mkdir(parents=True)
    trajectory.with_name(f"{trajectory.name}.jsonl").write_text(json.dumps(STEP) + "\n")
    assert main(["report", str(folder), "--title", ATTACK]) == 0
    return folder


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=CHROMIUM,
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
        )
        yield chromium
        chromium.close()


class Visit:
    """A tab, and all that it said and asked for."""

    def __init__(self, browser: Browser, folder: Path) -> None:
        self.context = browser.new_context(viewport={"width": 1200, "height": 900})
        self.page: Page = self.context.new_page()
        self.root = folder
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))

    def open(self, address: str = "") -> Page:
        self.page.goto((self.root / "index.html").as_uri() + address)
        self.page.wait_for_selector("main[data-ready]")
        return self.page

    def case(self, record: Evaluation) -> Page:
        key = case_key(record.case)
        page = self.open(f"#/case/{key}")
        page.wait_for_selector(f"main[data-ready='{key}']")
        return page

    def check(self) -> None:
        """Nothing went wrong, nothing ran, and nothing left the folder."""
        assert self.said == []
        assert self.page.evaluate("window.pwned") is None
        home = self.root.as_uri()
        inert = ("data:", "blob:", home)
        assert [url for url in self.asked if not url.startswith(inert)] == []


@pytest.fixture
def visit(browser: Browser, reports: Path) -> Iterator[Visit]:
    visit = Visit(browser, reports)
    yield visit
    visit.check()
    visit.context.close()


def test_pictures_of_base_and_case_stand_side_by_side(browser: Browser, tmp_path: Path) -> None:
    record = evaluation("seen", "app_v1_to_v2")
    fields = ("baseline_screenshot", "screenshot", "difference")
    names = {field: f"boot/{field}.png" for field in fields}
    pages = [
        {"route": "/", "step": 0, "rendered": True, "tree_similarity": 0.5, **names},
        {
            "route": ATTACK,
            "step": 1,
            "rendered": False,
            "screenshot": "../../../../secret.png",
            "difference": "boot/forged.png",
            "new_console_errors": [ATTACK],
            "refused": ["GET http://127.0.0.1:9/"],
        },
        7,
    ]
    build = record.stages[-1].model_copy(update={"observations": {"pages": pages}})
    record = record.model_copy(update={"stages": (*record.stages[:-1], build)})
    store = EvaluationStore(tmp_path / "run")
    store.write(record)
    artifacts = store.artifacts(record.case)
    (artifacts / "boot").mkdir(parents=True)
    for width, name in enumerate(names.values(), start=1):
        Image.new("RGB", (width, 9)).save(artifacts / name)
    (artifacts / "boot" / "forged.png").write_text(ATTACK)
    Image.new("RGB", (5, 5)).save(tmp_path / "secret.png")
    assert main(["report", str(tmp_path / "run")]) == 0

    visit = Visit(browser, tmp_path / "run")
    page = visit.case(record)
    page.locator("details.stage", has_text="build").locator("> summary").click()
    pictures = page.locator(".shots img")
    expect(pictures).to_have_count(3)
    for place in range(3):
        pictures.nth(place).scroll_into_view_if_needed()
        page.wait_for_function("i => document.images[i].complete", arg=place)
    assert pictures.evaluate_all("all => all.map((each) => each.naturalWidth)") == [1, 2, 3]
    expect(page.locator(".seen").nth(0)).to_contain_text("tree alike 50.0%")
    expect(page.locator(".seen").nth(1)).to_contain_text("nothing is shown")
    expect(page.locator(".seen").nth(1)).to_contain_text("GET http://127.0.0.1:9/")
    visit.check()
    visit.context.close()


def column(page: Page, region: str, number: int) -> list[str]:
    cells = page.locator(f"[aria-label='{region}'] tbody tr td:nth-child({number})")
    return cells.all_inner_texts()


def test_overview_shows_everything(visit: Visit) -> None:
    page = visit.open()
    expect(page.locator("h1")).to_have_text("Angular track: 6 systems on 4 instances")
    expect(page.locator(".tiles")).to_contain_text("16")
    for chart in ("difficulty", "cost", "steps", "funnel", "causes"):
        expect(page.locator(f"#chart-{chart} svg")).to_have_count(1)
    assert page.locator(".grid tbody a").count() == 17
    expect(page.locator(".tiles li", has_text="infrastructure errors")).to_contain_text("1")


def test_what_passed_unchecked_did_not_fail(browser: Browser, tmp_path: Path) -> None:
    store = EvaluationStore(tmp_path / "run")
    store.write(evaluation("one", "app_v1_to_v2", verdict=Verdict.UNCHECKED))
    store.write(evaluation("two", "app_v1_to_v2", reached=3))
    assert main(["report", str(tmp_path / "run")]) == 0
    visit = Visit(browser, tmp_path / "run")
    chart = visit.open().locator("#chart-causes")
    expect(chart).to_contain_text("of 1 (")
    expect(chart.locator("svg")).not_to_contain_text("null")
    expect(chart.locator("svg")).to_contain_text("two")
    expect(chart.locator("svg")).not_to_contain_text("one")
    visit.check()
    visit.context.close()


def test_headings_sort_both_ways(visit: Visit) -> None:
    page = visit.open()
    names = column(page, "Leaderboard", 2)
    heading = page.locator("[aria-label='Leaderboard'] th", has_text="SUT").get_by_role("button")
    heading.click()
    assert column(page, "Leaderboard", 2) == sorted(names, key=str.lower)
    heading.click()
    assert column(page, "Leaderboard", 2) == sorted(names, key=str.lower, reverse=True)
    cost = page.locator("[aria-label='Leaderboard'] th", has_text="Mean cost")
    cost.get_by_role("button").press("Enter")
    expect(cost).to_have_attribute("aria-sort", "ascending")
    assert column(page, "Leaderboard", 2)[0] == "alpha"


def test_filters_narrow_the_lists(visit: Visit) -> None:
    page = visit.open()
    page.get_by_label("Filter SUTs").fill("ALPH")
    assert column(page, "Leaderboard", 2) == ["alpha"]
    page.get_by_label("Filter cases").fill("beta")
    assert set(column(page, "Cases", 1)) == {"beta"}
    page.get_by_label("Filter cases").fill("")
    page.get_by_label("Outcome", exact=True).select_option("error")
    assert column(page, "Cases", 2) == ["error_v1_to_v2"]
    page.get_by_label("Outcome", exact=True).select_option("")
    page.get_by_label("Cause", exact=True).select_option("wrong_version")
    assert set(column(page, "Cases", 4)) == {"wrong version"}


def test_a_cell_opens_its_case_and_keys_go_on(visit: Visit) -> None:
    page = visit.open()
    page.get_by_label("beta — app_v2_to_v3: ", exact=False).first.click()
    expect(page.locator("h1")).to_have_text("beta — app_v2_to_v3")
    page.keyboard.press("j")
    expect(page.locator("h1")).to_have_text("delta — app_v0_to_v1")
    page.keyboard.press("k")
    expect(page.locator("h1")).to_have_text("beta — app_v2_to_v3")
    page.keyboard.press("o")
    expect(page.locator("h1")).to_contain_text("Angular track")
    page.go_back()
    expect(page.locator("h1")).to_have_text("beta — app_v2_to_v3")


def test_hostile_content_is_text(visit: Visit) -> None:
    page = visit.case(hostile())
    assert page.locator("img, iframe, object, embed, base").count() == 0
    assert page.locator("main script, main style, main link").count() == 0
    expect(page.locator("h1")).to_contain_text(ATTACK)
    assert ATTACK in page.title()
    for word in ("Integrity", "Patch", "Environment", "Network", "Trajectory: 1 step", "Record"):
        expect(page.locator("h2", has_text=re.compile(f"^{word}$"))).to_have_count(1)
    for link in page.locator("a[href]").all():
        assert re.match(r"#", link.get_attribute("href") or "")
    assert (
        page.evaluate(
            "[...document.querySelectorAll('*')].flatMap(e => e.getAttributeNames())"
            ".filter(name => name.startsWith('on'))"
        )
        == []
    )
    visit.open()
    page.get_by_label("Filter cases").fill("evil")
    assert column(page, "Cases", 1) == [SUT]


def test_logs_are_coloured_searched_and_without_escapes(visit: Visit) -> None:
    page = visit.case(hostile())
    box = page.locator("details.stage[open] details.logbox").first
    box.locator("summary").click()
    log = box.locator(".log")
    lines = log.locator("span.l")
    expect(lines).to_have_count(5 + 2999 + 1)
    expect(lines.nth(0).locator(".ansi-red").first).to_have_text("red ")
    expect(lines.nth(0).locator(".ansi-bold")).to_have_text("bold")
    assert lines.nth(1).inner_text() == ATTACK
    text = log.text_content() or ""
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "progress 100%" in text
    assert "progress 1%" not in text
    box.get_by_label("Search this output").fill("LINE 29")
    expect(box.get_by_role("status")).to_have_text("1 of 111")
    box.get_by_label("Search this output").fill("needle")
    expect(box.get_by_role("status")).to_have_text("1 of 1")
    expect(box.locator("mark.now")).to_be_in_viewport()
    box.get_by_label("Search this output").fill("nowhere")
    expect(box.get_by_role("status")).to_have_text("not found")
    assert log.locator("mark").count() == 0
    expect(lines.nth(0).locator(".ansi-bold")).to_have_text("bold")


def test_the_patch_stands_side_by_side(visit: Visit) -> None:
    page = visit.case(hostile())
    rows = page.locator("#file-0 .sides tr")
    told = [[cell.inner_text() for cell in row.locator("td").all()] for row in rows.all()]
    assert told == [
        ["@@ -1,3 +1,4 @@"],
        ["1", "import one", "1", "import one"],
        ["2", "const old = 1;", "2", f"const new_ = `{ATTACK}`;"],
        ["", "", "3", "const more = 2;"],
        ["3", "last", "4", "last"],
    ]
    assert page.locator(".tree a").all_inner_texts() == ["main.ts", "x"]
    expect(page.locator(".tree")).to_contain_text("src/app/")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no diff at all",
        "@@ -1 +1 @@\n-a\n+b",
        "diff --git a/x b/x\n@@ -1,9 +1,9 @@\n a\n",
        "--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n",
    ],
)
def test_any_text_is_read_as_far_as_it_goes(visit: Visit, text: str) -> None:
    page = visit.open()
    files: list[dict[str, Any]] = page.evaluate("text => parseDiff(text)", text)
    assert sum(file["added"] for file in files) == len(re.findall(r"^\+[^+]", text, re.M))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_contrast_is_enough_in_both_themes(visit: Visit, theme: str) -> None:
    """WCAG 2.2 AA: 4.5 to 1 for text, on the ground that it stands on."""
    page = visit.case(hostile())
    page.evaluate(f"setTheme('{theme}')")
    for address in (None, "#/"):
        if address:
            page.evaluate("location.hash = '#/'")
            page.wait_for_selector("main[data-ready=overview][data-drawn]")
        poor = page.evaluate(CONTRAST)
        assert poor == []


CONTRAST = """() => {
  const linear = (v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  const channel = (v) => linear(v / 255);
  const numbers = (colour) => (colour.match(/[\\d.]+/g) ?? []).map(Number);
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const ground = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const colour = numbers(getComputedStyle(e).backgroundColor);
      if (colour.length && (colour[3] ?? 1) > 0.99) return colour;
    }
    return numbers(getComputedStyle(document.body).backgroundColor);
  };
  const texts = (e) => [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
  const found = new Set();
  for (const element of document.querySelectorAll("body *")) {
    if (element.closest("svg") || !texts(element) || !element.checkVisibility()) continue;
    const ink = light(numbers(getComputedStyle(element).color));
    const under = light(ground(element));
    const ratio = (Math.max(ink, under) + 0.05) / (Math.min(ink, under) + 0.05);
    if (ratio < 4.5) found.add(`${element.tagName}.${element.className}: ${ratio.toFixed(2)}`);
  }
  return [...found];
}"""


def test_a_narrow_screen_does_not_scroll_sideways(visit: Visit) -> None:
    visit.page.set_viewport_size({"width": 380, "height": 800})
    for page in (visit.open(), visit.case(hostile())):
        assert page.evaluate("document.documentElement.scrollWidth") <= 380


def test_charts_are_saved_as_svg_and_png(visit: Visit, tmp_path: Path) -> None:
    page = visit.open()
    for kind, start in (("svg", b"<svg"), ("png", b"\x89PNG")):
        with page.expect_download() as download:
            page.get_by_role("button", name=f"“How far patches get” as {kind.upper()}").click()
        download.value.save_as(tmp_path / kind)
        assert (tmp_path / kind).read_bytes().startswith(start)


def test_paper_shows_light_and_no_controls(visit: Visit) -> None:
    page = visit.open()
    page.evaluate("setTheme('dark')")
    assert page.pdf().startswith(b"%PDF")
    page.emulate_media(media="print")
    assert not page.get_by_label("Filter SUTs").is_visible()


def test_served_pages_follow_the_run(browser: Browser, tmp_path: Path) -> None:
    store = EvaluationStore(tmp_path / "runs" / "one")
    store.write(evaluation("first"))
    server = ReportServer([tmp_path / "runs"])
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    page = browser.new_page()
    try:
        page.goto(server.url)
        page.get_by_role("link", name="one").click()
        expect(page.locator("h1")).to_contain_text("1 system on")
        store.write(evaluation("second", reached=1))
        expect(page.locator("h1")).to_contain_text("2 systems on", timeout=15_000)
        foreign = urllib.request.Request(server.url, headers={"Host": "evil.example"})
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urllib.request.urlopen(foreign)
        for path in ("1/../../one/evaluations/", "2/", "1/page/", "1/%2e%2e/%2e%2e/etc/passwd"):
            with pytest.raises(urllib.error.HTTPError, match="404"):
                urllib.request.urlopen(server.url + path)
    finally:
        page.close()
        server.close()
        thread.join()


def test_a_served_page_counts_what_runs(tmp_path: Path) -> None:
    from pytest_benchmac.judging.running import running_cases

    store = EvaluationStore(tmp_path)
    with store.scratch(evaluation("first").case):
        assert len(running_cases(tmp_path)) == 1
    assert running_cases(tmp_path) == []
