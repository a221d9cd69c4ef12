"""Words by which a person states something that lasts, per language, as data.

`EXPLICIT` asks for remembering in so many words unless it is an `OWN_PLAN`; whether another sentence lasts is weighed
in `lasting`. English, Chinese, Spanish, Portuguese, Japanese, Russian and French were tried on real sessions; how far is
in docs/howto/capture.md. Italian is untried.
"""

# ruff: noqa: E501 - lists of words read better in one line
from __future__ import annotations

import re


def _any(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(parts), re.IGNORECASE)


# "Remember", "from now on", "next time" and their like: the person asks for it to be kept.
EXPLICIT = _any(
    r"^(?:and |also |but |so |ok(?:ay)?,? |please )*(?:remember(?=[,:]| (?:that|to|we|you|our|never|always|not|don'?t|there|all|every)\b| the [\w-]+ (?:is|are|has|must|should)\b)|note for (?:the )?future)\b(?! (?:to also|you said)\b)",
    r"\b(?:please|must|should|always|to|you) remember(?:,| that| to|:)",
    r"\b(?:from now on|from now(?=,)|going forward|from here on|in (?:the )?future,|for future reference|in (?:all )?future (?:sessions|interactions|tasks|commits|prs))\b",
    r"^(?:and |but |so |also |please )*next time\b|\bnext time,? (?:you|please|use|don'?t|do|ask|check|run)\b",
    r"\b(?:add (?:this|that|it) to (?:your|the) (?:memory|rules)|commit (?:this|that) to memory)",
    # German, Spanish, Portuguese, Russian, French, Italian; "next time I …" is what the person will do.
    r"\b(?:merk(?:e)? dir|ab (?:jetzt|sofort)|(?:zu)?künftig|in zukunft|(?:beim )?nächste[ns]? mal(?! ich)|denk(?:e)? (?:daran|dran))\b",
    r"\b(?:recuerda (?:que|siempre)|a partir de ahora|de ahora en (?:m[aá]s|adelante)|en adelante)\b|^(?:y |pero |por favor,? )*la pr[oó]xima vez(?! (?:yo|voy))\b",
    r"\b(?:lembre(?:-se)?|a partir de agora|de agora em diante|daqui (?:pra|para) frente)\b|^(?:e |mas |por favor,? )*da pr[oó]xima vez(?! eu)\b",
    r"\b(?:запомни|впредь|отныне|в следующий раз|на будущее|с этого момента)",
    r"\b(?:dor[ée]navant|d[ée]sormais|à l'avenir)\b|^(?:et |mais )*la prochaine fois(?!,? (?:je|j'))\b|\b(?:d'ora|da ora) in (?:poi|avanti)\b",
    # Chinese, Japanese
    r"记住(?!我|密码|登录|账号|用户)|请记得|以后(?:都|要|不|请|你|所有|每)|今后|从现在(?:开始|起)|下次(?:你|请|不要|记得|要)",
    r"覚えて(?:おいて)?|今後(?:は|、|も|すべて|全て|必ず)|これからは|次回から|以降は",
)  # fmt: skip
# A reminder of something to do: it lasts where it says when or for what it holds.
REMINDER = re.compile(r"\b(?:remember to|lembre(?:-se)? de|denk(?:e)? (?:daran|dran)|请记得)", re.IGNORECASE)
GENERAL = _any(
    r"\b(?:always|never|when(?:ever)?|before|after|every|each|all|any|until|unless|instead of|only|sempre|nunca|siempre|immer|nie|antes|cada|vor|nach|jede[ns]?)\b|每|都|之前|之后",
)
# Words that are empty without what was said or shown before: what stands on them cannot be kept alone.
DANGLING = _any(
    r"\b(?:this|these|those)\b(?! (?:project|repo|repository|codebase|code base|app|workspace|machine|team|package|module|service|session|chat)\b)",
    r"\b(?:above|below|the (?:last|previous|next|first|second) (?:one|step|task|point|part|change))\b|^(?:both|only the|all of) ",
)
# The same words where the person tells of themselves: "next time I'll ask you to …", "so I don't forget". "From now on
# we use …" is a decision about the project, and "from now on I want …" asks for something.
OWN_PLAN = _any(
    r"\b(?:from now on|from now|going forward|from here on|in (?:the )?future|for future reference|next time),? (?:(?:and|then|so|maybe|perhaps) )?i(?:'ll|'m| will| won'?t| shall| am| might| may| can(?! you)| could|'d (?!like|prefer|rather)| would (?!like|prefer|rather)| should| must| have to| need to| want to| plan| intend| hope)\b",
    r"\bnext time,? (?:(?:and|then|so|maybe|perhaps) )?we(?:'ll|'re| will| won'?t| shall| are| might| may| can| could| should)\b",
    r"^(?:and |but |so |also |well,? |ok(?:ay)?,? |yes,? |no,? )*i(?:'ll|'m going| will| won'?t| shall| am going| plan| intend)\b",
    r"\bi (?:(?:will|should|must|need to|have to|want to|always|also|just|really|still|can) )*remember\b|\b(?:as|if|do|did|may|might) you remember\b|\b(?:i|we) (?:don'?t|do not|won'?t) forget\b",
    r"\b(?:ab (?:jetzt|sofort)|(?:zu)?künftig|in zukunft|nächste[ns]? mal),? (?!wenn|falls|sobald|will|möchte|erwarte|brauche|hätte|bitte|wünsche)\w+ ich\b|\bnächste[ns]? mal,? (?!wenn|falls|sobald)\w+ wir\b|^ich (?:werde|mache?|denke?)\b",
    r"\b(?:a partir de ahora|de ahora en (?:m[aá]s|adelante)|la pr[oó]xima vez|en adelante),? (?:yo |ya )?(?:voy|\w+ré)\b|\bla pr[oó]xima vez,? (?:vamos|\w+remos)\b|^(?:yo )?(?:voy a|\w+ré)\b|\bme recuerda\b",
    r"\b(?:a partir de agora|de agora em diante|daqui (?:pra|para) frente|da pr[oó]xima vez),? (?:eu )?(?:vou|\w+rei)\b|\bda pr[oó]xima vez,? (?:a gente|n[oó]s|vamos|\w+remos)\b|^(?:eu )?(?:vou|\w+rei)\b",
    r"\b(?:впредь|отныне|в следующий раз|на будущее|с этого момента),? (?:я|мы) (?!хо[чт]|прошу|предпоч|жду|бы)|^я (?:буду|запомн)|\bя (?:это )?запомн",
    r"\b(?:dor[ée]navant|d[ée]sormais|à l'avenir),? (?:je (?!veux|voudrais|souhait|préf|demand|t'|vous )|j'(?!aimer|atten|exig))|\bla prochaine fois,? (?:on|nous)\b|^je (?:vais|\w+rai)\b|\bin (?:poi|avanti),? (?:io )?\w+rò\b",
    r"我(?:会|要|已经|都|就|也)*(?:记住|记得)|我(?:以后|今后|下次)(?:都|会|要|不)(?!你)|(?:今后|从现在(?:开始|起))[，,]?我(?:会|来|将|自己|要(?!你|求))",
    r"(?:今後は|これからは|次回から|以降は)、?(?:私|僕|俺|こちら)(?:が|は|も)|覚えて(?:い[るまなたて]|[るまなた])",
)  # fmt: skip
# What asks something of the agent in a sentence that begins with the person's own plan.
ASKS_THE_AGENT = _any(
    r"\bplease\b|\byou (?:must|should|need|have to|can'?t|cannot|can|don'?t|will|shall|may|are to)\b",
    r"(?:[,;] (?:so |and |but |then )?|\b(?:so|but) )(?:always|never|only|use|make sure|stop|avoid|check|run|ask|keep)\b|\b(?:so|and|but|then|[,;]) ?(?:do not|don'?t)\b",
    r"\b(?:bitte|du (?:sollst|musst|darfst)|por favor|s'il (?:te|vous) pla[îi]t|per favore)\b|пожалуйста|请|不要|ください|下さい|しないで",
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
# Orders and states of the moment: their sentence is no rule, whatever else it holds.
MOMENT = re.compile(
    r"\b(?:for now|right now|this time|just (?:this )?once|today|at the moment|for the moment|temporar(?:y|ily)|in this (?:pr|session|case|task|commit)|one more time|currently|still (?:not|see|get|have|the))\b",
    re.IGNORECASE,
)
# Words that only point at something said before.
POINTING = re.compile(
    r"^(?:please |so |and |but |then |also |ok(?:ay)?,? |no,? |just )*(?:it|this|that|these|those|they|them|he|she|both|such|same)\b",
    re.IGNORECASE,
)
POINTING_AT = re.compile(
    r"^(?:please )?(?:remember|keep|note|do|use|fix|change|update|add|remove)\s+(?:it|this|that|these|those|them)\b[.!]?$",
    re.IGNORECASE,
)
# Forbids something that only the sentence before names.
FORBIDS_IT = re.compile(
    r"^(?:please )?(?:do not|don'?t|never) (?:ever )?\w+ (?:it|this|that|them)(?: (?:again|ever|any ?more))?[.!]*$",
    re.IGNORECASE,
)
NEGATION = re.compile(
    r"\b(?:not|no(?! matter)|never|none|without|cannot|nothing|neither|nor|avoid|stop|instead|no longer)\b|n't\b|\b(?:do|did|does|wo|ca|is|are|was|should|would|could|have)nt\b"
    r"|\b(?:nicht|kein\w*|nie\w*|ohne|statt)\b|\b(?:no|nunca|sin|jamás|não|sem|nem|jamais)\b|\b(?:не|нет|нельзя|никогда|без)\b"
    r"|不|没|别|勿|禁止|ない|ません|禁",
    re.IGNORECASE,
)
