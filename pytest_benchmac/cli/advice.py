"""What an instance's author can do about a base or silver patch that does not pass."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from pytest_benchmac.model.evaluation import Evaluation, Outcome
from pytest_benchmac.report.cases import stage_output
from pytest_benchmac.report.causes import plain
from pytest_benchmac.report.view import RecordView

#: What tools print -> what to write. Words of package managers, as they print them.
_KNOWN = (
    (
        r"playwright(?:-core)?[^\n]*(?:install|download)|cypress[^\n]*(?:install|download)|"
        r"(?:chrome|gecko|edge)driver[^\n]*(?:install|download)|puppeteer[^\n]*(?:install|download)",
        "a package's install script downloads a browser or another binary, which no sandbox can "
        "reach: add the variable that skips it to [environment], as in "
        'variables = { MY_TOOL_SKIP_DOWNLOAD = "1" }',
    ),
    (
        r"lockfileVersion|npm (?:WARN|warn) read-shrinkwrap|old lockfile|"
        r"can only install with an existing package-lock\.json",
        "the lock file is of another npm, or of none: set `npm` in [environment] to the one that "
        "wrote it (lockfileVersion 1: npm 6; 2: npm 7 or 8; 3: npm 9 or later)",
    ),
    (
        r"in sync|EUSAGE",
        "package.json and the lock file do not agree in this commit: take a base commit where the "
        "install passes, or the install command that the project itself uses",
    ),
    (r"EBADENGINE|Unsupported engine|requires a minimum Node", "set `node` in [environment]"),
    (
        r"code ERESOLVE",
        "add --legacy-peer-deps to `install`, if the project installs that way",
    ),
    (r"JavaScript heap out of memory", "give sandboxes more memory, or make the build smaller"),
    (
        r"gyp ERR!|node-gyp rebuild",
        "a package is compiled on install, for which there is no compiler: a version that comes "
        "prebuilt for this Node helps",
    ),
)


def advice(evaluation: Evaluation, reports: Path) -> Iterator[str]:
    """Sentences that say what to write in instance.toml, or to change in the base.

    Args:
        evaluation: of the base or of the silver patch.
        reports: where its logs are.
    """
    for access in evaluation.hosts:
        if not access.allowed and not evaluation.resolved:
            yield (
                f"{access.host} was asked for and cannot be reached: answer it from a file "
                f'with [[http_fixtures]] url = "https://{access.host}/..." and body_file, or skip '
                "what asks for it"
            )
    failed = next(
        (s for s in RecordView.of(evaluation).stages if s.outcome is Outcome.FAILED), None
    )
    if failed is None:
        return
    output = plain(stage_output(failed, reports))
    for words, remedy in _KNOWN:
        if re.search(words, output, re.IGNORECASE):
            yield remedy
    yield f"look around: benchmac shell {evaluation.instance_id}"
