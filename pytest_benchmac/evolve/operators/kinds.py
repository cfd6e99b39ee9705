"""Of which builtin types the values of local names and expressions are, where that is certain.

A least fixed point over all bindings of a function, whatever their order: a name has the types of
everything that is ever bound to it. Parameters, attributes and items are unknown.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pytest_benchmac.evolve.operators.scopes import Scope, bindings, own_nodes, stored

#: Names of exact builtin types; None is any type at all, the empty set no value (yet).
Kinds = frozenset[str] | None
Names = Mapping[str, Kinds]

NUMBERS = frozenset({"int", "bool", "float"})
INTEGERS = frozenset({"int", "bool"})
#: None of these can change in place.
IMMUTABLE = frozenset(
    {"int", "bool", "float", "complex", "str", "bytes", "tuple", "NoneType", "range", "frozenset"}
)
_SETS = frozenset({"set", "frozenset"})
_SEQUENCES = frozenset({"str", "bytes", "list", "tuple"})
#: Compared and tested without code of anybody else's.
_SCALARS = NUMBERS | {"str", "bytes", "NoneType", "range"}

_BOOL, _INT, _FLOAT, _STR = (frozenset({name}) for name in ("bool", "int", "float", "str"))
_NOTHING: frozenset[str] = frozenset()
_CALLS: Mapping[str, Kinds] = {
    **dict.fromkeys("len int ord hash id".split(), _INT),
    **dict.fromkeys("bool isinstance issubclass callable any all hasattr".split(), _BOOL),
    **dict.fromkeys("chr bin hex oct input ascii".split(), _STR),
    **{name: frozenset({name}) for name in "float complex list tuple dict set frozenset".split()},
    **{name: frozenset({name}) for name in "range enumerate zip map filter".split()},
    "sorted": frozenset({"list"}),
    "print": frozenset({"NoneType"}),
}
_STR_METHODS: Mapping[str, Kinds] = {
    **dict.fromkeys(
        (
            "capitalize casefold center expandtabs format join ljust lower lstrip replace"
            " rjust rstrip strip swapcase title translate upper zfill removeprefix"
            " removesuffix"
        ).split(),
        _STR,
    ),
    **dict.fromkeys("count find index rfind rindex".split(), _INT),
    **dict.fromkeys(
        (
            "endswith startswith isalnum isalpha isascii isdecimal isdigit isidentifier"
            " islower isnumeric isprintable isspace istitle isupper"
        ).split(),
        _BOOL,
    ),
    **dict.fromkeys(["split", "rsplit", "splitlines"], frozenset({"list"})),
    **dict.fromkeys(["partition", "rpartition"], frozenset({"tuple"})),
    "encode": frozenset({"bytes"}),
}
_METHODS: Mapping[str, Mapping[str, Kinds]] = {
    "str": _STR_METHODS,
    "list": {"count": _INT, "index": _INT, "copy": frozenset({"list"})},
    "tuple": {"count": _INT, "index": _INT},
    "dict": {"copy": frozenset({"dict"})},
    "set": {"copy": frozenset({"set"})},
}
_TEXT_LISTS = frozenset({"split", "rsplit", "splitlines"})


def join(*kinds: Kinds) -> Kinds:
    """Of any of these types."""
    known = [kind for kind in kinds if kind is not None]
    return frozenset().union(*known) if len(known) == len(kinds) else None


@dataclass(frozen=True)
class Inference:
    """Types of expressions, where local names have known types."""

    names: Names
    is_builtin: Callable[[str], bool]

    def surely(self, node: ast.expr, kinds: frozenset[str]) -> bool:
        """Whether an expression is of one of these types, whatever happens before."""
        found = self.of(node)
        return bool(found) and found is not None and found <= kinds

    def of(self, node: ast.expr) -> Kinds:
        """The types that the value of an expression may have."""
        match node:
            case ast.Constant(value=value):
                return frozenset({type(value).__name__})
            case ast.Name(id=name):
                return self.names.get(name)
            case ast.NamedExpr(value=value):
                return self.of(value)
            case ast.JoinedStr():
                return _STR
            case ast.List() | ast.ListComp():
                return frozenset({"list"})
            case ast.Tuple():
                return frozenset({"tuple"})
            case ast.Dict() | ast.DictComp():
                return frozenset({"dict"})
            case ast.Set() | ast.SetComp():
                return frozenset({"set"})
            case ast.IfExp(body=body, orelse=orelse):
                return join(self.of(body), self.of(orelse))
            case ast.BoolOp(values=values):
                return join(*map(self.of, values))
            case ast.BinOp(left=left, op=op, right=right):
                return self.binary(self.of(left), op, self.of(right), right)
            case ast.UnaryOp(op=op, operand=operand):
                return self._unary(op, self.of(operand))
            case ast.Compare():
                return self._compare(node)
            case ast.Subscript(value=value, slice=index):
                return self._item(self.of(value), index)
            case ast.Call():
                return self._call(node)
        return None

    def binary(self, left: Kinds, op: ast.operator, right: Kinds, tree: ast.expr) -> Kinds:
        """Types of `left op right`; `tree` is the right operand."""
        if left is None or right is None:
            return None
        return join(*(_binary(one, op, two, tree) for one in left for two in right))

    def _unary(self, op: ast.unaryop, kinds: Kinds) -> Kinds:
        if isinstance(op, ast.Not):
            return _BOOL
        if kinds is None or not kinds <= (INTEGERS if isinstance(op, ast.Invert) else NUMBERS):
            return None
        return frozenset("int" if kind == "bool" else kind for kind in kinds)

    def _compare(self, node: ast.Compare) -> Kinds:
        sure = (ast.Is, ast.IsNot, ast.In, ast.NotIn)
        if all(isinstance(op, sure) for op in node.ops):
            return _BOOL
        operands = [self.of(part) for part in (node.left, *node.comparators)]
        # How lists and tuples are ordered is the answer of their items.
        equality = all(isinstance(op, (*sure, ast.Eq, ast.NotEq)) for op in node.ops)
        plain = _SCALARS | _SETS | ({"list", "tuple", "dict"} if equality else set())
        return _BOOL if all(kinds is not None and kinds <= plain for kinds in operands) else None

    def _item(self, kinds: Kinds, index: ast.expr) -> Kinds:
        if kinds is None:
            return None
        if isinstance(index, ast.Slice):
            return kinds if kinds <= _SEQUENCES else None
        return _STR if kinds <= _STR else None

    def _call(self, node: ast.Call) -> Kinds:
        match node.func:
            case ast.Name(id=name) if self.is_builtin(name):
                return self._builtin(name, node)
            case ast.Attribute(value=value, attr=method):
                kinds = self.of(value)
                if not kinds:
                    return kinds
                return join(*(_METHODS.get(kind, {}).get(method) for kind in kinds))
        return None

    def _builtin(self, name: str, node: ast.Call) -> Kinds:
        kinds = [self.of(argument) for argument in node.args]
        plain = not node.keywords and not any(isinstance(a, ast.Starred) for a in node.args)
        match name, kinds:
            case ("abs", [only]) if plain and only is not None and only <= NUMBERS:
                return frozenset("int" if kind == "bool" else kind for kind in only)
            case ("round", [only]) if plain and only is not None and only <= NUMBERS:
                return _INT
            case ("str" | "repr", [only]) if plain and only is not None and only <= _SCALARS:
                return _STR
            case ("str", []):
                return _STR
            case ("max" | "min", [_, _, *_]) if plain:
                return join(*kinds)
            case ("max" | "min", [_]) if plain:
                return self.elements(node.args[0])
            case ("sum", [_]) if plain:
                inside = self.elements(node.args[0])
                return _INT if inside is not None and inside <= INTEGERS else None
            case ("pow", [one, two]) if plain:
                return self.binary(one, ast.Pow(), two, node.args[1])
        return _CALLS.get(name)

    def elements(self, node: ast.expr) -> Kinds:
        """Types of what comes out of an expression that is iterated on the spot."""
        match node:
            case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
                return join(*map(self.of, items)) if items else None
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp():
                return self.inside(node.generators).of(node.elt)
            case ast.Call(func=ast.Name(id=name), args=[only], keywords=[]) if name in (
                "list",
                "set",
                "tuple",
                "sorted",
                "reversed",
                "frozenset",
            ) and self.is_builtin(name):
                return self.elements(only)
            case ast.Call(func=ast.Name(id="map"), args=[ast.Name(id=name), _]) if self.is_builtin(
                "map"
            ) and self.is_builtin(name):
                return _CALLS.get(name) if name in ("int", "len", "ord", "float", "bool") else None
            case ast.Call(func=ast.Attribute(value=value, attr=method)) if (
                method in _TEXT_LISTS and self.surely(value, _STR)
            ):
                return _STR
        kinds = self.of(node)
        if kinds and kinds <= _STR:
            return _STR
        return _INT if kinds and kinds <= {"range", "bytes"} else None

    def inside(self, generators: Sequence[ast.comprehension]) -> Inference:
        """The same inside a comprehension, where its variables are known, too."""
        inner = self
        for generator in generators:
            bound = inner.bound_by_loop(generator.target, generator.iter)
            inner = Inference({**inner.names, **bound}, self.is_builtin)
        return inner

    def bound_by_loop(self, target: ast.expr, iterable: ast.expr) -> dict[str, Kinds]:
        """Types of what a loop over `iterable` binds."""
        if isinstance(target, ast.Name):
            return {target.id: self.elements(iterable)}
        match target, iterable:
            case (
                ast.Tuple(elts=[first, second]),
                ast.Call(func=ast.Name(id="enumerate"), args=[inner, *_]),
            ) if self.is_builtin("enumerate") and not isinstance(inner, ast.Starred):
                number = {first.id: _INT} if isinstance(first, ast.Name) else self._unknown(first)
                return {**number, **self.bound_by_loop(second, inner)}
            case (ast.Tuple(elts=targets), ast.Call(func=ast.Name(id="zip"), args=inners)) if (
                self.is_builtin("zip")
                and len(targets) == len(inners)
                and not any(isinstance(part, ast.Starred) for part in (*targets, *inners))
            ):
                bound: dict[str, Kinds] = {}
                for part, inner in zip(targets, inners, strict=True):
                    bound |= self.bound_by_loop(part, inner)
                return bound
        return self._unknown(target)

    def bound_by_assignment(self, target: ast.expr, value: ast.expr) -> dict[str, Kinds]:
        """Types of what `target = value` binds."""
        if isinstance(target, ast.Name):
            return {target.id: self.of(value)}
        if (
            isinstance(target, ast.Tuple)
            and isinstance(value, ast.Tuple)
            and len(target.elts) == len(value.elts)
            and not any(isinstance(part, ast.Starred) for part in (*target.elts, *value.elts))
        ):
            bound: dict[str, Kinds] = {}
            for part, inner in zip(target.elts, value.elts, strict=True):
                bound |= self.bound_by_assignment(part, inner)
            return bound
        return self._unknown(target)

    def _unknown(self, target: ast.expr) -> dict[str, Kinds]:
        return dict.fromkeys(stored([target]), None)


def _binary(left: str, op: ast.operator, right: str, tree: ast.expr) -> Kinds:
    if left in NUMBERS and right in NUMBERS:
        return _arithmetic({left, right}, op, tree)
    match op:
        case ast.Add() if left == right and left in _SEQUENCES:
            return frozenset({left})
        case ast.Mult() if left in _SEQUENCES and right in INTEGERS:
            return frozenset({left})
        case ast.Mult() if right in _SEQUENCES and left in INTEGERS:
            return frozenset({right})
        case ast.BitOr() | ast.BitAnd() | ast.BitXor() | ast.Sub() if (
            left == right and left in _SETS
        ):
            return frozenset({left})
        case ast.Mod() if left == "str" and right in _SCALARS:
            return _STR
    return None


def _arithmetic(operands: set[str], op: ast.operator, tree: ast.expr) -> Kinds:
    match op:
        case ast.Div():
            return _FLOAT
        case ast.BitAnd() | ast.BitOr() | ast.BitXor():
            return _BOOL if operands == {"bool"} else None if "float" in operands else _INT
        case ast.LShift() | ast.RShift():
            return None if "float" in operands else _INT
        case ast.MatMult():
            return None
        case ast.Pow():
            natural = isinstance(tree, ast.Constant) and isinstance(tree.value, int)
            if "float" in operands:
                return _FLOAT if natural else None
            return _INT if natural else _INT | _FLOAT
    return _FLOAT if "float" in operands else _INT


def infer(scope: Scope, is_builtin: Callable[[str], bool]) -> Inference:
    """Types of a function's local names."""
    own = list(own_nodes(scope.body))
    unknown = scope.parameters | scope.rebound | scope.declared | scope.untracked
    for node in own:
        if not isinstance(node, ast.Name):
            unknown = unknown | bindings(node)
        if isinstance(node, ast.With | ast.AsyncWith):
            given = [item.optional_vars for item in node.items if item.optional_vars]
            unknown = unknown | stored(given)
    names: dict[str, Kinds] = dict.fromkeys(scope.locals, _NOTHING)
    names |= dict.fromkeys(unknown, None)
    changed = True
    while changed:
        changed = False
        inference = Inference(dict(names), is_builtin)
        for node in own:
            for name, kinds in _bound_by(node, inference).items():
                wider = join(names.get(name), kinds)
                if wider != names.get(name):
                    names[name] = wider
                    changed = True
    return Inference(names, is_builtin)


def _bound_by(node: ast.AST, inference: Inference) -> dict[str, Kinds]:
    match node:
        case ast.Assign(targets=targets, value=value):
            bound: dict[str, Kinds] = {}
            for target in targets:
                for name, kinds in inference.bound_by_assignment(target, value).items():
                    bound[name] = join(bound.get(name, _NOTHING), kinds)
            return bound
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
            return {name: inference.of(value)}
        case ast.AugAssign(target=ast.Name(id=name), op=op, value=value):
            return {name: inference.binary(inference.names[name], op, inference.of(value), value)}
        case ast.For(target=target, iter=iterable):
            return inference.bound_by_loop(target, iterable)
        case ast.AsyncFor(target=target):
            return dict.fromkeys(stored([target]), None)
    return {}
