# ruff: noqa: E501 - lists of words read better in one line
"""Words by which a person states something that lasts, per language, as data.

`EXPLICIT` asks for remembering in so many words, `LASTING` states a rule, `REPROACH` says that what came before was
wrong. English, Chinese, Spanish, Portuguese, Japanese and Russian were tried on real sessions; German is untried.
"""

from __future__ import annotations

import re


def _any(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(parts), re.IGNORECASE)


# "Remember", "from now on", "next time" and their like: the person asks for it to be kept.
EXPLICIT = _any(
    r"^(?:and |also |but |so |ok(?:ay)?,? |please )*(?:remember|keep in mind|bear in mind|note for (?:the )?future)\b(?! (?:when|how|the time|if you|me\b))",
    r"\b(?:please|must|should|always|to|you) (?:remember|keep in mind)(?:,| that| to|:)",
    r"\b(?:from now on|going forward|from here on|in (?:the )?future,|for future reference|in (?:all )?future (?:sessions|interactions|tasks|commits|prs))\b",
    r"^(?:and |but |so |also |please )*next time\b|\bnext time,? (?:you|please|use|don'?t|do|ask|check|run)\b",
    r"\b(?:add (?:this|that|it) to (?:your|the) (?:memory|rules)|commit (?:this|that) to memory|don'?t forget(?: that| to|,|:)? (?!about it))",
    # German, Spanish, Portuguese, Russian
    r"\b(?:merk(?:e)? dir|ab (?:jetzt|sofort)|künftig|in zukunft|nächstes mal|denk(?:e)? daran)\b",
    r"\b(?:recuerda (?:que|siempre)|a partir de ahora|de ahora en adelante|la próxima vez|en adelante)\b",
    r"\b(?:lembre(?:-se)?|a partir de agora|de agora em diante|daqui (?:pra|para) frente|da próxima vez)\b",
    r"\b(?:запомни|впредь|отныне|в следующий раз|на будущее|с этого момента)",
    # Chinese, Japanese
    r"记住|请记得|以后(?:都|要|不|请|你|所有|每)|今后|从现在(?:开始|起)|下次(?:你|请|不要|记得|要)",
    r"覚えて(?:おいて)?|今後|これからは|次回から|以降は",
)  # fmt: skip
# A rule that holds beyond the moment.
LASTING = _any(
    r"\b(?:always|never|at all times|every ?time|in all cases|under no circumstances|as a rule|don'?t ever|each time)\b",
    r"\b(?:we|i) (?:always|never|don'?t|do not|prefer|usually|no longer)\b|\bwe only\b",
    r"\b(?:i|we)(?:'d| would) (?:prefer|rather)\b|\bi (?:hate|don'?t like) (?:it when|when|to)\b",
    r"\b(?:must|should|shall|may|ought to)(?:n'?t| not| never| always)\b|\bmust\b|\bneeds? to always\b",
    r"^(?:please )?(?:do not|don'?t|avoid|no more|no need (?:for|to))\b",
    r"\byou(?:'re| are) (?:supposed to|editing|still in|in the)\b|\byou (?:forgot|ignored|left out|should have|shouldn'?t have|weren'?t supposed)\b",
    r"\b(?:our|the project'?s?) (?:convention|policy|standard|guideline)s?\b|\bi (?:already )?(?:told|asked) you\b",
    r"\b(?:immer|nie(?:mals)?|stets|auf keinen fall)\b",
    r"\b(?:siempre|nunca|jamás)\b|^no (?:hagas|uses|pongas|borres|cambies|toques)\b",
    r"\b(?:sempre|jamais|nunca)\b|^não (?:faça|use|altere|mexa|crie|apague)\b",
    r"\b(?:всегда|никогда|нельзя|обязательно)\b",
    r"(?:总是|永远|始终|必须|务必|一律|禁止|统一用)|^(?:不要|别)",
    r"(?:必ず|絶対に?|常に|いつも|毎回|禁止|してはいけない)",
)  # fmt: skip
# How a rule is put in passing: as a contrast, as something to see to, or as a limit. Only what held in at least two
# repositories of the tuned half stands here; words of one person alone did not hold in others.
INSISTING = _any(
    r"\w, (?:and |but )?not (?!sure|yet|only|just|too|so|even|that|bad|working)\w",
    r"^(?:please |also,? |and |but |so )*make sure (?:to|you|we|that you|that we)\b",
    r"^(?:so )?(?:we (?:don'?t|do not)|no|there'?s no|there is no) need (?:for|to|any)?\b(?!.*\b(?:any ?more|now|yet)\b)",
    # How something is to be, said of all its kind or of what the project calls its own.
    r"^(?!.*\b(?:which|if|whether)\b)(?:(?:also|but|and|so),? )?(?:the|each|every|all|any|we|[a-z]+s) (?:[\w`./-]+ ){0,6}should (?!also be able|be able|have|work|see|do|not)\w",
    r"^keep \w",
    # Without the agent as author, without breaking anything.
    r"\bwithout (?:you|u|me) \w|\bsin romper\b|\bno rompas\b|\bsem voc[eê]\b",
    r"严格|遵守|而不是|统一|不再(?:使|用|需)",
    r"必要(?:は(?:あり|ない)|ない)|ないように|しないで",
)  # fmt: skip
# A reproach that names what was done in the wrong place or way.
WRONGLY = re.compile(
    r"^(?:no,? |also,? |and |but )*you(?:'re| are)? (?:not |still )?(?:edited|updated|modified|committed|changed|making"
    r"|editing|using|pushed|used|wrote|put|did (?:that|this|it) (?:in|on|with)|did ?n[o']?t (?:follow|use|define))\b",
    re.IGNORECASE,
)
# "Why didn't you …" asks for the thing itself, "why did you …" for the opposite.
WHY = re.compile(
    r"^(?:no,? |and |but |so )*why (?P<how>did ?n'?t|did not|did|are|were) (?:you|we) (?P<what>\w.*?)(?: just now)?[?!. ]*$",
    re.IGNORECASE,
)
# The last answer was wrong.
REPROACH = _any(
    r"^(?:no\b(?! (?:worries|problem|rush|need|idea))|nope|wrong|stop\b|wait\b|hold on|undo|revert|that'?s (?:not|wrong)|that is (?:not|wrong)|not what i|incorrect)",
    r"\b(?:i (?:told|asked|said)|why (?:did|are|do|have|is|would) (?:you|it)|why (?:didn'?t|don'?t|aren'?t|haven'?t) you|did you (?:follow|read|forget|check|actually|not)|you (?:forgot|missed|ignored|broke|left out|didn'?t|did not|were supposed|are (?:still )?(?:in|editing|not)|should(?:n'?t)? have|shouldn'?t|skipped|still|modified|updated|committed|keep))\b",
    r"\byou'?re (?:editing|not|still|in|doing|using|supposed)\b",
    r"^(?:nein|falsch|das ist (?:nicht|falsch)|warum)\b|^(?:no,|no\.|eso no|por qué|te dije|no funciona)|^(?:não|errado|isso não|por que|eu (?:disse|pedi))\b",
    r"^(?:нет|неправильно|не так|почему|зачем|я (?:же )?(?:сказал|просил))|^(?:不对|不是|错了|为什么|你(?:怎么|没))|(?:违反|我说过)|^(?:違う|いや|なぜ|ちがう)|じゃなくて",
)  # fmt: skip
# Orders and states of the moment: their sentence is no rule, whatever else it holds.
PASSING = _any(
    r"\b(?:for now|right now|this time|just (?:this )?once|today|at the moment|for the moment|temporar(?:y|ily)|in this (?:pr|session|case|task|commit)|one more time|currently|still (?:not|see|get|have|the))\b",
    r"\b(?:i|we) (?:want|don'?t (?:see|think|know|understand|mean|have|need|care|get|want to (?:see|do))|do not (?:see|think|know|have))\b|\b(?:maybe|perhaps|whether)\b",
    r"^(?:can|could|would|will|should|do|does|did|is|are|was|were|what|why|how|where|when|which|who|have|has|shall|may|any|am)\b",
    r"\b(?:i (?:think|guess|wonder|see|get|got|just|tried|ran|have|had|did|am|was)|let me|it (?:looks|seems|says|is|was|still)|there (?:is|are|was|were)|here is|here'?s)\b",
    r"\bdon'?t (?:worry|mind|bother)\b|^(?:the|a|every) \w+ (?:always|never) \w+s\b",
    r"\b(?:please )?(?:continue|proceed|go ahead|go on)\b",
)  # fmt: skip
# Words that only point at something said before.
POINTING = re.compile(
    r"^(?:please |so |and |but |then |also |ok(?:ay)?,? |no,? |just )*(?:it|this|that|these|those|they|them|he|she|both|such|same)\b",
    re.IGNORECASE,
)
POINTING_AT = re.compile(
    r"^(?:please )?(?:remember|keep|note|do|use|fix|change|update|add|remove)\s+(?:it|this|that|these|those|them)\b[.!]?$",
    re.IGNORECASE,
)
NEGATION = re.compile(
    r"\b(?:not|no|never|none|without|cannot|nothing|neither|nor|avoid|stop|instead|no longer)\b|n't\b|\b(?:do|did|does|wo|ca|is|are|was|should|would|could|have)nt\b"
    r"|\b(?:nicht|kein\w*|nie\w*|ohne|statt)\b|\b(?:no|nunca|sin|jamás|não|sem|nem|jamais)\b|\b(?:не|нет|нельзя|никогда|без)\b"
    r"|不|没|别|勿|禁止|ない|ません|禁",
    re.IGNORECASE,
)
