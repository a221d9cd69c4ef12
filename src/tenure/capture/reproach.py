"""Whether a turn of the person says that what came before was wrong."""

from __future__ import annotations

import re

# At the beginning of a turn.
_REPROACH = re.compile(
    r"\W*(?:no(?:pe)?\b(?! (?:worries|problem|rush|need|idea|thanks))|wrong\b|that(?:'s| is) (?:wrong|not)\b"
    r"|not what i\b|i (?:said|told you)\b|undo\b|revert\b|stop\b|do(?:n't| not)\b|you broke\b|that broke\b|incorrect\b"
    r"|nein\b|falsch\b|eso no\b|está mal\b|não\b|errado\b|нет\b|неправильно|不对|错了|不是这样|違う|違います|ちがう)",
    re.IGNORECASE,
)
# "No, then it's good" answers a question; "don't worry" blames nobody.
_CONTENT_AFTER_ALL = re.compile(
    r"\W*(?:no\b[,.!]?\s*(?:then |that'?s |it'?s |all |this |looks? |i think )*(?:is )?(?:good|fine|ok(?:ay)?|great"
    r"|perfect|it'?s good|go ahead|thanks?|correct)\b|do(?:n't| not) worry\b|stop here\b)",
    re.IGNORECASE,
)


def is_reproach(text: str) -> bool:
    """Tell whether the person rejects what was just said or done."""
    said = text.lstrip()[:400].replace("’", "'")
    return bool(_REPROACH.match(said)) and not _CONTENT_AFTER_ALL.match(said)
