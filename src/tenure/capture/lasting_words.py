# ruff: noqa: E501 - lists of words read better in one line
"""Words by which a person states something that lasts, per language, as data.

`EXPLICIT` asks for remembering in so many words unless it is an `OWN_PLAN`, `LASTING` states a rule, `REPROACH` says that what came before was
wrong. English, Chinese, Spanish, Portuguese,
Japanese, Russian and French were tried on real sessions; how far is in docs/howto/capture.md. Italian is untried.
"""

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
# A rule that holds beyond the moment.
LASTING = _any(
    r"\b(?:keep|bear) in mind(?: that|,|:)",
    r"\b(?:after|before|as|with|at the end of) (?:each|every) (?:task|step|change|commit|feature|phase|edit|fix|session|response|answer|merge|release)\b",
    r"\b(?:keep|answer|respond|reply|speak|talk)\b[^.,;]{0,30}\bin (?:english|german|spanish|french|italian|russian|japanese|chinese|portuguese|korean)\b|\b(?:responde|contesta|habla|parle|réponds|sprich|antworte|responda|fale)\b[^.,;]{0,30}\b(?:en|auf|em) (?:español|castellano|inglés|français|anglais|deutsch|englisch|português|inglês)\b|用(?:中文|英文)(?:回答|回复)|日本語で(?:答え|回答|返)",
    r"\b(?:always|never|at all times|every ?time|in all cases|under no circumstances|as a rule|don'?t ever|each time)\b",
    r"\b(?:we|i) (?:always|never|no longer)\b|(?:^|[,;] )(?:we|i) (?:prefer|usually)\b|\bwe (?:don'?t|do not|only)\b",
    r"\bi (?:don'?t|do not) (?:want|like|ever|use|accept|allow)\b|\bunless i (?:ask|say|tell)\b|\b(?:as|like) i (?:said|told|asked)\b",
    r"\b(?:i|we)(?:'d| would) (?:prefer|rather)\b|\bi (?:hate|don'?t like) (?:it when|when|to)\b",
    r"\b(?:must|should|shall|may|ought to)(?:n'?t| not| never| always)\b|\b(?:we|you|they|all|every\w*|each|any|nothing|rules?|tests?|there) (?:[\w`./-]+ ){0,3}must\b|\bneeds? to always\b",
    r"^(?:please )?(?:do not|don'?t(?! forget)|avoid|no more|no need (?:for|to))\b",
    r"\byou(?:'re| are) (?:supposed to|editing|still in|in the (?:main|wrong|other))\b|\byou (?:forgot|ignored|left out|should have|shouldn'?t have|weren'?t supposed)\b",
    r"\b(?:our|the project'?s?) (?:convention|policy|standard|guideline)s?\b|\bi (?:already )?(?:told|asked) you\b",
    r"\b(?:immer(?! (?:noch|wieder|mehr|wenn|öfter))|nie(?:mals)?|stets|auf keinen fall|keinesfalls|grundsätzlich)\b|\bich (?:will|möchte) (?:\w+ ){0,3}(?:nicht|keine?n?)\b|\bdarf(?:st)? (?:\w+ ){0,3}(?:nicht|nie|keine?n?)\b|^(?:bitte )?keine? \w+ (?:mehr|ohne|außer)\b|\bhör auf\b",
    r"\b(?:siempre|nunca|jam[aá]s)\b|^no (?:hagas|uses|pongas|borres|cambies|toques|crees|generes|agregues|modifiques|inventes|elimines|me (?:muestres|des|digas|hagas))\b|\bno (?:quiero|queremos)\b(?! (?:es[aeo]s?|est[aeo]s?|ver|seleccionar)\b)|\bte (?:dije|ped[ií]) que\b|\bdej[aá] de \w+[aei]r\b|\btodo se (?:debe|tiene que)\b",
    r"\b(?:sempre|jamais|nunca)\b|^não (?:faça|use|altere|mexa|crie|apague|invente|remova|adicione|modifique)\b|\bnão quero\b(?! (?:ess[ae]|est[ae]|ver)\b)|\b(?:já|eu) (?:te )?(?:disse|falei|pedi) (?:que|para)\b|\bpare de \w+r\b",
    r"\b(?:всегда|никогда|нельзя|обязательно)\b|^(?:и |но |только |пожалуйста,? )*не (?:надо|нужно|трогай|меняй|делай|используй|создавай|пиши|добавляй|удаляй|придумывай)(?:те)?\b|\bперестань\b|\bя (?:же )?(?:тебе )?(?:говорил|сказал|просил)а?\b|\bбольше не \w+й\b",
    r"(?:总是|永远|始终|必须|务必|一律|禁止|统一用|一定要)|^(?:不要|别)",
    r"\bje ne veux (?:pas|plus|jamais)\b|\b(?:jamais)\b|\b(?:dois|doit|doivent|faut|utilise|fais|garde) toujours\b|\bil ne faut (?:pas|jamais)\b|\b(?:tu|vous|on|il) ne (?:dois|devez|doit) (?:pas|jamais)\b|\barr[êe]te de \w+r\b|\bje t'ai (?:déjà )?(?:dit|demandé)\b",
    r"\bnon voglio\b|^non (?:usare|creare|modificare|toccare|cambiare|fare)\b",
    r"(?:必ず|絶対に?|(?<![正異通非])常に|いつも|毎回|禁止|してはいけない)",
)  # fmt: skip
# How a rule is put in passing: as a contrast, as something to see to, or as a limit. Only what held in at least two
# repositories of the tuned half stands here; words of one person alone did not hold in others.
INSISTING = _any(
    r"^(?!.*\b(?:this|these|those) (?!project|repo|codebase)).*\w, (?:and |but )?not (?!sure|yet|only|just|too|so|even|that|bad|working)\w",
    r"^(?:please |also,? |and |but |so |we (?:also )?need to )*(?:make|be) sure (?:to|you|we|that you|that we|(?:that )?(?:all|every|each|no))\b(?!.*\b(?:also|too|as well|this|these|those|them)\b)",
    r"^(?:so )?(?:we (?:don'?t|do not)|no|there'?s no|there is no) need (?:for|to|any)?\b(?!.*\b(?:any ?more|now|yet)\b)",
    # How something is to be, said of all its kind; of one thing it is the task at hand.
    r"^(?!.*\b(?:which|if|whether)\b)(?:(?:also|but|and|so),? )?(?:each|every|all|any|we) (?:[\w`./-]+ ){0,6}should (?!also be able|be able|have|work|see|do|not)\w",
    r"^(?:and |also |please |but )*keep (?!going|on|it\b|this\b|that\b|these\b|those\b|them\b|working|trying|moving|debugging|me\b|up\b)\w",
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
MOMENT = re.compile(
    r"\b(?:for now|right now|this time|just (?:this )?once|today|at the moment|for the moment|temporar(?:y|ily)|in this (?:pr|session|case|task|commit)|one more time|currently|still (?:not|see|get|have|the))\b",
    re.IGNORECASE,
)
PASSING = _any(
    MOMENT.pattern,
    r"\b(?:i|we) (?:want|don'?t (?:see|think|know|understand|mean|have|need|care|get|want to (?:see|do))|do not (?:see|think|know|have))\b|\b(?:maybe|perhaps|whether)\b",
    r"^(?:can|could|would|will|should|do(?! not)|does|did|is|are|was|were|what|why|how|which|who|has|shall|may|am)\b|^(?:where|when) (?:did|do|does|is|are|was|were|will|can|could|should|would)\b|^have (?:you|we|they|i)\b|^any (?:ideas?|updates?|chance|way|news|thoughts?|luck|progress|other|more)\b",
    r"\b(?:i (?:think|guess|wonder|see|get|got|just|tried|ran|have|had|did|am|was)|let me|it (?:looks|seems|says|is|was|still)|there (?:is|are|was|were)|here is|here'?s)\b",
    r"\b(?:do not|don'?t) (?:worry|mind|bother|pay attention)\b|\bnothing else\b|\bi (?:wanna|need to)\b|^the (?:change|fix) must\b|\b(?:always|never) (?!this|less|us\b|as\b|its\b)\w+[^\Ws]s\b",
    r"\b(?:please )?(?:continue|proceed|go ahead|go on)\b|\bkeep (?:a?head|with)\b|\bskip (?:it|that|this)\b|^(?:argh|damn|ah|otherwise|correction|to my understanding|i would say|only the|both)\b|^[,;:)]|\{[\"']|[?？] ?\w",
    # Displeasure with the course of things, and orders about what the agent has just made.
    r"^every ?time (?:you|it|i|we) [^,]*$|\bmake (?:any |no )?progress\b|^(?:remove|add|change|move|fix|delete|drop|put|make) (?:it|them|this|that|these|those)\b",
    # What happened or did not: "I never saw it open", "it seems to never finish", "we never dealt with it".
    r"\b(?:i|it|we|they|he|she|that) never (?!ever|use|used to|do|want|commit|push|run|write|add|change)(?:\w+ed|\w+t|saw|got|had|did|was|were|came|knew|made|ran)\b|\bseems? to (?:always|never)\b|\byo nunca (?:\d|\w+[íi]\b)|\bsiempre (?:me )?(?:sale|aparece|falla)",
    # What the person looks for, likes or no longer knows, a slip, and an order to talk instead of acting.
    r"\bi'?m (?:looking|trying|thinking|hoping|wondering|asking|not (?:sure|asking|looking))\b|\bi like (?:it|that|this)\b|\bi no longer (?:recall|remember|know|see|understand|get|have)\b",
    r"^(?:whoops|oops|hmm+|ugh)\b|\bnot limited to\b|\b(?:do not|don'?t) take (?:any )?action\b|\bjust (?:tell|show|explain|answer|list)\b|\bthe current (?:plan|task|step|change|issue)\b",
    # Not yet, not always, and nothing for the moment: "don't write any code".
    r"\byet\b|\b(?:noch nicht|todavía no|ainda não|пока не|pas encore)\b|还没|先不|まだ|(?:\bnot|n'?t)(?: need to)? always\b|\bsame every time\b",
    r"\b(?:do not|don'?t) (?:write|do|run|make|change|implement|start|edit|touch|say|add) (?:any |a )?(?:code|anything|nothing|changes?|something|else|more)\b",
)  # fmt: skip
# Displeasure with what is there: it names no rule, unless the sentence goes on with one.
COMPLAINT = re.compile(
    r"^(?:and |but |so |also |well,? |ok(?:ay)?,? )*(?:i (?:(?:really|still|also) )?(?:don'?t|do not|didn'?t) (?:really )?(?:like|love) (?:the|this|that|these|those|it(?! when)|how|what|where|your|any of)\b"
    r"|i (?:really )?hate (?:the|this|that|these|those|it(?! when)|how|what|your)\b|you (?:just )?(?:keep|kept) (?:on )?\w+ing\b)",
    re.IGNORECASE,
)
CARRIES_RULE = re.compile(
    r"\b(?:instead|unless|should (?:never|always|not)|must (?:never|always|not))\b"
    r"|(?:[,;:–-] ?|\b(?:so|and|but|please) )(?:please |just )?(?:never|always|stop|use|prefer|avoid|do not|don'?t|no more|keep|make sure)\b",
    re.IGNORECASE,
)
# The look and the behaviour of what is being built: what is asked of it is the task at hand.
LOOKS = re.compile(
    r"\b(?:ax[ie]s|buttons?|tables?|columns?|cols?|rows?|tooltips?|charts?|graphs?|colou?rs?|pages?|screens?|tabs?|menus?|icons?|pop-?ups?|modals?"
    r"|headers?|footers?|sidebars?|layouts?|cards?|panels?|views?|widgets?|grids?|drop-?downs?|check-?box(?:es)?|filters?|legends?|labels?|ticks?|circles?|colou?r(?:ed|ing)|scaling|truncation|opacity|modal(?:es)?|placeholders?|logos?|navigation|visible|display(?:s|ed)?|fonts?|clicks?|scroll\w*|padding|margins?|users? (?:can|should|must)"
    r"|bot[oó]n(?:es)?|pantallas?|tablas?|columnas?|formularios?|carrito|men[uú]|bot(?:ão|ões)|telas?|tabelas?|colunas?|schaltfläche\w*|spalten?|tabellen?|bildschirm"
    r"|boutons?|onglets?|écrans?|colonnes?|кнопк\w+|страниц\w+|таблиц\w+|экран\w*)\b|按钮|页面|表格|颜色|界面|ボタン|画面|表示",
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
