"""The operators that there are, in the order of the paper's tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pytest_benchmac.evolve.names import names_from
from pytest_benchmac.evolve.operators.add_base64 import AddBase64
from pytest_benchmac.evolve.operators.add_crypto import AddCrypto
from pytest_benchmac.evolve.operators.add_datetime import AddDatetime
from pytest_benchmac.evolve.operators.add_dateutil import AddDateutil
from pytest_benchmac.evolve.operators.add_http import AddHttp
from pytest_benchmac.evolve.operators.add_nested_for import AddNestedFor
from pytest_benchmac.evolve.operators.add_nested_if import AddNestedIf
from pytest_benchmac.evolve.operators.add_nested_while import AddNestedWhile
from pytest_benchmac.evolve.operators.add_scipy import AddScipy
from pytest_benchmac.evolve.operators.add_sklearn import AddSklearn
from pytest_benchmac.evolve.operators.add_thread import AddThread
from pytest_benchmac.evolve.operators.add_time import AddTime
from pytest_benchmac.evolve.operators.add_try_except import AddTryExcept
from pytest_benchmac.evolve.operators.base import Operator
from pytest_benchmac.evolve.operators.create_function import CreateFunction
from pytest_benchmac.evolve.operators.create_module_dependencies import CreateModuleDependencies
from pytest_benchmac.evolve.operators.introduce_decorator import IntroduceDecorator
from pytest_benchmac.evolve.operators.rename_function import RenameFunction
from pytest_benchmac.evolve.operators.rename_variable import RenameVariable
from pytest_benchmac.evolve.operators.replace_numpy import ReplaceNumpy
from pytest_benchmac.evolve.operators.transform_aug_assignment import TransformAugAssignment
from pytest_benchmac.evolve.operators.transform_loop_to_recursion import TransformLoopToRecursion
from pytest_benchmac.evolve.operators.transform_prim_to_compound import TransformPrimToCompound
from pytest_benchmac.model.errors import InputError

OPERATORS: tuple[Operator, ...] = (
    AddNestedFor(),
    AddNestedIf(),
    AddNestedWhile(),
    AddThread(),
    AddTryExcept(),
    CreateFunction(),
    CreateModuleDependencies(),
    IntroduceDecorator(),
    ReplaceNumpy(),
    TransformAugAssignment(),
    TransformLoopToRecursion(),
    TransformPrimToCompound(),
    AddBase64(),
    AddCrypto(),
    AddDatetime(),
    AddDateutil(),
    AddHttp(),
    AddScipy(),
    AddSklearn(),
    AddTime(),
    RenameVariable(),
    RenameFunction(),
)


def operators(names: Iterable[str], *, model: str | None = None) -> Sequence[Operator]:
    """Those of these codes or names, such as `S1` or `AddNestedFor`, in the registry's order.

    Args:
        names: what to look for.
        model: finds names for N1 and N2, as litellm names it; None takes them out of lists.

    Raises:
        InputError: there is none of a name, or litellm is not installed.
    """
    asked = set(names)
    unknown = asked - {each.code for each in OPERATORS} - {each.name for each in OPERATORS}
    if unknown:
        raise InputError(
            f"there is no operator {', '.join(sorted(unknown))}",
            where="operators",
            remedy="There are: "
            + ", ".join(f"{each.code} {each.name}" for each in OPERATORS)
            + ".",
        )
    source = names_from(model)
    return [
        type(each)(source) if isinstance(each, RenameVariable | RenameFunction) else each
        for each in OPERATORS
        if asked & {each.code, each.name}
    ]
