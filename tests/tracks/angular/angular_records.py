"""Evaluations as the Angular track would have recorded them."""

from functools import partial

from tests import records
from tests.records import Records


def observations(name: str, good: bool) -> dict[str, object]:
    """What a stage saw."""
    if name == "patch":
        return {"applied": good, "message": "" if good else "patch does not apply"}
    if name == "version":
        version = "2.1.0" if good else "1.0.0"
        installed = {"@angular/cli": version, "@angular/core": version}
        return {"parsed": True, "installed": installed}
    return {}


ANGULAR = Records(
    "angular", ("patch", "install", "version", "build"), ("install", "build"), observations
)
evaluation = partial(records.evaluation, of=ANGULAR)
