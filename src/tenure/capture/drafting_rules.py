"""The words by which a sentence is recognised as a decision, a limit or a convention.

Precision counts more than recall: each kind needs its statement and everything its record requires (a reason, an
effect) in so many words. Patterns look at one sentence and have no unbounded middle.
"""

from __future__ import annotations

import re

MAX_PER_KIND = 3
LEAST_REASON_WORDS = 3
TITLE_CHARACTERS = 100
DRAFT_TAGS = 3


def _any(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(parts), re.IGNORECASE)


# Talk about what may be, not about what is.
HYPOTHETICAL = _any(
    r"\b(?:would|could|might|maybe|perhaps|whether|suppose|hypothetical\w*|should we|shall we|do we|are we"
    r"|consider(?:ing)?|for example|e\.g\.|let me know|not sure|i think we|if (?:we|you|i|it|they|the))\b",
    r"^(?:if|when|unless|imagine|say)\b",
)
# Talk about memories: what we, or a system like us, said ourselves.
OURS = _any(
    r"\.claude/memory|memory-context|<triage|\btenure (?:add|capture|inject|list|show|claude-memory)\b",
    r"\bm-[a-z0-9]{7}\b|\b(?:according to|from|in) (?:the |our |my )?(?:saved |project )?memor(?:y|ies)\b",
    r"\b(?:memory|memories) (?:says?|notes?|shows?|contains?|tells?)\b|\b(?:recalled|remembered) (?:that|from)\b",
)
REASON = _any(
    r"\b(?:because|due to|so that|given that|to avoid|in order to)\b",
    r"\bsince (?!then|\d|last|the (?:last|beginning|start)|yesterday)",
    r",? as (?:it|we|they|this|that|the)\b",
)
REASON_FOLLOWS = _any(
    r"^(?:the reason(?: is| was|:)?|reason:|rationale:|because|why:)\s*(?:that\s)?",
    r"^(?=(?:this|that|it) (?:gives|avoids|keeps|lets|makes|saves|removes|means|needs|works)\b)",
    r"^that way,?\s",
)

DECIDED = _any(
    r"\b(?:we|i|they|the team|let's|let us|user|we've|i've|we're|i'm|you)\b[^.;]{0,40}?\b"
    r"(?:decided (?:to|on|against|that|not)|chose|chosen|picked|selected|opted (?:for|to|against)|settled on"
    r"|went with|going with|go with|switch(?:ed|ing)? to|adopt(?:ed|ing)?|will use|are going to use)\b",
    r"^(?:decision:|decided (?:to|on|against)|chose |going with |went with |switching to |adopting "
    r"|opting for |opted for |picked |settled on )",
    r"^(?:we |let's |please )?use [^.;]{2,60}? (?:instead of|rather than|over) ",
)
UNDECIDED = _any(
    r"\b(?:not|never|n't|yet to|undecided|nobody)\s(?:yet\s)?(?:been\s)?"
    r"(?:decided?|choose|chose|chosen|pick(?:ed)?|select(?:ed)?|settle[d]?|go(?:ing)? with|went with|switch|adopt)\b"
)
# What an agent does next is not a decision about the project.
ERRAND = _any(
    r"\bi(?:'ve|'m|'ll| will| have)?\s(?:\w+\s)?(?:decided|chose|opted|going)(?: first)? to (?:\w+ )?"
    r"(?:read|look|check|run|start|open|search|grep|ask|skip|inspect|try|test|wait|explore|investigate|begin|verify)\b"
)
ALTERNATIVE = re.compile(
    r"\b(?:instead of|rather than|over)\s+(.{2,60}?)"
    r"(?=\s+(?:because|since|due to|so that|to avoid|as|given|in order)\b|[,.;:]|$)",
    re.IGNORECASE,
)

LIMITED = _any(
    r"\b(?:limited to|limits? (?:is|of|to)|rate limit(?:s|ed)?|quota|hard limit|not supported|unsupported"
    r"|(?:does not|doesn't|do not|don't|cannot|can't) support|only supports?|at most \d|maximum (?:of|is)"
    r"|no more than \d|must not exceed|capped at|not configurable|(?:is|are) (?:not allowed|forbidden))\b"
)
EFFECT = _any(
    r",? so (?!that|far|much|many|long)", r",? which means (?:that )?", r",? meaning (?:that )?", r"[,;] therefore,? "
)
EFFECT_FOLLOWS = _any(
    r"^(?:so|this means|that means|therefore|as a result|hence|consequently),?\s(?:that\s)?",
    r"^(?=(?:we|you|callers|clients|jobs) (?:must|have to|need to)\b)",
)
POLICY = _any(r"\b(?:policy|not allowed|forbidden|must not|compliance|legal)\b")

CONVENTION = _any(
    r"\balways (?:use|run|write|add|put|prefer|keep|name|call|format|import|commit|create|make|include|start|ask)\b",
    r"\bnever (?:use|run|commit|push|write|add|import|edit|touch|change|call|put|create|mock|delete)\b",
    r"\b(?:from now on|going forward)\b|\bin (?:the )?future,? (?:use|please|always|never)\b",
    r"\b(?:i|we) prefer\b|^(?:please )?prefer \w|\bprefer .{2,40}? over \b",
    r"\b(?:our|the) convention (?:here )?is\b|\bby convention\b|\bwe (?:always|never) \w+",
    r"\bplease (?:always|never)\b|\bstick (?:with|to)\b|^default to\b|\bdon't ever\b",
)
# How people introduce a convention, and attackers a persona; what follows tells them apart.
FROM_NOW_ON = _any(r"\b(?:from now on|going forward),?\s")
ONCE = _any(
    r"\b(?:this time|just once|for (?:this|that) \w+|for now|today|in this (?:test|case|file|session|pr|task))\b"
)
STRONG = _any(r"\b(?:always|never|must|don't ever)\b")

FILE = re.compile(r"(?<![\w/.-])(?:[\w-][\w.-]{0,60}/){1,8}[\w.-]{1,60}\.\w{1,5}\b")
# Words too common in such sentences to be a tag.
PLAIN_WORDS = frozenset(
    """
    about added after again also always because been before being chose chosen decided does error every
    fails failed fixed from future going have instead into just keep limited make means more must need
    needs never only other over prefer please rather should since some still than that their them then
    there these they this those until used uses using want were when where which while will with work
    works would your
    """.split()
)
