"""Pages of a list: parameters, order, links."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import quote_plus

from invoicebook.errors import ApiError

T = TypeVar("T")
PER_PAGE = 10
MOST_PER_PAGE = 100


@dataclass
class Query:
    """The parameters of an address; the last of a name counts."""

    path: str
    pairs: list[tuple[str, str]]

    def get(self, name: str) -> str | None:
        found = [value for key, value in self.pairs if key == name]
        return found[-1] if found else None

    def only(self, *known: str) -> None:
        for name, _ in self.pairs:
            if name not in known:
                raise bad(f"the parameter {name} is unknown")

    def number(self, name: str, default: int, most: int) -> int:
        text = self.get(name)
        if text is None:
            return default
        if not (text.isascii() and text.isdigit() and len(text) <= 6 and 1 <= int(text) <= most):
            raise bad(f"{name} must be a whole number from 1 to {most}")
        return int(text)


def bad(message: str) -> ApiError:
    return ApiError(400, "bad-parameter", message)


def ordered(
    items: Sequence[T], query: Query, keys: Mapping[str, Callable[[T], Any]], default: str
) -> list[T]:
    """Sorted by the parameter `sort`; the last key first, as sorting is stable."""
    result = list(items)
    for part in reversed((query.get("sort") or default).split(",")):
        down = part.startswith("-")
        name = part[1:] if down else part
        if name not in keys:
            raise bad(f"cannot sort by {name}; known are {', '.join(sorted(keys))}")
        result.sort(key=keys[name], reverse=down)
    return result


def paged(
    items: Sequence[T], query: Query, show: Callable[[T], dict[str, object]]
) -> tuple[dict[str, object], dict[str, str]]:
    """The body and the headers of one page."""
    page = query.number("page", 1, 999999)
    per_page = query.number("perPage", PER_PAGE, MOST_PER_PAGE)
    pages = -(-len(items) // per_page)
    start = (page - 1) * per_page
    body: dict[str, object] = {
        "items": [show(item) for item in items[start : start + per_page]],
        "page": page,
        "perPage": per_page,
        "pages": pages,
        "total": len(items),
    }
    headers = {"X-Total-Count": str(len(items))}
    links = []
    if 1 < page <= pages + 1:
        links.append(link(query, page - 1, "prev"))
    if page < pages:
        links.append(link(query, page + 1, "next"))
    if links:
        headers["Link"] = ", ".join(links)
    return body, headers


def link(query: Query, page: int, relation: str) -> str:
    pairs = [(name, value) for name, value in query.pairs if name != "page"]
    pairs.append(("page", str(page)))
    text = "&".join(f"{quote_plus(name)}={quote_plus(value)}" for name, value in pairs)
    return f'<{query.path}?{text}>; rel="{relation}"'
