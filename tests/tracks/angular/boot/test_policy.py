"""What a page may run under the policy that a case is served with."""

import json
from pathlib import Path

import pytest

from pytest_benchmac.tracks.angular.boot.policy import policy_like
from pytest_benchmac.tracks.angular.boot.record import BootRecord
from tests.tracks.angular.boot import site
from tests.tracks.angular.boot.conftest import MakeBoot
from tests.tracks.angular.boot.test_browser import HOME, judge

#: Ways to run the text `MARK`, which sets an attribute.
WAYS = {
    "evaluated": "try { Function(MARK)(); } catch {}",
    "of another window": "window.open('about:blank')?.Function('document', MARK)(document);",
    "of a frame": """
        const frame = document.createElement('iframe');
        document.body.append(frame);
        try { frame.contentWindow.Function('document', MARK)(document); } catch {}
    """,
    "quoted by the page": """
        const made = document.createElement('i');
        made.setAttribute('onclick', document.getElementById('old').textContent);
        made.click();
    """,
    "written": "document.write('<script>' + MARK + '<' + '/script>');",
    "worker": "try { new Worker(URL.createObjectURL(new Blob([MARK]))); } catch {}",
}


@pytest.mark.parametrize("way", WAYS)
def test_what_the_base_does_not_run_is_blocked_and_told(
    boots: MakeBoot, built: Path, honest: BootRecord, way: str
) -> None:
    mark = "document.documentElement.setAttribute('data-old', 'ran')"
    extra = f"const MARK = {json.dumps(mark)};\nsetTimeout(() => {{{WAYS[way]}}});"
    folder = site.write(built, extra=extra)
    page = folder / "index.html"
    quoted = f'<script type="text/template" id="old">{mark}</script></head>'
    page.write_text(page.read_text().replace("</head>", quoted))
    record = boots(folder, HOME, policy=policy_like(honest))
    assert "data-old" not in record.pages[0].dom
    blocked = {each.kind for each in record.executed.foreign} == {"blocked"}
    refused = any("Blocked opening" in fault for fault in judge(record, honest, HOME))
    assert refused if way == "of another window" else blocked


def test_what_the_page_has_inline_runs_under_the_policy(
    boots: MakeBoot, built: Path, honest: BootRecord
) -> None:
    folder = site.write(built)
    page = folder / "index.html"
    inline = (
        "<script>document.documentElement.title = 'inline'</script>"
        "<style media='print' onload=\"this.media='all'; this.title = 'h&amp;m'\">i {}</style>"
    )
    page.write_text(page.read_text().replace("</head>", f"{inline}</head>"))
    record = boots(folder, HOME, policy=policy_like(honest))
    assert 'title="inline"' in record.pages[0].dom
    assert record.executed.foreign == ()
    assert judge(record, honest, HOME) == []


def test_no_script_can_read_the_policy(boots: MakeBoot, built: Path, honest: BootRecord) -> None:
    extra = """
    fetch(document.currentScript.src).then((answer) =>
      root.setAttribute('title', answer.headers.get('content-security-policy') ?? 'none'));
    """
    record = boots(site.write(built, extra=extra), HOME, policy=policy_like(honest))
    assert 'title="none"' in record.pages[0].dom


def test_a_script_that_the_base_asked_for_in_vain_may_be_asked_for(
    boots: MakeBoot, tmp_path: Path
) -> None:
    """Tag managers have pages add a script of their host."""
    extra = """
    const tags = document.createElement('script');
    tags.src = 'https://tags.example/gtm.js?id=%s';
    document.head.append(tags);
    """
    base = boots(site.write(tmp_path / "base", extra=extra % "A-1"), HOME)
    again = boots(
        site.write(tmp_path / "case", extra=extra % "A-1"), HOME, policy=policy_like(base)
    )
    assert again.executed.foreign == ()
    assert judge(again, base, HOME) == []
    other = extra.replace("gtm.js", "more.js") % "A-1"
    record = boots(site.write(tmp_path / "other", extra=other), HOME, policy=policy_like(base))
    assert {each.kind for each in record.executed.foreign} == {"blocked"}


def test_a_service_worker_of_the_base_may_start(
    boots: MakeBoot, honest: BootRecord, tmp_path: Path
) -> None:
    """One of a base without any may not."""
    folder = site.write(
        tmp_path / "base", extra="navigator.serviceWorker.register('worker.js').catch(() => {});"
    )
    (folder / "worker.js").write_text("addEventListener('install', () => skipWaiting());")
    base = boots(folder, HOME)
    assert base.executed.workers > 0
    assert boots(folder, HOME, policy=policy_like(base)).executed.foreign == ()
    other = boots(folder, HOME, policy=policy_like(honest))
    assert {each.kind for each in other.executed.foreign} == {"blocked"}
