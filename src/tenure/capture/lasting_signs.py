"""Signs that a sentence of the person's states something lasting or something passing, in all languages at once, as
data.

A sign concerns the form of a sentence: it forbids something, describes how we work, or names one thing. No sign
decides alone: `lasting` adds up their weights, which `scripts/fit_lasting.py` fits on the people judged in
scripts/data/learning. A sentence with one of the signs in `PASSING` is never a rule.
"""

# ruff: noqa: E501 - lists of words read better in one line
from __future__ import annotations

import re


def _any(*parts: str) -> re.Pattern[str]:
    return re.compile("|".join(parts), re.IGNORECASE)


SIGNS = {
    "always or never": _any(
        r"\b(?:always|never|at all times|every ?time|each time|in all cases|under no circumstances|as a rule|ever again|don'?t ever|(?:not|n't)\b[^.;]{0,40} ever\b|by default|no longer|no more|any ?more)\b",
        r"\b(?:immer(?! (?:noch|wieder|mehr|wenn|öfter))|nie(?:mals)?|stets|auf keinen fall|grundsätzlich|jedes mal)\b",
        r"\b(?:siempre|nunca|jam[aá]s|sempre|toda vez|cada vez|ya no|toujours|à chaque fois|mai)\b",
        r"\b(?:всегда|никогда|каждый раз|больше не|по умолчанию)\b",
        r"总是|永远|始终|一律|每次|不再|默认|一直|都要|都不|必ず|絶対に?|(?<![正異通非])常に|いつも|毎回",
    ),
    "every or all": _any(
        r"\b(?:every|each|all|any|everything|anything|everywhere|nothing|none|whole|entire)\b",
        r"\b(?:alle[rsnm]?|jede[rsnm]?|todo|todos|todas?|cada|cualquier|qualquer|tudo|tous|toutes|chaque|tout|все|всех|каждый|каждую|каждого|везде|любо\w+)\b",
        r"所有|每个|全部|任何|各个|都|全て|すべて|全部|各|全体",
    ),
    "must": _any(
        r"\b(?:must|shall|should|ought to|(?:has|have|needs?) to|supposed to|required|mandatory|need(?:s)? (?:a|an|the|all|every)\b)",
        r"\b(?:muss|müssen|soll(?:en|te|ten)?|darf|debe\w*|tienen? que|hay que|deve\w*|tem que|precisa\w*|dois|doit|doivent|devez|faut|должн\w+|нужно|надо|необходимо|обязательно|нельзя)\b",
        r"必须|应该|务必|需要|要求|一定要|べき|必要|なければ|ないといけない|必須",
    ),
    "must not": _any(
        r"(?<!\bi )\b(?:must|should|shall|may|can|ought to|do|need)(?:n'?t| not| never)\b(?! (?:think|tink|believe|know|like)\b)|\bcannot\b|\bno need\b|\bnot (?:allowed|need(?:ed)?|necessary|permitted|supposed)\b",
        r"\bdarf(?:st)? (?:\w+ ){0,3}(?:nicht|nie|keine?n?)\b|\bno (?:debe\w*|quiero|queremos|hace falta|hay que)\b|\bnão (?:deve\w*|quero|precisa)\b|\bne (?:dois|doit|doivent|faut|veux)\w* (?:pas|plus|jamais)\b|\bне (?:надо|нужно|должн\w+)\b|\bнельзя\b",
        r"不要|不能|不需要|不可以|不用|禁止|不应|别|してはいけない|ないで|必要(?:は(?:あり|ない)|ない)|ないように|禁止|不要",
    ),
    "opens forbidding": _any(
        r"^(?:please,? |and |but |so |also,? |no,? |just |only )*(?:do not|don'?t|dont|avoid|never|no|stop|not)\b(?! (?:forget|worry|mind|idea|problem)\b)",
        r"^(?:por favor,? |y |e |mas |pero )*(?:no (?!se|es|hay|sé|funciona)\w+[aeo]s?\b|não (?:\w+[ae]|quero)\b|nunca|ne \w+ pas|keine?n?\b|nicht|не \w+й(?:те)?\b|не (?:надо|нужно)|нельзя|non \w+re\b)",
        r"^(?:请)?(?:不要|别|禁止|不用|不需要)",
    ),
    "one thing, not another": _any(
        r"\b(?:instead of|rather than|in favou?r of|as opposed to|over using)\b|\w, (?:and |but )?not (?!sure|yet|only|just|too|so|even|that|bad|working)\w|\binstead\b",
        r"\b(?:statt|anstatt|sondern|en lugar de|en vez de|sino|em vez de|ao inv[eé]s de|au lieu de|plutôt que|а не|вместо|invece di)\b",
        r"而不是|而非|改用|代替|ではなく|じゃなくて|代わりに",
    ),
    "see to it": _any(
        r"\b(?:make sure|be sure|ensure|ensuring|making sure|keep in mind|bear in mind|note that|be careful|take care|pay attention)\b",
        r"\b(?:achte|stell(?:e)? sicher|asegúr\w+|asegur\w+|ten en cuenta|ojo|garanta|certifique|tenha|assure|fais attention|убедись|учти|имей в виду|не забудь)\b",
        r"确保|保证|注意|记得|気をつけ|注意して|ように(?:して|する|お願い)",
    ),
    "way of doing": _any(
        r"^(?:please,? |and |but |so |also,? |no,? |just |only |then |always |never |we |you |let'?s |yes,? |ok(?:ay)?,? )*(?:use|using|prefer|keep|follow|stick|respect|adhere|maintain|avoid|leave|treat|limit|refer|ask|answer|respond|reply|speak|write|commit|test|name|document|verify|validate|check|run|read|work|stay|do all)\b",
        r"^(?:por favor,? |y |e )*(?:usa|utiliza|utilize|use|mant[eé]n|mantenha|respeta|respeite|sigue|siga|incluye|inclua|prefiero|evita|evite|responde|responda|habla|utilise|garde|respecte|réponds|parle|verwende|benutze|nutze|halte|schreib\w*|antworte|используй|пиши|соблюдай|проверяй|отвечай)\b",
        r"^(?:请)?(?:使用|用|按照|遵守|遵循|保持|统一|采用|严格)|使って(?:ください)?|(?:を|で)(?:使用|利用)|従って|守って",
    ),
    "use": _any(
        r"\b(?:use|uses|using|stick|prefer(?:red)?)\b|\b(?:usar|usa[rn]?|utiliz\w+|utilis\w+|verwend\w+|benutz\w+|использ\w+|usare)\b|使用|用|使",
    ),
    "I want": _any(
        r"\bi(?:'d| would)? (?:(?:really|always|also|just|only|still) )?(?:want|prefer|like|need|hate|love|expect|rather)\b|\bi (?:don'?t|do not|never) (?:want|like|need|ever|accept|allow|use)\b|\bi(?:'d| would) (?:like|prefer|rather)\b",
        r"\b(?:ich (?:will|möchte|hätte|brauche)|quiero|quero|prefiero|prefiro|necesito|je (?:veux|voudrais|souhaite|préf[èe]re\w*)|хочу|voglio)\b|我(?:想|要|希望|不想)|ほしい|欲しい|たい(?:です)?$",
    ),
    "we do": _any(
        r"\b(?:we|our|ours|us)\b(?! (?:can|could|should have|got|saw|tried))|\b(?:wir|unser\w*|nosotros|nuestr\w+|nossa?s?|nós|nous|notre|nos|мы|наш\w*)\b|我们|私たち|うち(?:の|は)",
    ),
    "opens with we": _any(
        r"^(?:and |but |so |also,? |no,? |yes,? |ok(?:ay)?,? )*(?:we|our)\b|^(?:wir|nosotros|nous|мы|我们)",
    ),
    "speaks of the agent": _any(
        r"\b(?:you|your|yourself)\b|\b(?:du|dir|dich|tú|tu|te|você|vous|ты|тебе|твой)\b|你",
    ),
    "opens with a thing": _any(
        r"^(?:the|a|an|this|that|each|every|all|any|our|my|your|el|la|los|las|der|die|das|le|les)\b [^,;]{2,60}?\b(?:should|must|needs?|has|have|is|are|will|can|debe\w*|doit|muss|soll\w*)\b",
    ),
    "said before": _any(
        r"\b(?:as|like) i (?:said|told|asked|mentioned)\b|\bi (?:already |just )?(?:told|asked|said)\b|\bi (?:didn'?t|did not|never) (?:ask|tell|say|want)\w*\b|\byou (?:forgot|ignored|left out|should(?:n'?t)? have|weren'?t supposed|were supposed|skipped|keep \w+ing)\b|\bagain\b",
        r"\b(?:te (?:dije|ped[ií])|ya te|já (?:te )?(?:disse|falei|pedi)|eu (?:disse|pedi)|je t'ai (?:déjà )?(?:dit|demandé)|ich habe (?:dir )?(?:schon )?gesagt|я (?:же )?(?:тебе )?(?:говорил|сказал|просил)а?)\b|我说过|我不是说|言った|言いました|また",
    ),
    "you did it wrong": _any(
        r"\byou(?:'re| are)? (?:not |still |just )?(?:edited|updated|modified|committed|changed|making|editing|using|pushed|used|wrote|put|deleted|removed|created|did|broke|missed|ignored)\b|\bwhy (?:did|are|were|didn'?t|don'?t|aren'?t|have|haven'?t) you\b|\bwhy (?:did|are) we\b",
        r"\bwarum hast du\b|\bpor qu[eé] (?:has|hiciste|você|voc[eê])\b|\bpourquoi (?:tu|as-tu)\b|\b(?:почему|зачем) ты\b|你(?:怎么|为什么|没)|なぜ.*(?:した|して)",
    ),
    "how we work": _any(
        r"\b(?:commit(?:s|ted|ting)?|push(?:es|ed|ing)?|branch(?:es)?|merge[sd]?|pull requests?|prs?|rebase|force-push|squash|changelog|release|versions?|tests?|testing|tdd|unit|e2e|coverage|mocks?|lint(?:er|ing)?|ruff|mypy|eslint|prettier|typecheck|types?|typed|format(?:ting|ted)?|conventions?|conventional|style|naming|names?|rules?|guidelines?|standards?|patterns?|principles?|practices?|architecture|docs?|documentation|readme|comments?|docstrings?|markdown|md|agents?|subagents?|claude|cursor|memory|instructions?|workflow|process|steps?|tasks?|dependenc(?:y|ies)|packages?|librar(?:y|ies)|npm|pnpm|yarn|bun|uv|pip|docker|ci|secrets?|credentials?|keys?|env|backups?|permission|approval|confirm(?:ation)?|english|scripts?|files?|folders?|directory|repo(?:sitory)?|codebase|project|refactor\w*|backwards?|compatib\w+|legacy|production|staging|deploy\w*|build|logs?|errors?|workspace|session|code)\b",
        r"\b(?:pruebas?|testes?|documentaci[oó]n|documenta[cç][aã]o|reglas?|regras?|archivos?|arquivos?|c[oó]digo|comentarios?|comentários?|proyecto|projeto|rama|carpeta|tests?|fichiers?|commentaires?|règles?|projet|branche|regeln?|dateien?|kommentare?|projekt|тест\w*|документац\w+|правил\w*|файл\w*|код\w*|коммит\w*|проект\w*|ветк\w+)\b",
        r"提交|推送|分支|测试|文档|规则|规范|代码|注释|项目|目录|文件|部署|脚本|コミット|プッシュ|ブランチ|テスト|ドキュメント|ルール|コード|コメント|ファイル|リポジトリ|プロジェクト|仕様",
    ),
    "when or before": _any(
        r"\b(?:when(?:ever)?|before|after|until|unless|while|once|upon|if)\b",
        r"\b(?:wenn|bevor|nachdem|bis|sobald|cuando|antes de|después de|si|quando|antes|depois|se|quand|avant|après|lorsque|если|когда|перед|после|пока)\b",
        r"如果|当|之前|之后|的时候|时候?[，,]|場合|とき|前に|後に|たら",
    ),
    "only or without": _any(
        r"\b(?:only|without|except|just|solely|exclusively|nothing (?:else|but))\b",
        r"\b(?:nur|ohne|außer|solo|s[oó]lo|sin|excepto|apenas|somente|sem|seulement|sans|uniquement|только|без|кроме)\b",
        r"只|仅|只有|除了|だけ|のみ|以外",
    ),
    "can or could": _any(
        r"\b(?:able to|can|could|would|allow\w*|puede\w*|poder|pode\w*|peut|может|kann)\b|可以|能|できる",
    ),
    "does not work": _any(
        r"\b(?:errors?|fails?|failed|failing|failure|broken|bugs?|issue|problem|wrong|crash\w*|doesn'?t|didn'?t|isn'?t|wasn'?t|hasn'?t|aren'?t|missing|stuck|not work\w*)\b|\b(?:fehler|funktioniert|falla|erro|ошибк\w*|erreur|errore)\b|报错|错误|失败|问题|エラー|失敗",
    ),
    "asks me": _any(
        r"\b(?:tell|show|give|explain|ask|remind|help|let) (?:me|us)\b|告诉我|教えて",
    ),
    "several orders": _any(
        r"(?:,| and| y| und| et| e|，) (?:then |also )?(?:add|fix|create|implement|update|remove|delete|change|move|make|build|run|commit|push|check|show|write|do|go|put|let|set|test)\b",
    ),
    "names one thing": _any(
        r"`[^`]+`|https?://|@[\w./\\-]+|[\w-]+/[\w./-]+\.\w{1,5}\b|\b\w+\.(?:py|ts|tsx|js|jsx|go|rs|java|md|mdc|json|ya?ml|html|css|sql|sh)\b|#\d+|\btask ?#?\d+",
    ),
    "a figure": _any(
        r"\d",
    ),
    "a list item": _any(
        r"^(?:[-*•]|\d{1,2}[.)])\s",
    ),
    "please": _any(
        r"\bplease\b|\bpls\b|\bbitte\b|por favor|s'il (?:te|vous)|пожалуйста|请|ください|per favore",
    ),
    # The look and the behaviour of what is being built: what is asked of it is the task at hand.
    "how it looks": _any(
    r"\b(?:ax[ie]s|buttons?|tab bar|tables?|columns?|cols?|rows?|tooltips?|charts?|graphs?|colou?rs?|pages?|screens?|menus?|icons?|pop-?ups?|modals?"
        r"|headers?|footers?|sidebars?|layouts?|cards?|panels?|views?|widgets?|grids?|drop-?downs?|check-?box(?:es)?|filters?|legends?|labels?|ticks?|circles?|colou?r(?:ed|ing)|scaling|truncation|opacity|modal(?:es)?|placeholders?|logos?|navigation|visible|display(?:s|ed)?|fonts?|clicks?|scroll\w*|padding|margins?|users? (?:can|should|must)"
        r"|bot[oó]n(?:es)?|pantallas?|tablas?|columnas?|formularios?|carrito|men[uú]|bot(?:ão|ões)|telas?|tabelas?|colunas?|schaltfläche\w*|spalten?|tabellen?|bildschirm"
        r"|boutons?|onglets?|écrans?|colonnes?|кнопк\w+|страниц\w+|таблиц\w+|экран\w*)\b|按钮|页面|表格|颜色|界面|ボタン|画面|表示",
    ),
    # The parts of what is being built, and who uses it.
    "speaks of the product": _any(
        r"\b(?:app|game|page|site|website|screen|api|endpoint|server|bot|model|button|view|image|video|map|data|output|input|results?|values?|fields?|list|number|messages?|login|password|menu|order|price|product)\b",
    ),
    "speaks of users": _any(
        r"\b(?:users?|players?|customers?|clients?|admin|students?|guest|visitor)\b",
    ),
    # One thing at hand, not things of a kind.
    "opens with one thing": _any(
        r"^(?:\w+ ){0,2}(?:the|this|that)\b",
    ),
    "points at nothing": _any(
        r"^(?!.*\b(?:the|this|that|these|those|it|its|there|here|he|she|they|them)\b)",
    ),
    "says what is not": _any(
        # Not a reproach: "why didn't you …".
        r"(?<!why )\b(?:doesn'?t|didn'?t|isn'?t|wasn'?t|aren'?t|hasn'?t|haven'?t|couldn'?t|(?:does|did|is|are) not)\b",
    ),
    "opens as a report": _any(
        r"^(?:\w+ )?(?:i|it|there|he|they)\b",
    ),
    "tells of the past": _any(
        r"\b(?:was|were|had|got|did|tried|saw|noticed)\b",
    ),
    # What is, and what may be: few such sentences are rules.
    "reports": _any(
        r"\b(?:i (?:see|saw|get|got|just|tried|ran|had|did|am|was|noticed|found|can'?t|cannot|have|don'?t (?:see|understand|know|get))|i'm|i've|it (?:looks|seems|says|is|was|still|does|did|works?|fails?|shows?)|it's|there (?:is|are|was|were)|there's|here(?:'s| is| are)|this is|that is|that's|these are|looks like|seems)\b",
        r"\b(?:ich (?:sehe|habe|bin)|es (?:ist|gibt|geht)|veo|tengo|hay|está|estoy|vejo|tenho|tem|estou|je vois|j'ai|il y a|c'est|я вижу|у меня|есть|вижу|получаю|ho|c'è)\b",
        r"我(?:看|发现|现在|已经)|出现|报错|没有|显示|です。?$|ました|ています|ません|エラー",
    ),
    "doubts": _any(
        r"(?:\bnot|n'?t)(?: need to| have to)? always\b|\bi never (?!want|use|do)",
        r"\b(?:maybe|perhaps|whether|i think|i guess|i wonder|not sure|might|probably|possibly|hopefully|seem|suppose|what if|ideally|vielleicht|quiz[aá]s?|tal vez|creo|talvez|acho|peut-être|je pense|может|наверное|думаю|forse)\b|可能|也许|是不是|会不会|かも|思い",
    ),
}  # fmt: skip
# An order of the moment, a reminder, a question, a complaint, a sentence that points at another.
PASSING = {
    "reminds": _any(r"^(?:please,? |and |but |so |also,? )*(?:do not|don'?t) (?:forget|worry|mind|bother)\b"),
    "complains": _any(
        r"^every ?time (?:you|it|i|we) [^,]*$|^(?:whoops|oops|hmm+|ugh|argh)\b|^(?:only|just|both) the\b",
        r"^(?:and |but |so )*you (?:just )?(?:keep|kept) (?:on )?\w+ing\b(?!.*[,;] (?:please )?(?:never|always|don'?t|do not|stop|use)\b)",
    ),
    "asks": _any(
        r"[?？]\W*$|[吗呢](?:[，,。]|$)|(?:です|ます)か。?$",
        r"^(?:and |but |so |ok(?:ay)?,? |hey,? |also,? )*(?:can|could|would|will|should|do(?! not|n't)|does|did|is|are|was|were|what|why|how|which|who|where|has|have you|shall|may|am|any (?:ideas?|chance))\b",
        r"^(?:was|wie|warum|kann|qu[eé]|c[oó]mo|por qu[eé]|puedes|podr[ií]as|o que|como|por que|pode|est-ce|comment|pourquoi|peux|что|как|почему|зачем|можешь|можно)\b",
    ),
    "opens pointing": _any(
        r"^(?:please |so |and |but |then |also |ok(?:ay)?,? |no,? |just )*(?:it|this|that|these|those|they|them|he|she|both|such|same)\b|^(?:esto|eso|isso|isto|ça|это|das|dies)\b|^(?:这|那|これ|それ|この|その)",
    ),
    "for now": _any(
        r"\b(?:for now|right now|now|this time|just (?:this )?once|today|tonight|tomorrow|at the moment|for the moment|temporar(?:y|ily)|currently|one more time|yet|still|first,|next,?|then|later|in this (?:pr|session|case|task|commit)|continue|proceed|go ahead|go on)\b(?! on\b)",
        r"\b(?:jetzt|heute|noch|erstmal|gerade|ahora|hoy|todavía|por ahora|agora|hoje|ainda|por enquanto|maintenant|pour l'instant|encore|сейчас|теперь|пока|сегодня|ещё|еще|adesso|ora)\b",
        r"现在|目前|这次|今天|还是|先|刚才|继续|今(?:は|の|すぐ)|現在|まだ|とりあえず|一旦|次に",
    ),
}  # fmt: skip
# A rule by its first words: always, never and must, or one thing named in place of another.
PLAIN = (
    _any(
        r"^(?:(?:when|if|before|after|for) [^,]{3,60}, )?(?:please,? |and |but |so |also,? |no,? |you (?:should |must )?|we (?:should |must )?|- )*(?:always|never|only ever|every time|whenever|must|siempre|nunca|sempre|jamais|immer|nie|niemals|всегда|никогда)\b",
        r"^(?:you|we|all|every\w*|each) (?:[\w-]+ )?(?:must|shall)\b|^(?:总是|永远|始终|必须|务必|每次|以后|严格|必ず|常に|絶対|毎回)",
    ),
    re.compile(
        r"^(?:we |please |just )?(?:use|prefer) [^.;]{2,60}?,? (?:not|instead of|rather than|over) (?!the same)\S",
        re.IGNORECASE,
    ),
)
