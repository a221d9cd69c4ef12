"""How the original cuts texts into words, and the words it leaves out: three ways, one for each of its scripts."""

from __future__ import annotations

from tenure.text.words import Cutter

_COMMON = """
a about also an and are at be been being but by can could did do does else for from get go had has
have he help how i if in into is it just know let like make may me might must my need no not of on
or out please see shall she should so that the then these they think this those to too up use very
want was we were what when where which who whom why will with would yes you your
"""
STOP_WORDS = frozenset(_COMMON.split())
# With two-letter words allowed, as BM25 does, these have to go too.
SEARCH_STOP_WORDS = STOP_WORDS | {"as", "am", "us", "vs"}
# Words of a session's items; the guard compares what is left without these.
_SMALL = """
    a about after all also an and any are as at be been but by can did do does done for from had has have in
    into is it its more no not of on or our out so some that the their them then there this to up was we
    were when which will with
"""
SMALL_WORDS = frozenset(_SMALL.split())

MIN_LETTERS, MIN_SEARCH_LETTERS = 3, 2

# All words, as BM25 counts them.
WORDS = Cutter(r"[^\W_]+")
# Words of titles and prompts, as points are given for them.
TITLE_WORDS = Cutter(r"[^\W_]+", shortest=MIN_LETTERS, without=STOP_WORDS)
# Runs of a query in which `snake_case`, `dotted.names` and `dashed-ones` stay whole.
QUERY_RUNS = Cutter(r"[\w.\-]+")
ITEM_WORDS = Cutter(r"[^\W_]{2,}")
