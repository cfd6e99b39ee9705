"""Outputs in the shapes that the two builders leave: scripts, source maps and statistics."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from pytest_benchmac.foreign.tree import SourceTree

_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
#: What the compiler makes of a component, as each builder's minifier leaves it.
FORMS = (
    "let a=(()=>{class e{static{this.\\u0275cmp=i({type:e,selectors:[@],decls:1,"
    "consts:[['template: function']],template:function(t,n){1&t&&f(0)}})}}return e})();",
    "var a=function(){function e(){}return e.\\u0275cmp=i({type:e,selectors:[@],decls:1,"
    "template:function(t,n){}}),e}();",
    'e.ɵcmp = /*__PURE__*/ _core__WEBPACK_IMPORTED_MODULE_2__["ɵɵdefineComponent"]({ type: e,'
    " selectors: [@], decls: 1, template: function e_Template(rf, ctx) { } });",
    'e.ɵcmp = defineComponent({ type: e, "selectors": [ @ ], decls: 1, template: (t, n) => {} });',
)


def vlq(*numbers: int) -> str:
    """Numbers as a segment of a source map."""
    text = ""
    for number in numbers:
        rest = (abs(number) << 1) | (number < 0)
        while True:
            digit, rest = rest & 31, rest >> 5
            text += _DIGITS[digit | (32 if rest else 0)]
            if not rest:
                break
    return text


class Output:
    """A folder that a build leaves.

    Args:
        root: the folder; it is made.
        below: where the page is in it.
    """

    def __init__(self, root: Path, below: str = "dist") -> None:
        self.root, self.folder = root, root / below
        self.folder.mkdir(parents=True)
        (self.folder / "index.html").write_text("<tb-root></tb-root>")
        self._metafile: dict[str, dict[str, dict[str, dict[str, int]]]] = {}
        self._chunks: list[dict[str, object]] = []

    def script(
        self, name: str, pieces: Sequence[tuple[str, str]], *, files: Sequence[str] = ()
    ) -> None:
        """Write a script with its map.

        Args:
            name: of the file.
            pieces: source and text of each part, in order.
            files: names to tell in the statistics, in place of the sources.
        """
        sources = list(dict.fromkeys(source for source, _ in pieces))
        segments, last = [], 0
        column = before = 0
        for source, text in pieces:
            index = sources.index(source)
            segments.append(vlq(column - before, index - last, 0, 0))
            before, last = column, index
            column += len(text)
        (self.folder / name).write_text("".join(text for _, text in pieces))
        (self.folder / f"{name}.map").write_text(
            json.dumps({"version": 3, "sources": sources, "mappings": ",".join(segments)})
        )
        inputs: dict[str, dict[str, int]] = {}
        for source in files or sources:
            size = sum(len(text) for each, text in pieces if each == source)
            inputs[source] = {"bytesInOutput": size}
        self._metafile[name] = {"inputs": inputs}
        modules = [{"name": f"./{each}", "moduleType": "javascript/auto"} for each in inputs]
        whole = [
            {"name": f"{each['name']} + 1 modules", "modules": modules} for each in modules[:1]
        ]
        self._chunks.append({"files": [name], "modules": whole})

    def components(self, declared: Mapping[str, str], form: str = FORMS[0]) -> None:
        """Write a script that defines selectors, each from its source."""
        pieces = []
        for source, selector in declared.items():
            name = selector.strip("[]")
            parts = ["", name, ""] if selector.startswith("[") else [name]
            text = form.replace("@", json.dumps(parts, separators=(",", ":")))
            pieces.append((source, text))
        self.script("main.js", pieces)

    def write(self, name: str, text: str) -> None:
        """Write another file beside the page."""
        place = self.folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)

    def esbuild(self) -> SourceTree:
        """With esbuild's statistics."""
        (self.folder / "stats.json").write_text(
            json.dumps({"inputs": {}, "outputs": self._metafile})
        )
        return SourceTree.scan(self.root)

    def webpack(self) -> SourceTree:
        """With webpack's."""
        (self.folder / "stats.json").write_text(json.dumps({"chunks": self._chunks}))
        return SourceTree.scan(self.root)
