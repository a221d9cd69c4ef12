# ruff: noqa: E501 - lists of words read better in one line
"""Whether a prompt looks like a correction or a lasting rule, and the line that then asks the agent to write it down.

The prompt hook runs this on every message, so it is plain search for words: no patterns, no imports. Fitted on the
turns of real sessions that `scripts/bench learning` judges; what it costs and finds is printed there.
"""

from __future__ import annotations

# A shorter prompt states nothing, a longer one is a task or a paste.
SHORTEST, LONGEST = 14, 1500
MOST_ASKS = 2
# A prompt with one of these may state something that lasts. Words are looked for with blanks around them.
SIGNS = (
    " not ", "n't ", "n’t ", " dont ", " didnt ", " doesnt ", " cant ", " isnt ", " should ", " shouldn", " must ", " always ",
    " never ", " make sure ", " ensure ", " instead ", " rather than ", " prefer", " you're ", " you are ", " rule ",
    " rules ", " remember", " next time ", " from now on", " by default ", " only ", " no longer ", " no need ", " we use ",
    " use the ", " convention", " why did you ", " why are you ", " did you ", " you forgot", " you missed",
    " before you ", " keep ", " stick ", " avoid ", " don't", " every time", " going forward", " i told", " i said",
    " i want you ", " need to be ", " needs to be ", " we need ", " has to ", " we should", " standard", " just use ",
    " siempre ", " nunca ", " debe", " solo ", " en lugar ", " no quiero", " recuerda", " antes de ", " no ha", " no se ",
    " sempre ", " não ", " deve", " apenas ", " em vez ", " lembre", " precisa", " nao ",
    " всегда ", " никогда ", " нельзя ", " вместо ", " должн", " только ", " обязательно ", " не надо", " не нужно", " запомни",
    " immer ", " nie ", " niemals ", " nicht ", " statt ", " nur ", " merk dir", " ab jetzt", " künftig",
)  # fmt: skip
# Chinese and Japanese have no blanks.
UNSPACED = (
    "不要", "不能", "必须", "应该", "务必", "统一", "以后", "记住", "而不是", "不需要", "不用", "禁止", "规则", "保持", "默认", "都要", "只",
    "必ず", "常に", "ではなく", "べき", "しないで", "いつも", "覚えて", "今後", "禁止", "だけ", "ないで", "ルール", "してほしい", "ください",
)  # fmt: skip
ASK = (
    "If the user's message above states a lasting rule, preference or correction (not an order for this task only), call"
    ' the tool `remember` of tenure, or run `tenure add "RULE" --quote "THEIR EXACT WORDS"`, with one self-contained'
    " sentence as the rule. Otherwise ignore this line and do not mention it."
)


def looks_lasting(prompt: str) -> bool:
    """Tell whether a prompt is worth asking about."""
    said = prompt.strip()
    if not SHORTEST <= len(said) <= LONGEST and not _unspaced(said):
        return False
    if said.startswith(("/", "<", "[")) or "```" in said:
        return False
    padded = f" {' '.join(said.lower().replace(',', ' , ').replace('.', ' . ').split())} "
    return any(sign in padded for sign in SIGNS) or any(sign in said for sign in UNSPACED)


def _unspaced(said: str) -> bool:
    return 6 <= len(said) <= LONGEST and any(ord(letter) > 0x2E80 for letter in said[:40])
