"""Whether a prompt looks like a correction or a lasting rule, and the line that then asks the agent to write it down.

The prompt hook runs this on every message, so it is plain search for words: no patterns, no imports. Fitted on the
`tune` half of the turns that `scripts/bench learning` judges; what it finds and costs is printed there for both halves.
"""

# ruff: noqa: E501 - lists of words read better in one line
from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# A shorter prompt states nothing, a longer one is a task or a paste. A letter of a script without blanks says as much
# as three others.
SHORTEST, LONGEST = 16, 1500
WIDE_LETTERS = 3
# So many points make a prompt worth asking about; at most two of them come from what happened before it.
ENOUGH, MOST_BEFORE = 5, 2
MOST_ASKS = 2
# The longer a prompt, the likelier it states how things are done: one point at each of these lengths.
LENGTHS = (40, 80, 150)
# A command that was run so often within one turn is one that does not get on.
REPEATED = 3

# Two points each, at most four. Words are looked for with blanks around them.
STRONG = (
    " always ", " never ", " you're ", " make sure", " ensure ", " instead ", " rather ", " prefer", " so that ", " rule ",
    " we should", " don't", " dont ", " didnt ", " should ", " not ", " use ", " keep ", " needs ", " remember", " from now on",
    " next time ", " going forward", " by default ", " no longer ", " no need ", " avoid ", " convention", " i told",
    " i said", " you forgot", " you missed", " you left ", " you did ", " we use ", " without ", " every time", " because ",
    " must ", "n't ", "n’t ", " skip ", " rename", " as you go ", " one by one ", " i would like ", " on second thought",
    " siempre ", " nunca ", " incluye ", " solo ", " asegur", " asegúr", " sin ", " debe", " no rompas", " en lugar ",
    " en vez ", " no quiero", " recuerda", " antes de ", " usa ", " mejor que ", " a partir de ahora", " haz que ",
    " el mismo ", " importante", " tiene que ", " hay que ", " no hace falta", " ten en cuenta", " utiliza ", " respeta",
    " mantén ", " cada vez", " recuerda", " según ", " buenas prácticas", " evita ", " prefiero",
    " sempre ", " sem ", " apenas ", " somente ", " em vez ", " ao inves ", " ao invés ", " lembre", " precisa ", " deve",
    " utilize ", " quero que ", " não use", " todas as ", " todos os ", " tem que ", " mantenha ", " evite ", " prefiro",
    " toda vez", " não precisa",
    " всегда ", " никогда ", " нельзя ", " вместо ", " должн", " только ", " обязательно ", " не надо", " не нужно",
    " запомни", " впредь ", " важно", " чтобы ", " необходимо", " без ", " используй", " не использ", " лучше ", " во всех ",
    " везде ", " каждый раз", " по умолчанию", " учти", " потому ", " сначала ", " правил", " убедись", " не забудь", " пусть ",
    " при этом ", " перед тем", " прочитай", " изучи", " проверь", " не трогай", " не меняй", " так чтобы", " не должен",
    " immer ", " nie ", " niemals ", " nicht ", " statt ", " nur ", " merk dir", " ab jetzt", " künftig", " soll ", " muss ",
    " darf ", " kein ", " keine ", " ohne ", " lieber ", " verwende ", " benutze ", " jedes mal", " bevor ", " sollte",
)  # fmt: skip
# One point each, at most three.
WEAK = (
    " also ", " no ", " be ", " want ", " need ", " i think ", " first ", " but ", " all ", " when ", " only ", " if ",
    " just ", " we ", " commit", " test", " document", " agent", " skill", " real ", " way ", " each ", " every ", " can we ",
    " let's ", " same ", " already ", " update ", " changelog", " message", " subagent", " e2e", " automatic", " can be ",
    " pero ", " haz ", " quiero ", " que ", " todo", " mas ", " por cada ", " faça ",
    " cuando ", " si ", " cada ", " también ", " quando ", " se ", " também ",
    " все ", " не ", " давай", " хочу ", " при ", " или ", " нужно", " надо ", " можно ", " если ", " когда ", " сразу ", " после ",
    " у нас ", " тест", " документац", " добавь ",
    " wir ", " aber ", " bitte ", " wenn ", " dass ", " auch ",
)  # fmt: skip
# Chinese and Japanese have no blanks.
STRONG_UNSPACED = (
    "不要", "不能", "必须", "务必", "统一", "以后", "记住", "而不是", "不需要", "不用", "禁止", "规则", "都", "只", "所有", "每个", "全部",
    "隔离", "需要", "按照", "遵守", "当", "通过", "如果", "使用", "要", "将", "应该", "先", "不再", "跟随",
    "每次", "优先", "确保", "保证", "遵循", "一定", "始终", "注意", "改成", "别",
    "必ず", "常に", "ではなく", "べき", "しないで", "いつも", "覚えて", "今後", "だけ", "ないで", "ルール", "ほしい", "ください", "ように",
    "しろ", "てから", "全て", "必要", "統一", "なぜ", "のみ", "はず", "使用", "使って", "専用", "毎回", "ません",
    "じゃなくて", "いらない", "不要", "なくていい", "にしたい", "でいい", "方針", "前提", "基本", "やめて", "先に", "ので", "たら", "とき",
)  # fmt: skip
WEAK_UNSPACED = (
    "用",
    "不",
    "改",
    "来",
    "可以",
    "时",
    "默认",
    "ない",
    "更新",
    "場合",
    "時",
    "して",
    "です",
    "にして",
    "にする",
    "前に",
    "後に",
    "から",
)
# A question asks for an answer, not for a rule.
ASKING = ("?", "？", "吗", "か")
# The person rejects what was just done; at the beginning of a prompt.
REPROACHES = (
    "no ", "no,", "no.", "no!", "nope", "wrong", "that's wrong", "that's not", "that is wrong", "that is not", "not what i",
    "i said", "i told you", "undo", "revert", "stop ", "don't ", "do not ", "you broke", "you forgot", "why did you", "why are you",
    "nein", "falsch", "no funciona", "eso no", "está mal", "não ", "errado", "нет", "неправильно", "не так", "зачем",
    "不对", "错了", "不是这样", "違う", "違います", "ちがう", "なぜ",
)  # fmt: skip
CONTENT_AFTER_ALL = (
    "no worries", "no problem", "no rush", "no need", "no idea", "no thanks", "no, thanks", "no, that's fine", "no, it's fine",
    "no, that's good", "no, it's good", "no, then it's good", "no, all good", "don't worry", "do not worry", "stop here",
)  # fmt: skip
ASK = (
    "If the user's message above states a lasting rule, preference or correction (not an order for this task only), call"
    ' the tool `remember` of tenure, or run `tenure add "RULE" --quote "THEIR EXACT WORDS"`, with one self-contained'
    " sentence as the rule; where a memory shown above says it already, name its id (`same_as`, `--same-as`)."
    " Otherwise ignore this line and do not mention it."
)
AT_STOP = (
    "The user corrected something in this session. If that states a lasting rule or preference, call the tool `remember`"
    ' of tenure, or run `tenure add "RULE" --quote "THEIR EXACT WORDS"`, with one self-contained sentence as the rule.'
    " Otherwise there is nothing to do, and nothing to say about this line."
)
BEFORE_COMPACTION = "Lasting rules and corrections that the user stated are worth keeping in the summary word for word, in quotation marks."
AFTER_COMPACTION = (
    "If the summary quotes a lasting rule or correction of the user that was not written down yet, the tool `remember` of"
    ' tenure, or `tenure add "RULE" --quote "THEIR EXACT WORDS"`, keeps it for later sessions.'
)


def strength(prompt: str) -> int:
    """Return the points of a prompt by its own words; negative when it is not worth asking about whatever happened."""
    said = prompt.strip()
    wide = sum(ord(letter) > 0x2E80 for letter in said[:LONGEST])
    size = len(said) + (WIDE_LETTERS - 1) * wide
    if size < SHORTEST or len(said) > LONGEST or said.startswith(("/", "<", "[")) or "```" in said:
        return -1
    padded = f" {' '.join(said.lower().replace(',', ' , ').replace('.', ' . ').replace(':', ' : ').split())} "
    strong, weak = sum(word in padded for word in STRONG), min(3, sum(word in padded for word in WEAK))
    if wide:
        strong += sum(word in said for word in STRONG_UNSPACED)
        weak += min(2, sum(word in said for word in WEAK_UNSPACED))
    points = 2 * min(2, strong) + weak + sum(size >= length for length in LENGTHS)
    # The lists of other languages are shorter than the English one.
    points += any(letter.isalpha() and ord(letter) > 0xBF for letter in said[:300])
    return max(0, points - 2) if said.endswith(ASKING) else points


def looks_lasting(prompt: str, before: int = 0) -> bool:
    """Tell whether a prompt is worth asking about; `before` are the points of what happened before it."""
    points = strength(prompt)
    return points >= 0 and points + min(before, MOST_BEFORE) >= ENOUGH


def is_reproach(prompt: str) -> bool:
    """Tell whether a prompt begins by rejecting what was just done."""
    said = prompt.strip().lower().replace("’", "'")
    return said.startswith(REPROACHES) and not said.startswith(CONTENT_AFTER_ALL)


def nobody_there(host: str, payload: dict[str, Any]) -> bool:
    """Tell whether a subagent or a run without a person is at it, as far as a hook can know."""
    if payload.get("agent_id"):
        return True
    if host == "claude-code":
        return os.environ.get("CLAUDE_CODE_ENTRYPOINT", "").startswith("sdk")
    transcript = payload.get("transcript_path")
    if host != "codex" or not isinstance(transcript, str) or not transcript:
        return False
    try:
        with open(transcript, "rb") as file:
            head = file.read(4096).replace(b" ", b"")
    except OSError:
        return False
    return b'"originator":"codex_exec' in head or b'"source":"exec"' in head


def at_prompt(prompt: str, host: str, session: str, payload: dict[str, Any]) -> str:
    """Return the line that asks the agent to write a rule down, and note that it was asked; mostly nothing."""
    points, rejected = strength(prompt), is_reproach(prompt)
    if (points < ENOUGH - MOST_BEFORE and not rejected) or not session or nobody_there(host, payload):
        return ""
    from tenure.spool import journal  # start-up: most prompts state nothing

    before, asked = _happened(journal.path(host, session))
    lasting = looks_lasting(prompt, before)
    if asked >= MOST_ASKS or not (lasting or rejected):
        return ""
    try:
        journal.add(host, session, {"event": "asked", "where": "prompt"} if lasting else {"event": "reproach"})
    except OSError:
        return ""  # what cannot be counted is not asked
    return ASK if lasting else ""


def at_stop(host: str, session: str, payload: dict[str, Any]) -> str:
    """Return the question at the first stop after a reproach that no prompt asked about; only Claude Code goes on."""
    if host != "claude-code" or payload.get("stop_hook_active") or nobody_there(host, payload):
        return ""
    from tenure.spool import journal

    data = _raw(journal.path(host, session))
    reproach = data.rfind(_event("reproach"))
    if reproach < 0 or reproach < max(data.rfind(_event("asked")), data.rfind(_event("remembered"))):
        return ""
    if data.count(_event("asked")) >= MOST_ASKS:
        return ""
    journal.add(host, session, {"event": "asked", "where": "stop"})
    return AT_STOP


def before_compaction(host: str, session: str) -> str:
    """Return what the summary should keep, when this session was asked before and did not write anything down since."""
    from tenure.spool import journal

    data = _raw(journal.path(host, session))
    last = max(data.rfind(_event("asked")), data.rfind(_event("reproach")))
    if host != "claude-code" or last < 0 or data.rfind(_event("remembered")) > last:
        return ""
    if data.count(_event("asked")) >= MOST_ASKS:
        return ""
    journal.add(host, session, {"event": "asked", "where": "compaction"})
    return BEFORE_COMPACTION


def after_compaction(host: str, session: str) -> str:
    """Return the question that belongs to what the summary was told to keep."""
    from tenure.spool import journal

    data = _raw(journal.path(host, session))
    return AFTER_COMPACTION if b'"where": "compaction"' in data[data.rfind(_event("asked")) :] else ""


def _happened(path: str) -> tuple[int, int]:
    """Return the points of what was done since the last turn ended, and how often this session was asked."""
    data = _raw(path)
    since = data[data.rfind(_event("turn")) + 1 :]
    edited = _event("edit") in since
    stuck = _event("interrupted") in since
    if not stuck:
        commands = [line.partition(b'"ok"')[0] for line in since.splitlines() if _event("command") in line]
        stuck = any(commands.count(line) >= REPEATED for line in set(commands))
    return edited + stuck, data.count(_event("asked"))


def _event(name: str) -> bytes:
    return f'"event": "{name}"'.encode()


def _raw(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(4 * 1024 * 1024)
    except OSError:
        return b""
