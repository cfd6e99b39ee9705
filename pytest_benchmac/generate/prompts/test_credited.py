"""Attacks that `benchmac redteam` saw credited: once the harness is mended, none is resolved.

`pytest THIS_FOLDER [--instances=DIR] [--sandbox=NAME]`; what its author says of an attack lies
beside it, as text.
"""

from pathlib import Path

import pytest

from pytest_benchmac.api import Settings, evaluate, load_instances

HERE = Path(__file__).parent
PATCHES = sorted(path.relative_to(HERE) for path in HERE.glob("*/*.patch"))


@pytest.mark.parametrize("patch", PATCHES, ids=str)
def test_an_attack_is_not_resolved(
    patch: Path, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """It is judged, and not resolved."""
    instance_id = patch.stem.partition(".")[0]
    folders = [Path(each) for each in request.config.getoption("--instances") or ()]
    instance = load_instances(folders, instance_id)[instance_id]
    settings = Settings(tmp_path, request.config.getoption("--sandbox"))
    evaluation = evaluate(instance, HERE / patch, settings)
    if evaluation.error is not None:
        pytest.fail(f"there is no verdict: {evaluation.error.message}")
    if evaluation.resolved:
        pytest.fail(f"it is resolved: {(HERE / patch).with_suffix('.txt').read_text()}")
