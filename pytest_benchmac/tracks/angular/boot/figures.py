"""Numbers that a page shows instead of the base's: pure functions."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping

#: A number as pages write it.
_FIGURE = re.compile(r"\d[\d.,:]*")
#: A time of day to the second, which no two looks at a page have to agree in.
_SECONDS = re.compile(r"\d:[0-5]\d:[0-5]\d")

#: Units of measurement, and how they are written: see `other_units`. Spellings of three letters or
#: more have a plural in s as well.
_UNITS = {
    "millimetre": "mm|millimetre|millimeter",
    "centimetre": "cm|centimetre|centimeter",
    "metre": "m|metre|meter",
    "kilometre": "km|kms|kilometre|kilometer",
    "inch": "inch|inches",
    "foot": "ft|foot|feet",
    "yard": "yd|yds|yard",
    "mile": "mi|mile",
    "nautical mile": "nm|nmi|nautical mile",
    "square metre": "m2|sq m|square metre|square meter",
    "hectare": "ha|hectare",
    "square kilometre": "km2|sq km|square kilometre|square kilometer",
    "square foot": "ft2|sq ft|square foot|square feet",
    "acre": "ac|acre",
    "square mile": "mi2|sq mi|square mile",
    "millilitre": "ml|millilitre|milliliter",
    "litre": "l|L|litre|liter",
    "fluid ounce": "fl oz|fluid ounce",
    "gallon": "gal|gallon",
    "milligram": "mg|milligram",
    "gram": "g|gram|gramme",
    "kilogram": "kg|kilo|kilogram|kilogramme",
    "tonne": "t|tonne",
    "ounce": "oz|ounce",
    "pound": "lb|lbs|pound",
    "millisecond": "ms|msec|millisecond",
    "second": "s|sec|second",
    "minute": "m|min|minute",
    "hour": "h|hr|hrs|hour",
    "day": "d|day",
    "week": "w|wk|wks|week",
    "month": "m|mo|mos|mth|month",
    "year": "y|yr|yrs|year",
    "metre per second": "m/s|metre per second|metres per second|meters per second",
    "kilometre per hour": "km/h|kmh|kph|kilometres per hour|kilometers per hour",
    "mile per hour": "mph|mi/h|mile per hour|miles per hour",
    "knot": "kn|kt|kts|knot",
    "degree Celsius": "°|°C|degree|degree Celsius|degrees Celsius",
    "degree Fahrenheit": "°|°F|degree|degree Fahrenheit|degrees Fahrenheit",
    "bit": "bit",
    "byte": "B|byte",
    "kilobit": "Kb|kb|kbit|kilobit",
    "kilobyte": "kB|KB|kilobyte",
    "kibibyte": "KB|KiB|kibibyte",
    "megabit": "Mb|Mbit|megabit",
    "megabyte": "MB|megabyte",
    "mebibyte": "MB|MiB|mebibyte",
    "gigabit": "Gb|Gbit|gigabit",
    "gigabyte": "GB|gigabyte",
    "gibibyte": "GB|GiB|gibibyte",
    "terabit": "Tb|Tbit|terabit",
    "terabyte": "TB|terabyte",
    "tebibyte": "TB|TiB|tebibyte",
    "per cent": "%|per cent|percent",
    "per mille": "‰|per mille|permille",
}
#: Those that are written before a number as well.
_CURRENCIES = {
    "US dollar": "$|US$|USD|dollar",
    "Canadian dollar": "$|CA$|CAD|dollar",
    "Australian dollar": "$|A$|AUD|dollar",
    "euro": "€|EUR|euro",
    "pound sterling": "£|GBP|pound",
    "yen": "¥|JPY|yen",
    "yuan": "¥|CN¥|CNY|yuan",
    "rupee": "₹|INR|rupee",
    "rouble": "₽|RUB|rouble|ruble",
    "won": "₩|KRW|won",
    "Swiss franc": "CHF|franc",
    "krone": "kr|SEK|NOK|DKK|krona|kronor|krone|kroner",
    "zloty": "zł|PLN|zloty",
}


def _spelled(units: Mapping[str, str]) -> dict[str, frozenset[str]]:
    """What each spelling may mean."""
    found: dict[str, frozenset[str]] = {}
    for unit, spellings in units.items():
        for each in spellings.split("|"):
            for spelling in (each, f"{each}s") if len(each) > 2 else (each,):
                found[spelling] = found.get(spelling, frozenset()) | {unit}
    return found


def _any_of(spellings: Iterable[str]) -> str:
    return "|".join(re.escape(each) for each in sorted(spellings, key=len, reverse=True))


_SPELLED = _spelled(_UNITS | _CURRENCIES)
#: A unit after a number, not the beginning of another word or of a rate; and one before it.
_AFTER = re.compile(rf"[\s-]?\s?({_any_of(_SPELLED)})(?!\w|/[^\W\d_]|\sper\s)", re.IGNORECASE)
_BEFORE = re.compile(rf"(?<!\w)({_any_of(_spelled(_CURRENCIES))})\s?-?$", re.IGNORECASE)
#: A unit some words after a number that has none: of one letter, it would be another word.
_LATER = re.compile(
    r"(?:[\s-]+[^\W\d_]+){1,3}?[\s-]+"
    rf"({_any_of(each for each in _SPELLED if len(each) > 1)})(?!\w)",
    re.IGNORECASE,
)
#: So many letters have symbols of units at most that are looked for in a text of their own.
_SYMBOL = 3
#: A unit stands within so many letters of its number.
_NEAR = 200

#: Role and name.
Read = tuple[str, str]
#: A number, and what its unit may be.
_Measure = tuple[str, frozenset[str]]


def without_figures(text: str) -> str:
    """The same text, whatever its numbers are."""
    return _FIGURE.sub("0", text)


def other_figures(base: Iterable[Read], case: Iterable[Read]) -> Iterator[tuple[str, str]]:
    """Texts of the base that the case shows with other numbers: the base's, and the case's.

    Times to the second are left out.
    """
    here, there = set(base), set(case)
    new: dict[Read, list[str]] = {}
    for role, name in sorted(there - here):
        new.setdefault((role, without_figures(name)), []).append(name)
    for role, name in sorted(here - there):
        others = new.get((role, without_figures(name)), [])
        wrong = [each for each in others if _listed(each) != _listed(name)]
        if wrong and not _SECONDS.search(name):
            yield name, wrong[0]


def other_words(
    base: Collection[Read],
    case: Collection[Read],
    base_page: Collection[Read],
    case_page: Collection[Read],
) -> Iterator[tuple[str, str]]:
    """Numbers of the base that a case shows nowhere on a page, where it shows others instead.

    Or the same ones in other units, see `other_units`. Texts may have other words than the base's:
    numbers are looked for in any of them. One that is gone is no fault by itself, nor one that is
    new. Those of one figure are too common to tell.

    Args:
        base: a part of the base's page, such as a component.
        case: the same part of the case's.
        base_page: the whole page of the base.
        case_page: the whole page of the case.

    Yields:
        A text of the base with such a number, and one of the case's with another.
    """
    here, there = dict.fromkeys(base), dict.fromkeys(case)
    known, shown = (_numbers(name for _, name in page) for page in (base_page, case_page))
    gone = [name for role, name in here if (role, name) not in there and _numbers([name]) - shown]
    new = [name for role, name in there if (role, name) not in here and _numbers([name]) - known]
    yield from zip((each for each in gone if not _SECONDS.search(each)), new, strict=False)
    yield from other_units(base, case, base_page, case_page)


def other_units(
    base: Collection[Read],
    case: Collection[Read],
    base_page: Collection[Read],
    case_page: Collection[Read],
) -> Iterator[tuple[str, str]]:
    """Numbers of the base that a case shows in another unit, and nowhere on a page in the base's.

    Units are some of length, area, volume, mass, time, speed, temperature, data and currency, per
    cent and per mille: by their English names and abbreviations in the Unicode Common Locale Data
    Repository (CLDR 48, `common/main/en.xml` and `en_GB.xml`, whose long, short and narrow forms
    are what `Intl.NumberFormat` shows), their print symbols in the Unified Code for Units of
    Measure (UCUM), and codes of currencies (ISO 4217). They stand after their number, attached or
    after a space or hyphen, or as a text of its own after one that is the number; those of
    currencies before it, too. All else there is a word, `in` for inches among it. What may mean
    several units is any of them: `m` for minutes, `KB` for 1024 bytes, `$` for all dollars. Of a
    number without one, the next within four words is its unit on the case's pages: a statute mile
    is one.

    Args:
        base: a part of the base's page, such as a component.
        case: the same part of the case's.
        base_page: the whole page of the base.
        case_page: the whole page of the case.

    Yields:
        A text of the base with such a number, and one of the case's with another unit.
    """
    measured = _measures(base)
    if not measured:
        return
    known, shown = _measures(base_page, later=True), _measures(case_page, later=True)
    own = _measures(case, later=True)
    new = [(each, text) for each, text in own.items() if not _among(known, each)]
    for measure, text in measured.items():
        wrong = [other for (number, _), other in new if number == measure[0]]
        if wrong and not _among(shown, measure):
            yield text, wrong[0]


def _among(measures: Iterable[_Measure], measure: _Measure) -> bool:
    """Is the same number there, in what may be the same unit?"""
    number, units = measure
    return any(number == other and units & others for other, others in measures)


def _measures(texts: Iterable[Read], *, later: bool = False) -> dict[_Measure, str]:
    """Numbers that have a unit, each with the first text that shows it.

    Args:
        texts: to look in.
        later: take one some words after its number as well.
    """
    found: dict[_Measure, str] = {}
    names = [name for _, name in texts]
    for name, following in zip(names, [*names[1:], ""], strict=True):
        # A word would rather be what the next number is called.
        symbol = following in _SPELLED and len(following) <= _SYMBOL
        text = f"{name} {following}" if symbol and _FIGURE.fullmatch(name) else name
        for match in _FIGURE.finditer(text):
            # Without figures that are raised, and spaces of other widths.
            after, before = (
                unicodedata.normalize("NFKC", part)
                for part in (text[match.end() :][:_NEAR], text[: match.start()][-_NEAR:])
            )
            beside = [_AFTER.match(after), _BEFORE.search(before)]
            if later and not any(beside):
                beside = [_LATER.match(after)]
            for unit in beside:
                if unit is not None and (units := _meant(unit[1])):
                    found.setdefault((_listed(match[0])[0], units), text)
    return found


def _meant(spelling: str) -> frozenset[str]:
    """What may be meant; in other letters than usual, but for one alone, anything spelled alike."""
    if spelling in _SPELLED or len(spelling) == 1:
        return _SPELLED.get(spelling, frozenset())
    alike = (units for each, units in _SPELLED.items() if each.lower() == spelling.lower())
    return frozenset().union(*alike)


def _listed(text: str) -> list[str]:
    """Its numbers in order, without what only groups their figures."""
    return [each.strip(".,:").replace(",", "") for each in _FIGURE.findall(text)]


def _numbers(texts: Iterable[str]) -> set[str]:
    return {each for text in texts for each in _listed(text) if len(each) > 1}
