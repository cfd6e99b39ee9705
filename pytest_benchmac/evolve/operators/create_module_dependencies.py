"""S7: a function, and those it needs, move to a file beside the program, which imports them."""

from __future__ import annotations

import ast
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from random import Random

import libcst as cst

from pytest_benchmac.evolve.operators.base import DoesNotApplyError, Operator, View
from pytest_benchmac.evolve.operators.building import Changes, apart
from pytest_benchmac.evolve.operators.imports import head_of
from pytest_benchmac.evolve.operators.scopes import Function, bindings, mentioned
from pytest_benchmac.evolve.operators.source import Source, Statement, source_of
from pytest_benchmac.evolve.program import Program

_SUFFIXES = ("helpers", "support", "parts", "routines", "tools", "steps")
#: What is pickled, patched or kept by modules' names.
_BY_NAME = frozenset("pickle copyreg shelve multiprocessing unittest mock dataclasses".split())
_IMMUTABLE = (ast.Constant, ast.UnaryOp, ast.USub)


class CreateModuleDependencies(Operator):
    """Functions are defined in a new file, and imported from it."""

    code = "S7"
    name = "CreateModuleDependencies"

    def sites(self, view: View) -> Sequence[cst.CSTNode]:
        """Functions of the module, none of them kept, that need nothing of it but each other.

        Each is bound once, by its definition, and used by no statement above; its names are
        builtins, imports of the module, or functions that can be moved with it. Defaults are
        constants, decorators and annotations of the same names; no function has attributes.
        """
        return list(view.shared(_Movable).sites)

    def apply(self, view: View, site: cst.CSTNode, random: Random) -> Program:
        """The new file's name goes with the program's; imports nobody needs any more go."""
        movable = view.shared(_Movable)
        if site not in movable.sites:
            raise DoesNotApplyError("the function needs more of its module than other functions")
        return _moved(view, movable, movable.sites[site])


@dataclass(frozen=True)
class _Group:
    """Functions that move together, in the order of the text, and the imports they need."""

    functions: Sequence[cst.FunctionDef]
    imports: Sequence[str]


class _Movable:
    """Which functions of a program can move."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._source: Source = source_of(view)

    @cached_property
    def sites(self) -> Mapping[cst.CSTNode, _Group]:
        """Function -> what moves with it."""
        source = self._source
        if not source.plain or source.imported & _BY_NAME or source.mentions("__name__"):
            return {}
        found: dict[cst.CSTNode, _Group] = {}
        for name, node in self._functions.items():
            names = self._closure(name)
            if names is None:
                continue
            imports = self._imports_for(names)
            roots = {_root(ast.parse(line).body[0]) for line in imports}
            if roots & source.files <= self._loaded_first:
                group = [self._functions[each] for each in self._functions if each in names]
                found[node] = _Group(group, imports)
        return found

    @cached_property
    def _functions(self) -> Mapping[str, cst.FunctionDef]:
        """Functions of the top level that may move, if what they need may."""
        found: dict[str, cst.FunctionDef] = {}
        quiet = True
        for node in self._view.module.body:
            if not isinstance(node, (cst.SimpleStatementLine, cst.BaseCompoundStatement)):
                continue
            quiet = quiet and not any(map(_acts, self._source.trees(node)))
            if isinstance(node, cst.FunctionDef) and quiet and self._alone(node):
                found[node.name.value] = node
        return found

    def _alone(self, node: cst.FunctionDef) -> bool:
        tree = self._source.function(node)
        name = tree.name
        if name in self._source.view.program.kept or self._bound.get(name, 0) != 1:
            return False
        arguments = tree.args
        defaults = [*arguments.defaults, *(part for part in arguments.kw_defaults if part)]
        constant = all(
            isinstance(part, (*_IMMUTABLE, ast.expr_context))
            for default in defaults
            for part in ast.walk(default)
        )
        attributes = any(
            isinstance(part, ast.Attribute)
            and isinstance(part.value, ast.Name)
            and part.value.id == name
            for part in ast.walk(self._source.tree)
        )
        # The names of classes made in a function tell its module.
        classes = any(isinstance(part, ast.ClassDef) for part in ast.walk(tree))
        return constant and not attributes and not classes

    @cached_property
    def _bound(self) -> Mapping[str, int]:
        """How often a name is bound, in any scope."""
        count: dict[str, int] = {}
        for node in ast.walk(self._source.tree):
            names = {node.arg} if isinstance(node, ast.arg) else bindings(node)
            if isinstance(node, ast.Global | ast.Nonlocal):
                names = set(node.names)
            for name in names:
                count[name] = count.get(name, 0) + 1
        return count

    @cached_property
    def _imports(self) -> Mapping[str, ast.Import | ast.ImportFrom]:
        """Name -> the import at the top of the module that is all that binds it."""
        found: dict[str, ast.Import | ast.ImportFrom] = {}
        for node in self._source.tree.body:
            if isinstance(node, ast.Import | ast.ImportFrom) and _root(node) != "__future__":
                for alias in node.names:
                    name = alias.asname or alias.name.partition(".")[0]
                    if self._bound[name] == 1:
                        found[name] = _only(node, alias)
        return found

    @cached_property
    def _loaded_first(self) -> frozenset[str]:
        """Modules of the imports at the very top: those below are loaded after other statements."""
        found: set[str] = set()
        for node in self._source.tree.body[head_of(self._source.tree.body) :]:
            if not isinstance(node, ast.Import | ast.ImportFrom):
                break
            found |= _roots(node)
        return frozenset(found)

    def _needs(self, name: str) -> set[str]:
        tree = self._source.function(self._functions[name])
        names = mentioned([tree]) - (_bound_inside(tree) - self._module_names)
        return {each for each in names if not self._source.is_builtin(each)}

    @cached_property
    def _module_names(self) -> frozenset[str]:
        return self._source.scope(None).locals

    def _closure(self, name: str) -> frozenset[str] | None:
        """The functions that move with one; None if one of them cannot."""
        needed: set[str] = set()
        waiting = [name]
        while waiting:
            each = waiting.pop()
            if each in needed or each in self._imports:
                continue
            if each not in self._functions:
                return None
            needed.add(each)
            waiting.extend(self._needs(each))
        return frozenset(needed)

    def _imports_for(self, names: frozenset[str]) -> Sequence[str]:
        used = {each for name in names for each in self._needs(name)}
        lines = {ast.unparse(self._imports[each]) for each in used if each in self._imports}
        own = {line for line in lines if _root(ast.parse(line).body[0]) in self._source.files}
        standard = {line for line in lines - own if _is_standard(line)}
        return [*sorted(standard), *sorted(lines - own - standard), *sorted(own)]


def _bound_inside(tree: Function) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(tree):
        if node is not tree:
            names |= {node.arg} if isinstance(node, ast.arg) else bindings(node)
    return names


def _root(node: ast.AST) -> str:
    if isinstance(node, ast.ImportFrom):
        return (node.module or "").partition(".")[0]
    return node.names[0].name.partition(".")[0] if isinstance(node, ast.Import) else ""


def _roots(node: ast.Import | ast.ImportFrom) -> set[str]:
    if isinstance(node, ast.ImportFrom):
        return {_root(node)}
    return {alias.name.partition(".")[0] for alias in node.names}


def _is_standard(line: str) -> bool:
    return _root(ast.parse(line).body[0]) in sys.stdlib_module_names


def _only(node: ast.Import | ast.ImportFrom, alias: ast.alias) -> ast.Import | ast.ImportFrom:
    if isinstance(node, ast.Import):
        return ast.Import(names=[alias])
    return ast.ImportFrom(module=node.module, names=[alias], level=node.level)


def _acts(tree: ast.stmt) -> bool:
    """Whether a statement of the top level may use a function when the module is run."""
    match tree:
        case ast.Import() | ast.ImportFrom():
            return False
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            defaults = [*tree.args.defaults, *(part for part in tree.args.kw_defaults if part)]
            return any(isinstance(node, ast.Call) for part in defaults for node in ast.walk(part))
        case ast.Assign() | ast.AnnAssign() | ast.Expr() | ast.ClassDef():
            return any(isinstance(node, ast.Call | ast.Name) for node in ast.walk(tree))
    return True


def _moved(view: View, movable: _Movable, group: _Group) -> Program:
    source = source_of(view)
    program = view.program
    stem = program.file.removesuffix(".py")
    file = source.fresh(*(f"{stem}_{suffix}" for suffix in _SUFFIXES))
    names = [node.name.value for node in group.functions]
    future = [
        f"{ast.unparse(node)}\n"
        for node in source.tree.body
        if isinstance(node, ast.ImportFrom) and _root(node) == "__future__"
    ]
    parts = [f'"""What {stem} needs."""\n', "".join(future)]
    parts.append("".join(f"{line}\n" for line in group.imports))
    head = "\n".join(part for part in parts if part) + ("" if future or group.imports else "\n")
    module = view.module.with_changes(
        header=[], footer=[], body=[apart(node) for node in group.functions]
    )
    text = head + module.code
    staying = [
        part for part in source.tree.body if not (isinstance(part, Function) and part.name in names)
    ]
    used = sorted(set(names) & mentioned(staying)) or names
    line = f"from {file} import {', '.join(used)}"
    # Behind imports of the program's own files, which are loaded in the order they were.
    instead: dict[cst.CSTNode, Sequence[Statement]] = dict.fromkeys(group.functions, ())
    left = Changes(instead, imports=[line], below=source.files).apply(view)
    changed = replace(left, modules={**program.modules, f"{file}.py": text})
    return changed.with_main(_without_unused(view, changed.main))


def _without_unused(view: View, text: str) -> str:
    """The text without imports of the standard library that only what moved has used."""
    before = source_of(view).tree
    after = ast.parse(text)
    said = {node.id for node in ast.walk(after) if isinstance(node, ast.Name)}
    was_said = {node.id for node in ast.walk(before) if isinstance(node, ast.Name)}
    gone = was_said - said - view.program.kept
    module = cst.parse_module(text)
    body = [_with_names_but(node, gone) for node in module.body]
    return module.with_changes(body=[node for node in body if node is not None]).code


def _with_names_but(node: cst.CSTNode, gone: frozenset[str] | set[str]) -> cst.CSTNode | None:
    """An import of the standard library without some names; None if no others are left."""
    if not isinstance(node, cst.SimpleStatementLine) or len(node.body) != 1:
        return node
    line = node.body[0]
    if not isinstance(line, (cst.Import, cst.ImportFrom)) or isinstance(line.names, cst.ImportStar):
        return node
    text = cst.Module([]).code_for_node(line.with_changes(semicolon=cst.MaybeSentinel.DEFAULT))
    if not _is_standard(text) or _root(ast.parse(text).body[0]) == "__future__":
        return node
    left = [alias for alias in line.names if _bound_by(alias) not in gone]
    if len(left) == len(line.names):
        return node
    if not left:
        return None
    last = left[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    return node.with_changes(body=[line.with_changes(names=[*left[:-1], last])])


def _bound_by(alias: cst.ImportAlias) -> str:
    name = alias.evaluated_alias or alias.evaluated_name
    return name.partition(".")[0]
