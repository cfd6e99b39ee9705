"""One way to vary data, drawn from a seed: texts, numbers, dates, ids and lists.

What is varied, and what stays, is in the README beside this file.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cached_property
from importlib.resources import files
from typing import Any, TypeVar

_T = TypeVar("_T")

#: Made-up words are made of these: no list of them can be kept.
_VOWELS, _CONSONANTS = "aeiou", "bcdfghklmnprstvwz"
_WORD = re.compile(r"[^\W\d_]+")
#: Of an HTML text: its tags and character references.
_MARKUP = re.compile(r"<[^<>]*>|&#?\w+;")
_DATE = re.compile(r"(\d{4})-(\d{2})-(\d{2})(?=T|$)")
#: One word that a program means: an identifier, an address, a type, a colour.
_IDENTIFIER = re.compile(r"\S*[\d@:/._#%+=-]\S*")
_SECRET = re.compile(r"token|jwt|secret|session", re.IGNORECASE)
_COUNT = re.compile(r"count|total|length|size", re.IGNORECASE)
_OWN_ID = frozenset({"id", "_id", "slug", "uuid", "key"})
_FOREIGN_ID = re.compile(r"(?:[a-z]I|_i)ds?$")
#: Whole numbers below this are often codes: they are only exchanged for one another.
_SMALL = 10
#: How far dates are shifted, in days: ahead so far that no year is the last one.
_BACK_DAYS, _AHEAD_DAYS = 300, 900
#: So many items has the one list that gets long: more than pages are usually cut into.
_LONG = 30
#: So many more items, at most, has a list of things that have no ids.
_MORE = 2
#: Of so many sentences one stays as long as it is; others get so many times longer at most.
_AS_LONG_ONE_IN, _LONGER = 4, 3
#: A sentence has so many letters, at least, and an end.
_SENTENCE = re.compile(r"[^<>{}]{30,}[.!?]", re.DOTALL)
_TIME = re.compile(r"([01]\d|2[0-3]):([0-5]\d)(:[0-5]\d)?")
_DAY_MINUTES = 24 * 60
#: Of so many seeds one has times of day that are later, and the others earlier ones.
_LATER_ONE_IN = 3
#: Of so many copies one has an empty text, but none that items are called by or known by.
_EMPTY_ONE_IN = 4
_NEEDED = re.compile(r"name|title|label|user|mail|slug|token|session|url|image|href", re.IGNORECASE)
#: Ids of copies are larger than what has room in 32 bits, as back ends have them that count long.
_LARGE_IDS = 2**31
#: So far ahead of the others are ids of items that come later.
_LATER_IDS = 1_000
#: Of so many words two have letters that English does not have, and one those of another script.
_LETTERS_ONE_IN = 12
_ACCENTED = (str.maketrans("aeou", "äéøü"), str.maketrans("aeou", "áèöû"))
#: The driver has the same for what it enters.
_WRITTEN = json.loads(files(__package__).joinpath("driver/letters.json").read_text("utf-8"))
_SCRIPTS = tuple(
    str.maketrans(_WRITTEN["english"], letters) for letters in _WRITTEN["scripts"].values()
)
#: What sentences that get longer end with, one in two: characters beyond 16 bits.
_PICTOGRAMS = "🚢🌄🎒🙂📍🧭"
#: So many small numbers, one after the other, are taken for a scale.
_SCALE = 3
#: Factors of numbers lie in [0.6, 1.4].
_FACTORS = (600, 1400)
#: Of what has a name, the largest number gets one in [2, 10]: few instances have large ones.
_LARGER = (2000, 10_000)
#: Not what is bounded, by what its name says, nor what is so large already.
_BOUNDED = re.compile(
    r"lat$|lng$|lon$|latitude|longitude|percent|ratio|rate|rating|score|share|year|page|limit|"
    r"zoom|port$|status|code|count|total",
    re.IGNORECASE,
)
_LARGE = 100_000


@dataclass
class Variation:
    """One way to vary data, drawn from a seed."""

    seed: int
    #: Strings that stay.
    kept: frozenset[str]
    #: Is it some time later: are numbers others, and has each list one item more?
    later: bool = False
    #: Small whole numbers that were seen, by key; and strings that were varied.
    _small: dict[str, set[int]] = field(default_factory=dict)
    _texts: dict[str, str] = field(default_factory=dict)
    #: Ids that are made of a text beside them, and what they become.
    _ids: dict[str, str] = field(default_factory=dict)
    #: All ids that are texts, so that each is another one.
    _known_ids: set[str] = field(default_factory=set)
    #: Of copies, by their names and whose ids they are made of.
    _copied_ids: dict[tuple[str, str], str] = field(default_factory=dict)
    #: The largest number of each key.
    _largest: dict[str, float] = field(default_factory=dict)
    _largest_id: int = 0
    #: Minutes of all times of day that were seen.
    _times: set[int] = field(default_factory=set)
    #: Name of the list that gets long.
    _long: str = ""

    def draw(self, name: str, bound: int) -> int:
        """A number in [0, bound), always the same for a name: HMAC-SHA256 (RFC 2104)."""
        key = self.seed.to_bytes(16, "big")
        digest = hmac.new(key, name.encode("utf-8", "backslashreplace"), hashlib.sha256).digest()
        return int.from_bytes(digest[:8], "big") % bound

    @cached_property
    def days(self) -> int:
        """By how many days dates are shifted, never none."""
        days = self.draw("days", _BACK_DAYS + _AHEAD_DAYS) - _BACK_DAYS
        return days if days < 0 else days + 1

    @cached_property
    def _first_id(self) -> int:
        """Ids of copies are larger than this."""
        return _LARGE_IDS + self.draw("ids", _LARGE_IDS)

    @cached_property
    def minutes(self) -> int:
        """By how many minutes times of day are shifted: all stay within the day, in their order."""
        if self.draw("time", _LATER_ONE_IN) == 0:
            last = max(self._times, default=_DAY_MINUTES - 1)
            return self.draw("time/later", _DAY_MINUTES - last)
        first = min(self._times, default=0)
        # At least half of the way to midnight.
        return self.draw("time/earlier", first // 2 + 1) - first

    def learn(self, value: Any, key: str = "") -> None:
        """Take note of a value's numbers, ids and texts, before any is varied."""
        if isinstance(value, dict):
            self._learn_ids(value)
            for name, each in value.items():
                self.learn(each, name)
        elif isinstance(value, list):
            for each in value:
                self.learn(each, key)
        elif isinstance(value, str) and (time := _TIME.fullmatch(value)):
            self._times.add(_minutes(time))
        elif isinstance(value, str):
            self._texts[value] = self.text(value, key)
        elif isinstance(value, int | float) and not isinstance(value, bool):
            self._largest[key] = max(self._largest.get(key, value), value)
            if isinstance(value, int) and key in _OWN_ID:
                self._largest_id = max(self._largest_id, value)
            if isinstance(value, int) and 0 <= value < _SMALL:
                self._small.setdefault(key, set()).add(value)

    def _learn_ids(self, item: dict[str, Any]) -> None:
        """Ids that are made of a text of their item keep to it, as back ends make them."""
        texts = {_words(each) for name, each in item.items() if name not in _OWN_ID}
        for name in _OWN_ID & set(item):
            own = item[name]
            if not isinstance(own, str):
                continue
            if own not in self.kept and _words(own) in texts - {()}:
                self._ids[own] = self._id_of_words(own)
            self._known_ids |= {own, self._ids.get(own, own)}

    def _id_of_words(self, own: str) -> str:
        return self._reworded(own, plain=True)

    def lengthen(self, bodies: Sequence[Any]) -> None:
        """Draw the list that gets long: one of those that answers are, or have right in them."""
        outer = [
            each
            for body in bodies
            for each in (body, *(body.values() if isinstance(body, dict) else ()))
            if isinstance(each, list) and _has_ids(each)
        ]
        if names := sorted({_list_name(each) for each in outer}):
            self._long = names[self.draw("long", len(names))]

    def value(self, value: Any, key: str = "") -> Any:
        """A JSON value, varied within its shape; `key` is the name that it has."""
        if isinstance(value, dict):
            varied = {name: self.value(each, name) for name, each in value.items()}
            return self._counted(value, varied)
        if isinstance(value, list):
            return self._list(value, key)
        if isinstance(value, str):
            return self._ids.get(value) or self._texts.get(value) or self.text(value, key)
        if isinstance(value, bool) or value is None:
            return value
        return self.number(value, key)

    @staticmethod
    def _counted(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
        """Counts beside a list keep to its length."""
        lengths = {
            len(before[name]): len(each) for name, each in after.items() if isinstance(each, list)
        }
        return {
            name: lengths.get(before[name], each)
            if _COUNT.search(name) and type(before[name]) is int
            else each
            for name, each in after.items()
        }

    def _list(self, items: list[Any], key: str) -> list[Any]:
        """Items varied; where ids tell them apart, one is gone or there are copies with new ids.

        Of the list that gets long, there are many.
        """
        varied = [self.value(each, key) for each in items]
        if not _has_ids(items):
            return self._more(items, varied)
        name = _list_name(items)
        free = [at for at, each in enumerate(items) if not self._is_referred_to(each)]
        change = self.draw(name, 3)
        if name == self._long:
            change = max(change, _LONG - len(items))
        if change == 0 and free:
            del varied[free[self.draw(name + "/gone", len(free))]]
        elif change > 0:
            for copy in range(change):
                at = self.draw(f"{name}/{copy}", len(items))
                copied = self._copy(items[at], f"{copy}/{name}")
                if copy % _EMPTY_ONE_IN == 0:
                    self._empty(items[at], copied, name)
                varied.append(copied)
        if self.later:
            ids = self._largest_id
            self._largest_id += _LATER_IDS
            varied.append(self._copy(items[0], f"later/{name}"))
            # Those of others stay what they were.
            self._largest_id = ids
        return varied

    def _more(self, items: list[Any], varied: list[Any]) -> list[Any]:
        """Things without ids, of which there may be more: other texts, the last one's numbers."""
        if len(items) < 2 or not all(isinstance(each, dict) for each in items):
            return varied
        name = _list_name(items)
        copies = range(self.draw(name, _MORE + 1))
        return [*varied, *(self._copy(items[-1], f"{copy}/{name}") for copy in copies)]

    def _empty(self, item: dict[str, Any], copied: dict[str, Any], name: str) -> None:
        """Leave one text of a copy empty, which an item need not have."""
        texts = [
            key
            for key, each in item.items()
            if isinstance(each, str)
            and self.text(each, key) != each
            and not (_NEEDED.search(key) or _is_time(each) or each in self._ids)
        ]
        if texts:
            copied[texts[self.draw(f"{name}/empty", len(texts))]] = ""

    def _is_referred_to(self, item: dict[str, Any]) -> bool:
        return any(str(item[name]) in self.kept for name in _OWN_ID & set(item))

    def _copy(self, item: dict[str, Any], name: str) -> dict[str, Any]:
        other = Variation(self.draw(name, 2**63), self.kept, _small=self._small)
        copied: dict[str, Any] = {}
        for key, each in item.items():
            if key in _OWN_ID and isinstance(each, int):
                self._largest_id = max(self._largest_id, self._first_id) + 1
                copied[key] = self._largest_id
            elif key in _OWN_ID and isinstance(each, str):
                copied[key] = self._id_of_copy(each, name, other)
            elif isinstance(each, str) and each in self._ids:
                copied[key] = self._ids[each]
            else:
                # Texts of its own; what it refers to is the same, and times are as much earlier.
                own = isinstance(each, str) and not _TIME.fullmatch(each)
                copied[key] = (other if own else self).value(each, key)
        return copied

    def _id_of_copy(self, own: str, name: str, other: Variation) -> str:
        """An id that no other item has, the same wherever the list of a copy is answered."""
        if (name, own) not in self._copied_ids:
            made = other._id_of_words(own) if own in self._ids else own
            # Words of one letter stay, and short ones may become the same.
            while made in self._known_ids:
                made = f"{made}-{other.word('copy', name)}"
            self._known_ids.add(made)
            self._copied_ids[name, own] = made
        return self._copied_ids[name, own]

    def number(self, number: float, key: str) -> float:
        """Of the same sign, kind and number of decimals; ids stay, and codes are exchanged."""
        if key in _OWN_ID or _FOREIGN_ID.search(key) or number == 0:
            return number
        if isinstance(number, int) and abs(number) < _SMALL:
            known = _scale(self._small.get(key, {number}))
            if number not in known:
                return number
            # Of several, none stays: what is rare among them is met under every seed.
            least = 1 if len(known) >= _SCALE else 0
            turn = least + self.draw(f"codes/{key}", len(known) - least)
            return known[(known.index(number) + turn) % len(known)]
        low, high = _FACTORS
        if 0 < number == self._largest.get(key, 0) < _LARGE and not _BOUNDED.search(key):
            low, high = _LARGER
        when = "later/" if self.later else ""
        factor = (low + self.draw(f"factor/{when}{key}", high - low + 1)) / 1000
        if isinstance(number, int):
            return int(max(_SMALL, round(abs(number) * factor))) * (1 if number > 0 else -1)
        _, _, decimals = repr(number).partition(".")
        places = len(decimals) if decimals.isdigit() else 1
        return round(number * factor, places) or number

    def text(self, text: str, key: str) -> str:
        """Word by word, a word always becoming the same one; what a program may mean stays."""
        if text in self.kept or _FOREIGN_ID.search(key) or (key in _OWN_ID):
            return text
        if _SECRET.search(key) and len(text) >= 8:
            return self._secret(text)
        if _DATE.match(text):
            return _DATE.sub(self._shifted, text, count=1)
        if time := _TIME.fullmatch(text):
            return self._other_time(time)
        if _IDENTIFIER.fullmatch(text) or _is_no_prose(text):
            return text
        parts = re.split(f"({_MARKUP.pattern}|\\S*[/@:]\\S*)", text)
        # The odd ones are markup, and words that are addresses.
        varied = "".join(part if at % 2 else self._reworded(part) for at, part in enumerate(parts))
        return varied + self._longer(text)

    def _longer(self, text: str) -> str:
        """What a sentence goes on with, if it is one that gets longer."""
        if not _SENTENCE.fullmatch(text) or not self.draw(f"longer/{text}", _AS_LONG_ONE_IN):
            return ""
        times = 1 + self.draw(f"longer/times/{text}", _LONGER)
        told = "".join(f" {self._reworded(text, f'longer/{time}')}" for time in range(times))
        drawn = self.draw(f"longer/pictogram/{text}", 2 * len(_PICTOGRAMS))
        return f"{told} {_PICTOGRAMS[drawn]}" if drawn < len(_PICTOGRAMS) else told

    def _reworded(self, text: str, salt: str = "", *, plain: bool = False) -> str:
        return _WORD.sub(lambda match: self.word(match[0], salt, plain=plain), text)

    def _other_time(self, time: re.Match[str]) -> str:
        minutes = (_minutes(time) + self.minutes) % _DAY_MINUTES
        return f"{minutes // 60:02}:{minutes % 60:02}{time[3] or ''}"

    def _shifted(self, match: re.Match[str]) -> str:
        try:
            return (date.fromisoformat(match[0]) + timedelta(days=self.days)).isoformat()
        except (ValueError, OverflowError):
            return match[0]

    def _secret(self, text: str) -> str:
        """Another one of the same form; of a JSON web token, only the signature is another."""
        head, dot, last = text.rpartition(".")
        drawn = "".join(
            _one(_VOWELS + _CONSONANTS, self.draw(f"secret/{text}/{at}", 99)) if c.isalnum() else c
            for at, c in enumerate(last)
        )
        return head + dot + drawn

    def word(self, word: str, salt: str = "", *, plain: bool = False) -> str:
        """Another word of the same length and case; one of one letter stays.

        `plain`: with English letters alone, as addresses have them.
        """
        if len(word) < 2 or not word.isascii():
            return word
        name = f"word/{salt}/{word.lower()}"
        first = self.draw(name, 2)
        letters = "".join(
            _one((_VOWELS, _CONSONANTS)[(at + first) % 2], self.draw(f"{name}/{at}", 8 * 5 * 17))
            for at in range(len(word))
        )
        # Names are not made of plain letters alone, everywhere.
        drawn = self.draw(f"{name}/letters", _LETTERS_ONE_IN)
        if not plain and drawn < len(_ACCENTED):
            letters = letters.translate(_ACCENTED[drawn])
        elif not plain and drawn == len(_ACCENTED):
            letters = letters.translate(_one(_SCRIPTS, self.draw(f"{name}/script", len(_SCRIPTS))))
        if word.isupper():
            return letters.upper()
        return letters.capitalize() if word[0].isupper() else letters

    def quoted(self, text: str) -> str:
        """A text that quotes varied data, with what it quotes varied alike; the longest first."""
        told = sorted((t for t in self._texts if len(t) > 1), key=len, reverse=True)
        if not told:
            return text
        pattern = "|".join(rf"(?<!\w){re.escape(each)}(?!\w)" for each in told)
        return re.sub(pattern, lambda match: self._texts[match[0]], text)


def _is_time(text: str) -> bool:
    """Is it a day, or a time of day?"""
    return bool(_DATE.match(text) or _TIME.fullmatch(text))


def _minutes(time: re.Match[str]) -> int:
    return int(time[1]) * 60 + int(time[2])


def _words(value: Any) -> tuple[str, ...]:
    """The words and numbers of a text; nothing of what is none."""
    return tuple(re.findall(r"[^\W_]+", value.lower())) if isinstance(value, str) else ()


def _has_ids(items: list[Any]) -> bool:
    """Are these several items, told apart by ids?"""
    return len(items) > 1 and all(isinstance(each, dict) and _OWN_ID & set(each) for each in items)


def _scale(seen: set[int]) -> list[int]:
    """Small numbers that may stand for each other: those that were seen; on a scale, all of it."""
    known = sorted(seen)
    first, last = known[0], known[-1]
    is_scale = len(known) >= _SCALE and len(known) == last - first + 1 and first > 0
    return list(range(1, last + 1)) if is_scale else known


def _list_name(items: list[Any]) -> str:
    return "list/" + json.dumps(items, sort_keys=True)


def _is_no_prose(text: str) -> bool:
    """Is a text of several words an address or a style all the same?"""
    return text.startswith(("data:", "http://", "https://", "{", "["))


def _one(of: Sequence[_T], drawn: int) -> _T:
    return of[drawn % len(of)]
