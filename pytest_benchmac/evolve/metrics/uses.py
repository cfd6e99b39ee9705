"""What the calls and names of a text refer to, as far as scopes and imports tell."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import libcst as cst
from libcst.metadata import (
    MetadataWrapper,
    ParentNodeProvider,
    QualifiedName,
    QualifiedNameProvider,
    QualifiedNameSource,
)

_LOCALS = ".<locals>."


@dataclass(frozen=True)
class Use:
    """A name that is used: where, and what it refers to."""

    #: Such as `numpy.array`, `Account.deposit` or `outer.<locals>.inner`.
    target: str
    #: It comes from an import; otherwise from this file.
    imported: bool
    #: It is called.
    called: bool
    #: The innermost function or method around it, empty outside of any.
    function: str
    #: The outermost class around it, empty outside of any.
    unit: str


@dataclass(frozen=True)
class Uses:
    """Names that are resolved, each in the order of the text."""

    uses: tuple[Use, ...]
    #: Qualified names of the functions and of the classes of this file.
    functions: frozenset[str]
    classes: frozenset[str]


def uses(text: str) -> Uses:
    """Resolve the names of a text.

    `self.name` and `cls.name` in a method refer to what the class around it defines.
    """
    wrapper = MetadataWrapper(cst.parse_module(text), unsafe_skip_copy=True)
    visitor = _Visitor()
    wrapper.visit(visitor)
    functions, classes = frozenset(visitor.functions), frozenset(visitor.classes)
    return Uses(tuple(visitor.uses), functions, classes)


class _Visitor(cst.CSTVisitor):
    METADATA_DEPENDENCIES = (ParentNodeProvider, QualifiedNameProvider)

    def __init__(self) -> None:
        super().__init__()
        self.uses: list[Use] = []
        self.functions: set[str] = set()
        self.classes: set[str] = set()
        self._around: list[str] = []
        self._methods: list[tuple[str, str] | None] = []
        self._units: list[str] = []

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        name = self._defined(node)
        self.functions.add(name)
        owner = name.rpartition(".")[0]
        parameters = (*node.params.posonly_params, *node.params.params)
        method = owner in self.classes and bool(parameters)
        # `self` or `cls`, by whatever name, and the class whose it is.
        first = f"{name}{_LOCALS}{parameters[0].name.value}." if method else ""
        self._methods.append((first, f"{owner}.") if method else None)
        self._around.append(name)

    def leave_FunctionDef(self, original_node: cst.FunctionDef) -> None:
        self._methods.pop()
        self._around.pop()

    def visit_ClassDef(self, node: cst.ClassDef) -> None:
        name = self._defined(node)
        self.classes.add(name)
        self._units.append(name)

    def leave_ClassDef(self, original_node: cst.ClassDef) -> None:
        self._units.pop()

    def visit_Attribute(self, node: cst.Attribute) -> bool:
        # `a.b.c` is one use; what it is an attribute of may be a call, which has uses of its own.
        self._use(node)
        return not _is_dotted(node)

    def visit_Name(self, node: cst.Name) -> None:
        self._use(node)

    def visit_Import(self, node: cst.Import) -> bool:
        return False

    def visit_ImportFrom(self, node: cst.ImportFrom) -> bool:
        return False

    def _use(self, node: cst.Name | cst.Attribute) -> None:
        parent = self.get_metadata(ParentNodeProvider, node)
        if isinstance(parent, cst.FunctionDef | cst.ClassDef) and parent.name is node:
            return
        called = isinstance(parent, cst.Call) and parent.func is node
        # Where branches bind a name differently, it is what the import makes it.
        name = min(self._names(node), key=_importance, default=None)
        if name is None or name.source is QualifiedNameSource.BUILTIN:
            return
        imported = name.source is QualifiedNameSource.IMPORT
        target = name.name if imported else self._of_class(name.name)
        around = self._around[-1] if self._around else ""
        unit = self._units[0] if self._units else ""
        self.uses.append(Use(target, imported, called, around, unit))

    def _of_class(self, name: str) -> str:
        for method in self._methods:
            if method is not None and name.startswith(method[0]):
                return method[1] + name.removeprefix(method[0])
        return name

    def _defined(self, node: cst.FunctionDef | cst.ClassDef) -> str:
        return min(name.name for name in self._names(node))

    def _names(self, node: cst.CSTNode) -> Collection[QualifiedName]:
        return self.get_metadata(QualifiedNameProvider, node, set())


def _importance(name: QualifiedName) -> tuple[bool, str]:
    return name.source is not QualifiedNameSource.IMPORT, name.name


def _is_dotted(node: cst.Attribute) -> bool:
    value = node.value
    return isinstance(value, cst.Name) or (isinstance(value, cst.Attribute) and _is_dotted(value))
