"""Date words in a query: "yesterday", "last week", "in March", "7 May 2025", "2026-03-02" as the days they mean.

Pure, and without a calendar library, because the prompt hook runs this and could not afford the import. Words that
are also something else ("may", "march", "second") count only where a day, a year or "in" stands beside them.
"""

from __future__ import annotations

_MONTHS = "january february march april may june july august september october november december".split()
_MONTH_OF = {form: n for n, month in enumerate(_MONTHS, start=1) for form in (month, month[:3])} | {"sept": 9}
_DAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_COUNTS = {word: n for n, word in enumerate("zero one two three four five six seven eight nine ten".split())} | {"a": 1}
# Words after which a month alone is a month.
_BEFORE_MONTH = ("in", "since", "during", "last", "of", "from")
_STRIPPED = ".,;:!?()[]{}'\"`"
_MOST_CHARS = 4000
_YEARS = (1970, 2200)

Span = tuple[str, str]


def span(text: str, today: str) -> Span | None:
    """Return the first and the last day that the date words of a text mean, None when it has none."""
    if len(today) < 10:
        return None
    now = _number(int(today[:4]), int(today[5:7]), int(today[8:10]))
    words = [word.strip(_STRIPPED) for word in text[:_MOST_CHARS].lower().split()]
    for place, word in enumerate(words):
        before = words[place - 1] if place else ""
        after = [*words[place + 1 : place + 3], "", ""]
        found = _written(word) or _relative(word, before, after, now) or _month(word, before, after, now)
        if found:
            return _day(found[0]), _day(found[1])
    return None


def _written(word: str) -> tuple[int, int] | None:
    """Read 2026-03-02 and 2026-03."""
    parts = word[:10].split("-")
    if len(parts) not in (2, 3) or not all(part.isascii() and part.isdigit() for part in parts) or len(parts[0]) != 4:
        return None
    year, month = int(parts[0]), int(parts[1])
    if not _YEARS[0] <= year <= _YEARS[1] or not 1 <= month <= 12:
        return None
    if len(parts) == 2:
        return _whole_month(year, month)
    return _one_day(year, month, int(parts[2]))


def _relative(word: str, before: str, after: list[str], now: int) -> tuple[int, int] | None:
    if word in ("yesterday", "today"):
        day = now - (word == "yesterday")
        return day, day
    if before in ("last", "this") and word in ("week", "month", "year"):
        return _period(word, before == "last", now)
    if word in _DAYS and before in ("last", "on"):
        back = (_weekday(now) - _DAYS.index(word) - 1) % 7 + 1
        return now - back, now - back
    count = _COUNTS.get(word) or (int(word) if word.isascii() and word.isdigit() and len(word) < 4 else 0)
    length = {"day": 1, "week": 7, "month": 30}.get(after[0].rstrip("s"))
    if count and length and after[1] == "ago":
        # What is long ago is remembered less exactly.
        slack = length // 2
        return now - count * length - slack, now - count * length + slack
    return None


def _period(word: str, last: bool, now: int) -> tuple[int, int]:
    if word == "week":
        monday = now - _weekday(now) - 7 * last
        return monday, monday + 6
    year, month, _ = _civil(now)
    if word == "year":
        return _number(year - last, 1, 1), _number(year - last, 12, 31)
    month -= last
    return _whole_month(year - (month == 0), month or 12)


def _month(word: str, before: str, after: list[str], now: int) -> tuple[int, int] | None:
    """Read "7 May 2025", "May 7, 2025", "May 2025", "in May" and "in 2025"."""
    month = _MONTH_OF.get(word)
    if month is None:
        year = _year(word)
        return (_number(year, 1, 1), _number(year, 12, 31)) if year and before in ("in", "during", "since") else None
    this_year, this_month, _ = _civil(now)
    day = _ordinal(before) or _ordinal(after[0])
    year = _year(after[0]) or (_year(after[1]) if day or after[0] == "of" else 0)
    if not year and (day or before in _BEFORE_MONTH):
        # Nobody remembers what is still to come.
        year = this_year - (month > this_month)
    if not year:
        return None
    return _one_day(year, month, day) if day else _whole_month(year, month)


def _ordinal(word: str) -> int:
    digits = word.rstrip("stndrh")
    return int(digits) if digits.isascii() and digits.isdigit() and 1 <= int(digits[:4]) <= 31 else 0


def _year(word: str) -> int:
    if len(word) == 4 and word.isascii() and word.isdigit() and _YEARS[0] <= int(word) <= _YEARS[1]:
        return int(word)
    return 0


def _one_day(year: int, month: int, day: int) -> tuple[int, int] | None:
    first, last = _whole_month(year, month)
    return (first + day - 1, first + day - 1) if 1 <= day <= last - first + 1 else None


def _whole_month(year: int, month: int) -> tuple[int, int]:
    after = _number(year + 1, 1, 1) if month == 12 else _number(year, month + 1, 1)
    return _number(year, month, 1), after - 1


def _weekday(number: int) -> int:
    """Return 0 for Monday; day 0 was a Thursday."""
    return (number + 3) % 7


def _number(year: int, month: int, day: int) -> int:
    """Return the days since 1970-01-01, with years that begin in March so that the leap day comes last."""
    year -= month <= 2
    months = (month + 9) % 12
    return 365 * year + year // 4 - year // 100 + year // 400 + (153 * months + 2) // 5 + day - 1 - 719468


def _civil(number: int) -> tuple[int, int, int]:
    days = number + 719468
    era = days // 146097
    of_era = days - era * 146097
    years = (of_era - of_era // 1460 + of_era // 36524 - of_era // 146096) // 365
    of_year = of_era - (365 * years + years // 4 - years // 100)
    months = (5 * of_year + 2) // 153
    day = of_year - (153 * months + 2) // 5 + 1
    month = months + 3 if months < 10 else months - 9
    return years + era * 400 + (month <= 2), month, day


def _day(number: int) -> str:
    year, month, day = _civil(number)
    return f"{year:04}-{month:02}-{day:02}"
