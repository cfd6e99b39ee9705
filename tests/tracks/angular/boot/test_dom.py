"""Documents without what frameworks and builds make anew."""

from html.parser import HTMLParser

from pytest_benchmac.tracks.angular.boot.dom import TEXT, Dom, Node

VOID = ("img", "input", "link")


class Reader(HTMLParser):
    """The nodes of well-formed markup, as the browser would tell them."""

    def __init__(self) -> None:
        super().__init__()
        self.nodes: list[Node] = []
        self.depth = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.nodes.append((self.depth, tag, {name: value or "" for name, value in attrs}))
        self.depth += tag not in VOID

    def handle_endtag(self, tag: str) -> None:
        self.depth -= 1

    def handle_data(self, data: str) -> None:
        self.nodes.append((self.depth, TEXT, {"": data}))


def parsed(html: str, root: str) -> Dom:
    reader = Reader()
    reader.feed(html)
    return Dom.of(reader.nodes, root)


PAGE = """\
<!DOCTYPE html><html lang="en" data-beasties-container=""><head><title>Ferry</title>
<link rel="stylesheet" href="styles.0123456789abcdef.css"><style>p { color: red }</style>
</head><body class="mat-typography"><!-- start -->
<app-root _nghost-abc-c12="" ng-version="17.1.0"><!--container-->
<main _ngcontent-abc-c12="" class="b ng-star-inserted a"><label for="mat-input-0">Name</label>
<input type="text" id="mat-input-0" class="ng-pristine ng-valid">
<img src="logo.89abcdef01234567.png">
<p ng-reflect-name="x">two
   words</p></main></app-root><script>let x = '<p>';</script></body></html>
"""


def test_a_document_is_normalised() -> None:
    dom = parsed(PAGE, "app-root")
    assert (dom.version, dom.rendered, dom.root) == ("17.1.0", True, "app-root")
    assert dom.text.splitlines() == [
        '<html lang="en">',
        " <head>",
        "  <title>",
        "   Ferry",
        ' <body class="mat-typography">',
        "  <app-root>",
        '   <main class="a b">',
        '    <label for="mat-input-N">',
        "     Name",
        '    <input id="mat-input-N" type="text">',
        '    <img src="logo.png">',
        "    <p>",
        "     two words",
    ]


def test_another_build_of_another_version_is_the_same_document() -> None:
    other = (
        PAGE.replace("17.1.0", "18.0.2")
        .replace("abc-c12", "xyz-c99")
        .replace("mat-input-0", "mat-input-7")
        .replace("89abcdef01234567", "0000000000000000")
        .replace('class="b ng-star-inserted a"', 'class="a b"')
        .replace("data-beasties-container", "data-critters-container")
        .replace('type="text" id="mat-input-7"', 'id="mat-input-7" type="text"')
    )
    assert parsed(other, "app-root").text == parsed(PAGE, "app-root").text


def test_other_content_is_another_document() -> None:
    assert parsed(PAGE.replace("two", "three"), "app-root").text != parsed(PAGE, "x").text


def test_an_empty_root_is_not_rendered() -> None:
    for empty in (
        '<app-root ng-version="17.1.0"></app-root><p>outside</p>',
        '<app-root ng-version="17.1.0"><!-- nothing --><script>x</script></app-root>',
        "<app-root><p>static</p></app-root>",
    ):
        assert not parsed(f"<body>{empty}</body>", "app-root").rendered


def test_the_mark_counts_at_the_root_element_only() -> None:
    elsewhere = '<app-root><p>old</p></app-root><div id="x" ng-version="17.0.0"><p>new</p></div>'
    assert parsed(elsewhere, "app-root").version is None
    assert parsed(elsewhere, "#x").version == "17.0.0"


def test_a_document_of_any_depth_is_read() -> None:
    deep = [(depth, "b", {}) for depth in range(100_000)]
    dom = Dom.of([(0, "app-root", {"ng-version": "1.0.0"}), *deep[1:]], "app-root")
    assert dom.rendered
    assert len(dom.text) < 20_000_000
