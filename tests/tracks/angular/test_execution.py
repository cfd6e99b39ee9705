"""What a boot executed, held against the bills of both builds."""

from collections.abc import Container

from pytest_benchmac.model.evaluation import Finding
from pytest_benchmac.tracks.angular.boot.policy import policy_like
from pytest_benchmac.tracks.angular.boot.record import BootRecord, Executed, ForeignScript
from pytest_benchmac.tracks.angular.execution import check_execution, templates_of
from pytest_benchmac.tracks.angular.integrity.bill import Bill, BilledScript, BuiltComponent
from pytest_benchmac.tracks.findings import Findings

MAIN, ASSET = "1" * 64, "2" * 64


def component(name: str, offset: int, **changes: object) -> BuiltComponent:
    values: dict[str, object] = {
        "selector": f"app-{name.lower()}",
        "names": ((f"app-{name.lower()}",),),
        "source": f"src/app/{name.lower()}.ts",
        "line": 1,
        "class_name": f"{name}Component",
        "template_offset": offset,
    }
    return BuiltComponent.model_validate(values | changes)


def bill(*components: BuiltComponent, main: str = MAIN) -> Bill:
    return Bill(
        scripts={
            "main.js": BilledScript(sha256=main, inputs={}, components=components),
            "old.js": BilledScript(sha256=ASSET, inputs={}, asset=True),
        }
    )


def executed(*offsets: int, **changes: object) -> Executed:
    values: dict[str, object] = {"files": {"main.js": MAIN}, "templates": {"main.js": offsets}}
    return Executed.model_validate(values | changes)


def _policy(base: Executed) -> str:
    return policy_like(BootRecord(browser="150", pages=(), executed=base))


def foreign(kind: str, start: str = "x = 1") -> ForeignScript:
    return ForeignScript(kind=kind, sha256="33" * 32, address="", start=start)


TWO = bill(component("Home", 10), component("List", 20))
BASE = executed(10, 20)


def found(
    case: Executed,
    base: Executed = BASE,
    made: Bill = TWO,
    *,
    before: Bill = TWO,
    changed: Container[str] = (),
) -> list[Finding]:
    """What is found; `changed` are the scripts of which only values have changed."""
    findings = Findings()
    check_execution(base, before, case, made, findings, values_changed=lambda name: name in changed)
    return list(findings.result())


def codes(findings: list[Finding]) -> list[tuple[str, str]]:
    return [(each.code, each.severity.value) for each in findings]


def test_the_same_is_nothing_to_tell() -> None:
    assert found(BASE) == []


def test_a_connection_to_another_browser_is_fatal_where_the_base_makes_none() -> None:
    case = executed(10, 20, peers=True)
    assert codes(found(case)) == [("peer-connection", "fatal")]
    assert found(case, base=case) == []


def test_template_functions_are_told_by_their_script() -> None:
    assert templates_of(TWO)["main.js"] == [10, 20]


def test_a_script_of_a_kind_that_the_base_does_not_run_is_fatal() -> None:
    case = executed(10, 20, foreign=(foreign("blob"),))
    assert codes(found(case)) == [("foreign-script-executed", "fatal")]
    assert found(case, base=executed(10, 20, foreign=(foreign("blob", "y"),))) == []


def test_asking_for_the_global_object_is_no_code() -> None:
    text = "(function anonymous(\n) {\nreturn this\n})"
    assert found(executed(10, 20, foreign=(foreign("eval", text),))) == []
    more = text.replace("this", "this.document")
    assert found(executed(10, 20, foreign=(foreign("eval", more),)))


def test_what_was_blocked_is_fatal_unless_the_base_s_is_too() -> None:
    case = executed(10, 20, foreign=(foreign("blocked", "kEvalViolation of script-src"),))
    assert codes(found(case)) == [("foreign-script-executed", "fatal")]
    assert found(case, base=case) == []
    other = executed(10, 20, foreign=(foreign("blocked", "kInlineViolation of script-src"),))
    assert found(case, base=other)


def test_asking_for_the_global_object_lets_no_other_text_through() -> None:
    base = executed(
        10, 20, foreign=(foreign("eval", "(function anonymous(\n) {\nreturn this\n})"),)
    )
    assert found(executed(10, 20, foreign=(foreign("eval"),)), base=base)


def test_more_scripts_than_are_looked_at_are_fatal() -> None:
    assert codes(found(executed(10, 20, more=1))) == [("foreign-script-executed", "fatal")]


def test_an_asset_that_the_base_does_not_execute_is_fatal() -> None:
    case = executed(10, 20, files={"main.js": MAIN, "old.js": ASSET})
    assert codes(found(case)) == [("asset-executed", "fatal")]
    assert found(case, base=case) == []
    unbilled = executed(10, 20, files={"main.js": MAIN, "main-es5.js": "4" * 64})
    assert codes(found(unbilled)) == [("asset-executed", "fatal")]


def test_an_asset_of_which_only_values_have_changed_is_the_base_s() -> None:
    base = executed(10, 20, files={"main.js": MAIN, "old.js": "7" * 64})
    case = executed(10, 20, files={"main.js": MAIN, "old.js": ASSET})
    assert codes(found(case, base)) == [("asset-executed", "fatal")]
    assert found(case, base, changed=["old.js"]) == []
    # Where the base executes none of that name, there is nothing to compare.
    assert codes(found(case, changed=["old.js"])) == [("asset-executed", "fatal")]


def test_a_script_that_is_not_the_one_of_the_bill_is_fatal() -> None:
    assert codes(found(BASE, made=bill(component("Home", 10), main="5" * 64)))[0][0] == (
        "component-not-run"
    )
    changed = bill(component("Home", 10), component("List", 20), main="5" * 64)
    case = executed(10, 20, files={"main.js": "6" * 64})
    assert ("asset-executed", "fatal") in codes(found(case, made=changed))


def test_a_component_that_is_not_run_is_fatal() -> None:
    assert codes(found(executed(10))) == [("component-not-run", "fatal")]


def test_of_many_components_a_few_may_be_gone() -> None:
    many = bill(*(component(f"C{number}", number) for number in range(20)))
    seen = found(executed(*range(19)), executed(*range(20)), many, before=many)
    assert codes(seen) == [("component-not-run", "warning")]


def test_a_component_may_move_or_be_renamed() -> None:
    moved = component("List", 7, source="src/app/shared/list.ts")
    renamed = component("List", 7, class_name="Catalogue", source="src/app/shared/list.ts")
    for each in (moved, renamed):
        assert found(executed(10, 7), made=bill(component("Home", 10), each)) == []


def test_routed_components_are_not_all_the_same() -> None:
    routed = {"selector": "ng-component", "names": (("ng-component",),)}
    base = bill(component("Home", 10, **routed), component("List", 20, **routed))
    assert codes(found(executed(10), made=base, before=base)) == [("component-not-run", "fatal")]


def test_the_policy_is_as_strict_as_the_base() -> None:
    assert "blob:" not in _policy(BASE)
    assert "worker-src 'none'" in _policy(BASE)
    assert "blob:" in _policy(executed(10, foreign=(foreign("blob"),))).split(";")[0]
    assert "worker-src 'self'" in _policy(executed(10, workers=1))
    assert "'unsafe-eval'" not in _policy(BASE)
    assert "'unsafe-inline'" not in _policy(BASE)
    assert "allow-popups" not in _policy(BASE)
    assert "'unsafe-eval'" in _policy(executed(10, foreign=(foreign("eval"),)))
    assert "'sha256-MzMz" in _policy(executed(10, foreign=(foreign("inline"),)))
