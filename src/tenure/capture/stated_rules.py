"""Rules a person stated in a session that outlive it, found without a model and kept in the person's own words.

Only turns that the person typed are read. A sentence with "remember", "from now on" or "next time" is explicit and
counts at once; any other rule is a candidate. A sentence that refers back to the one before it is kept together with
it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from tenure.capture import lasting, own_words
from tenure.capture import lasting_words as words_of
from tenure.capture.session_builder import PersonAnswer, Session
from tenure.capture.turn_surroundings import NOTHING, Around, around
from tenure.text.words import STOP_WORDS, words

SHORTEST, LONGEST = 12, 300
MOST_PER_SESSION = 6
# A longer turn is a task description: its "always" and "must" are about the task.
LONGEST_TURN = 700
LEAST_WORDS = 3
# "Use subagents to …", "never … on your own": so many say what is meant where the sentence opens as a rule.
LEAST_OF_RULE = 2

# A dot inside a name or a number ends nothing: "AGENTS.md", "3.4".
_END = re.compile(r"(?<=[.!?;])\s+(?=\S)|(?<=[。！？；])\s*(?=\S)|\n+")
_OPENING = re.compile(
    r"^(?:(?:no|nope|wrong|actually|wait|stop|please|hey|again|and|but|ok|okay|so|also|yes|well|great|good|perfect|thanks"
    r"|thank you|remember|nice|cool)[,.:!]+\s*)+",
    re.IGNORECASE,
)
_REMEMBER = re.compile(r"^(?:please )?(?:remember|keep in mind|bear in mind|note)(?: that| to|:|,)?\s+", re.IGNORECASE)
_JOINING = re.compile(r"^(?:and|but|also|so)\s+(?!that\b|far\b|called\b)(?=\w)", re.IGNORECASE)

# A question; in Chinese also one without its mark.
_ASKED = re.compile(r"[?？]$|[吗呢](?:[，,。]|$)")
# How a person calls a skill of Codex at the beginning of a turn.
_SKILL = re.compile(r"^(?:\$[a-z][a-z0-9-]*\s+)+")


class Stated(NamedTuple):
    """A rule the person stated: its text, the words it was taken from, and whether they asked for it to be kept."""

    kind: str
    text: str
    quote: str
    explicit: bool
    scope: str = "project"
    question: str = ""
    # The signs that spoke for it, where it was weighed.
    reasons: tuple[str, ...] = ()


def stated(session: Session) -> list[Stated]:
    """Return what the person stated in a session, each once, in order; a run nobody sat at asks for nothing."""
    found: dict[str, Stated] = {}
    for turn, beside in around(session.turns):
        for rule in of_turn(turn.text, beside):
            rule = rule._replace(explicit=rule.explicit and not session.headless)
            found.setdefault(rule.text.casefold(), rule)
    for reason in session.refusals:
        for rule in of_turn(reason, refused=True):
            found.setdefault(rule.text.casefold(), rule._replace(explicit=False))
    for answer in session.answers:
        if rule_ := of_answer(answer):
            found.setdefault(rule_.text.casefold(), rule_)
    explicit = [rule for rule in found.values() if rule.explicit]
    rest = [rule for rule in found.values() if not rule.explicit]
    return [*explicit, *rest][:MOST_PER_SESSION]


def of_turn(text: str, beside: Around = NOTHING, *, refused: bool = False) -> Iterator[Stated]:
    """Yield the rules in one turn of the person; `refused`: it is the reason why a call was refused."""
    if not own_words.proves(text):
        return
    lines = _lines(text)
    listed = _lists_rules(lines)
    roomy = not listed and _is_roomy(text, lines)
    for number, sentence in enumerate(lines):
        explicit, weighed = _asks_for_keeping(sentence), None
        if explicit and _POINTING_ON.search(sentence):
            continue
        if not explicit and not (refused and _ORDER.match(sentence)):
            place = lasting.Place(number, len(lines), text, beside)
            weighed = None if roomy else _weighed(_clause(sentence), place)
            in_list = listed and _RULE_LINE.match(sentence) and _may_be_rule(sentence)
            forbidden = number and not roomy and _forbids_for_good(sentence)
            if not (weighed or in_list or forbidden):
                continue
        if whole := _with_what_it_points_at(sentence, lines[number - 1] if number else "", text, explicit=explicit):
            quote, said = whole
            if _is_one_statement(quote, said):
                live = explicit and _surely_lasting(sentence)
                reasons = weighed.reasons if weighed else ()
                yield Stated(kind_of(said), said, quote, live, scope_of(quote), reasons=reasons)


def _with_what_it_points_at(sentence: str, before: str, text: str, *, explicit: bool) -> tuple[str, str] | None:
    """Return what to quote and what to keep of a sentence, or nothing where the sentence it points at is missing."""
    quote = sentence if explicit else _clause(sentence)
    opened, both = _OPENING.sub("", quote), f"{before} {sentence}"
    if words_of.POINTING_AT.match(opened) or words_of.POINTING.match(opened):
        # "Remember that" says nothing without the sentence before it.
        if not before or not explicit:
            return None
        quote = both if both in text else before
        # Where it says nothing but that, the sentence before is the rule.
        return quote, clean(before if words_of.POINTING_AT.match(opened) else quote)
    if words_of.FORBIDS_IT.search(opened):
        # "Don't touch it again" forbids what the sentence before names.
        return (both, clean(both)) if before and both in text else None
    return quote, clean(opened)


def _is_one_statement(quote: str, said: str) -> bool:
    """Tell whether words say something whole of a rule's length, and ask nothing."""
    asks = bool(_ASKED.search(quote)) and not words_of.WHY.match(_OPENING.sub("", quote))
    return SHORTEST <= len(said) <= LONGEST and not asks and not quote.endswith((":", "：")) and enough(said)


def candidates(text: str, beside: Around = NOTHING) -> Iterator[tuple[str, lasting.Place]]:
    """Yield the sentences of a turn that may be rules by their form, and where each stands."""
    lines = _lines(text)
    for number, line in enumerate(lines if not _is_roomy(text, lines) else ()):
        if _may_be_rule(line):
            yield line, lasting.Place(number, len(lines), text, beside)


def bare(sentence: str) -> str:
    """Return a sentence without "no, …" before it, its quotation marks straight: what is weighed."""
    return _OPENING.sub("", sentence.replace("’", "'"))


def _lines(text: str) -> list[str]:
    """Return the sentences of a turn that are the person's own: no quotation, heading or table."""
    sentences = [part.strip() for part in _END.split(text) if part.strip()]
    return [part for part in sentences if not part.startswith((">", "#", "|"))]


def _is_roomy(text: str, lines: list[str]) -> bool:
    """Tell whether a turn is a task or a document: what it says of rules is about the task."""
    return len(text) > LONGEST_TURN or len(lines) > lasting.MOST_SENTENCES


def of_answer(answer: PersonAnswer) -> Stated | None:
    """Return what the person typed as an answer, when it states something; an option that was picked says too little.

    Of answers picked from options one in eight was worth keeping, of typed ones that rule something out about half.
    """
    said = " ".join(answer.text.split())
    if len(said) < TYPED_ANSWER or said.endswith("?") or not _RULING.search(said) or _MUSING.match(said):
        return None
    first = next((part.strip() for part in _END.split(said) if _RULING.search(part)), said)
    if POINTING_START.match(first):
        first = said
    text = clean(first)
    if not enough(text) or len(text) > LONGEST:
        return None
    return Stated(kind_of(text), text, first, False, "project", answer.question[:LONGEST])


# An answer of so many characters was typed, not picked.
TYPED_ANSWER = 40
_RULING = re.compile(r"\b(?:should|must|not|only|always|never|keep|use)\b|n't\b|не |不|ない|\bno\b|não", re.IGNORECASE)
_MUSING = re.compile(r"(?:hm+|honestly|maybe|not sure|i (?:don'?t|do not) (?:know|think))", re.IGNORECASE)
POINTING_START = words_of.POINTING


def enough(text: str) -> bool:
    """Tell whether a text has the content words a rule needs; languages without spaces are counted by length."""
    if any(ord(sign) > 0x2E80 for sign in text):
        return len(text) >= 8
    return len(set(words(text)) - STOP_WORDS) >= (LEAST_OF_RULE if _OPENS_AS_RULE.match(bare(text)) else LEAST_WORDS)


# "Use the file I gave you" points at something of this session.
_OPENS_AS_RULE = re.compile(
    r"(?:please |and |but |so |also |just |let'?s |we )*(?:use|prefer|never|always|no|don'?t|do not|stop|avoid|only)\b"
    r"(?!.* i )",
    re.IGNORECASE,
)


def clean(sentence: str) -> str:
    """Return a sentence as it is shown: without "no, …", with a capital, without its last stop."""
    said = " ".join(sentence.replace("’", "'").split())
    said = _OPENING.sub("", _SKILL.sub("", said))
    said = _REMEMBER.sub("", said) or said
    said = _JOINING.sub("", said)
    said = re.sub(r"^[-*•\d.)\s❯]+(?=\w)", "", said)
    if (why := words_of.WHY.match(said)) and not why["what"].startswith("able "):
        said = _asked_for_in(why)
    elif why or words_of.WRONGLY.match(said):
        said = f"The user objected: {said[:1].lower()}{said[1:]}"
    return (said[:1].upper() + said[1:]).rstrip(" .!;,。；")


def _asked_for_in(why: re.Match[str]) -> str:
    """Return as a rule what a question reproaches: "why did you push" says not to push."""
    how, what = why["how"].lower().replace(" ", ""), why["what"]
    if how in ("didn't", "didnt", "didnot"):
        return what
    wrong, _, right = re.sub(r",? (?:and |but )?not ", "\0", what, count=1).partition("\0")
    if how == "did":
        told = f"Do not {wrong}"
    else:
        told = f"Stop {wrong}" if wrong.split()[0].endswith("ing") else f"Do not be {wrong}"
    return f"{told}; {right} instead" if right else told


def kind_of(text: str) -> str:
    """Return constraint for what must be or must not, else preference."""
    return "constraint" if _CONSTRAINT.search(text) else "preference"


_CONSTRAINT = re.compile(
    r"\b(?:must|cannot|can't|never|not allowed|forbidden|only)\b|必须|禁止|必ず|нельзя", re.IGNORECASE
)
_USER = re.compile(
    r"\b(?:i (?:prefer|like|want|hate|don'?t like|always|never|told|asked)|ask me|tell me|show me|call me|to me"
    r"|my (?:style|preference)|answer|respond|reply|be (?:brief|concise|terse)|explain|step by step"
    r"|commits?(?: messages?)?\b.{0,20}\b(?:small|granular|often)|test first|failing test|ask (?:before|first)|emoji"
    r"|in (?:english|german|spanish|russian|japanese|chinese|portuguese))\b",
    re.IGNORECASE,
)
_PROJECT = re.compile(r"\b(?:this|the) (?:project|repo|app|api)\b|[\w/]+\.\w{2,4}\b")


def scope_of(text: str) -> str:
    """Return global for a habit of the person, project for what is about this work."""
    return "global" if _USER.search(text) and not _PROJECT.search(text) else "project"


_EVERYWHERE = re.compile(
    r"\b(?:in|for|across|of) (?:all|every|any|each)(?: of)?(?: my| our| other)* (?:projects?|repos?|repositor(?:y|ies))"
    r"\b"
    r"|\bwhatever (?:the )?project\b|\bin allen (?:meinen )?projekten\b|\ben todos (?:mis|los) proyectos\b"
    r"|\bem todos os (?:meus )?projetos\b|во всех (?:моих )?проектах|所有项目|すべてのプロジェクト|全てのプロジェクト",
    re.IGNORECASE,
)


def everywhere(text: str) -> bool:
    """Tell whether the person says in so many words that a rule holds in all their projects."""
    return bool(_EVERYWHERE.search(text))


def _clause(sentence: str) -> str:
    """Return the part of a sentence that states a rule after an order for the moment, else all of it."""
    found = _SEEN_TO.search(sentence)
    return sentence[found.start("rule") :] if found else sentence


# "Start with task 11, and make sure to …"
_SEEN_TO = re.compile(r"(?:, (?:and )?| and )(?P<rule>make sure (?:to|you|we)\b.*)$", re.IGNORECASE)
# What is to be kept was said before, and nobody knows where.
_POINTING_ON = re.compile(
    r"\b(?:do|does|doing|happens?) (?:this|that|it)\b|\b(?:like this|like that|this way)\b"
    r"|\b(?:así|assim|ainsi)[.! ]*$|\bça\b",
    re.IGNORECASE,
)


def _asks_for_keeping(sentence: str) -> bool:
    """Tell whether the person asks the agent to keep something; what they plan to do themselves is no rule."""
    said = sentence.replace("’", "'")
    if not words_of.EXPLICIT.search(said):
        return False
    return not words_of.OWN_PLAN.search(said) or bool(words_of.ASKS_THE_AGENT.search(said))


def _surely_lasting(sentence: str) -> bool:
    """Tell whether what the person asks to keep stands alone and holds beyond the moment; else it is a candidate."""
    pointing = words_of.DANGLING.search(_OPENING.sub("", sentence))
    # Further on such a word points at what the sentence itself has named.
    if words_of.MOMENT.search(sentence) or (pointing and pointing.start() < POINTS_BACK):
        return False
    return not words_of.REMINDER.search(sentence) or bool(words_of.GENERAL.search(sentence))


def _lists_rules(lines: list[str]) -> bool:
    """Tell whether a turn is a list of rules: most of its lines say always, never, no or only."""
    return len(lines) >= LEAST_RULES and sum(bool(_RULE_LINE.match(line)) for line in lines) >= RULE_SHARE * len(lines)


POINTS_BACK = 45
LEAST_RULES, RULE_SHARE = 3, 0.6
_RULE_LINE = re.compile(
    r"[-*•\d.)\s]*(?:always|never|no(?!,| (?:es|hay|se|sé|está)\b)|do not|don'?t|avoid|only|must|every|each|all"
    r"|siempre|nunca|sempre|jamais|immer|nie)\b",
    re.IGNORECASE,
)


def _forbids_for_good(sentence: str) -> bool:
    """Tell whether a sentence forbids for ever what the one before it names."""
    said = bare(sentence)
    return bool(words_of.FORBIDS_IT.search(said) and _FOR_EVER.search(said))


def _may_be_rule(sentence: str) -> bool:
    """Tell whether a sentence has the form of a rule: it says enough, stands alone and is none of the moment."""
    said = bare(sentence)
    if not SHORTEST <= len(sentence) <= LONGEST or sentence.endswith((":", "：")) or not enough(clean(sentence)):
        return False
    return bool(words_of.WHY.match(said)) or not lasting.passes(said)


def _weighed(sentence: str, place: lasting.Place) -> lasting.Weighed | None:
    """Return what a sentence weighs if it is a candidate."""
    if not _may_be_rule(sentence):
        return None
    said = bare(sentence)
    why = words_of.WHY.match(said)
    # "Why did you choose those names" may only ask; an act that is not undone by asking is a reproach.
    if why and ((why["how"].lower() == "did" and not _ACTS.match(why["what"])) or _VAGUE.search(why["what"])):
        return None
    weighed = lasting.weigh(said, place)
    least = lasting.PLAIN_LEAST if lasting.is_plain(said) else lasting.CANDIDATE
    # A reproach names an act and is worth keeping whatever it weighs: 8 of 9, by people left out.
    return weighed if why or weighed.score >= least else None


_FOR_EVER = re.compile(r"\b(?:never|ever|again|any ?more)\b", re.IGNORECASE)
_VAGUE = re.compile(
    r"\b(?:this|that|these|those|it) ?(?:rule|happen|way|$)|^(?:do|say|think|need|have|get|keep)\b", re.I
)
_ACTS = re.compile(
    r"(?:commit|push|merge|edit|delet|creat|start|begin|run|skip|ignor|install|use|stop|overwrit|deploy|publish)", re.I
)
# An order after a "no" is a rule for the rest of the session at least.
_ORDER = re.compile(r"(?:we )?(?:use|prefer|keep|put|write|call|name|do not|don'?t)\b", re.IGNORECASE)
