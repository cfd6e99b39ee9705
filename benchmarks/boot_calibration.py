"""How far honest boots are from fakes: what `[boot] min_tree_similarity` is calibrated with.

    python benchmarks/boot_calibration.py REPORTS [--keep SELECTOR]... [--sandbox docker]

Takes the builds that a run kept in REPORTS/artifacts, makes fakes of each, boots them, and prints
the lowest page of the honest boot, by tree similarity to the base as its record has it, and the
highest page of every fake, by that to the honest build. Fakes: `blank` (no scripts), `gutted` (the
templates of all components but the root emptied), `gutted, kept` (those with the selectors of
--keep, such as a header's, spared too) and `replaced` (another page in the root element, with the
target's `ng-version`).
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from boot_cost import boot_once, booted, parser_of

from pytest_benchmac.model.settings import Settings
from pytest_benchmac.tracks.angular.boot.compare import BootResult, faults
from pytest_benchmac.tracks.angular.boot.site import Site
from pytest_benchmac.tracks.angular.instance import AngularInstance

_TEMPLATE = "template:function("
_SCRIPT = re.compile(r"<script\b.*?</script>", re.DOTALL)


def blank(folder: Path) -> None:
    """Load no script."""
    page = folder / "index.html"
    page.write_text(_SCRIPT.sub("", page.read_text()))


def gutted(keep: Sequence[str]) -> Callable[[Path], None]:
    """Empty what Angular's compiler made of templates, but for the components of some selectors."""

    def change(folder: Path) -> None:
        emptied = 0
        for script in folder.glob("*.js"):
            text = script.read_text()
            kept = {
                text.find(_TEMPLATE, match.end())
                for selector in keep
                for match in re.finditer(rf'selectors:\[\["{re.escape(selector)}"\]\]', text)
            }
            pieces, end = [], 0
            for match in re.finditer(re.escape(_TEMPLATE), text):
                if match.start() not in kept:
                    pieces += [text[end : match.start()], "template:()=>{},emptied:function("]
                    end = match.end()
            emptied += len(pieces) // 2
            script.write_text("".join([*pieces, text[end:]]))
        if not emptied:
            raise SystemExit(f"no template is known in the scripts of {folder}")

    return change


def replaced(root: str, version: str) -> Callable[[Path], None]:
    """Another page, which says that it is the framework's."""

    def change(folder: Path) -> None:
        for script in folder.glob("*.js"):
            script.unlink()
        (folder / "index.html").write_text(
            '<!doctype html><html><head><base href="/"></head><body>'
            f'<{root} ng-version="{version}">'
            "<header><a href='/'>Home</a></header><main><h1>Welcome</h1><p>It works!</p></main>"
            f"</{root}></body></html>"
        )

    return change


def fakes(
    instance: AngularInstance, keep: Sequence[str]
) -> Iterator[tuple[str, Callable[[Path], None]]]:
    """Every fake by name."""
    assert instance.boot is not None
    root = instance.boot.root
    yield "blank", blank
    yield "gutted", gutted([root])
    if keep:
        yield "gutted, kept", gutted([root, *keep])
    yield "replaced", replaced(root, f"{instance.migration.target_version}.0.0")


def _similarities(result: BootResult) -> list[float]:
    return [page.tree_similarity or 0.0 for page in result.pages] or [0.0]


def main() -> None:
    """Measure; nothing is asserted."""
    parser = parser_of(__doc__)
    parser.add_argument("--keep", action="append", default=[], metavar="SELECTOR")
    args = parser.parse_args()
    settings = Settings(reports=args.reports, sandbox=args.sandbox)
    for case in booted(args):
        # What the run itself measured, beside the base.
        result = BootResult.model_validate(case.evaluation.stage("boot").observations)
        lowest = min(_similarities(result))
        print(f"{case.instance.id}: honest {not faults(result)}, lowest {lowest}")
        site = Site.find(case.built)
        assert site is not None
        for name, change in fakes(case.instance, args.keep):
            with TemporaryDirectory() as scratch:
                copy = Path(scratch) / "site"
                shutil.copytree(site.root, copy)
                change(copy)
                _, result = boot_once(case, copy, settings)
            highest = max(_similarities(result))
            print(f"  {name}: {not faults(result)}, highest {highest}", flush=True)


if __name__ == "__main__":
    main()
