"""Words by which a sentence takes back what it names: prohibitions, moves, plans; data in the languages we read.

English, German, French, Spanish, Portuguese, Italian, Dutch, Polish, Russian, Turkish, Chinese, Japanese and Korean.
Words of languages with spaces are whole words, endings are written out as `\\w*`; the others match anywhere.
"""

from __future__ import annotations

import re


def spaced(*lists: str) -> str:
    """Return a pattern for whole words of lists parted by ` | `."""
    words = "|".join(word.replace(" ", r"\s+") for text in lists for word in text.split(" | "))
    return rf"(?<![\w-])(?:{words})(?![\w-])"


def dense(*lists: str) -> str:
    """Return a pattern for words of lists parted by spaces, wherever they stand."""
    return "|".join(word for text in lists for word in text.split())


_DENSE_NEGATION = {
    "chinese": re.compile(
        dense("不 未发现 未找到 暂无 尚无 禁止 严禁 嚴禁 勿 别 別 无需 無需 没有 沒有 避免 而非 代替 而是")
    ),
    "japanese": re.compile(dense("ない ません 禁止 避け ではなく 代わりに せず")),
    "korean": re.compile("않|마세요|마십시오|말 것|금지|하지 마|대신|없"),
}
_KANA = re.compile(r"[\u3041-\u30ff]")
_HANGUL = re.compile(r"[\uac00-\ud7af]")
_NEGATION = re.compile(
    spaced(
        r"not | never | no | nor | neither | avoid\w* | without | cannot | \w+n['’]t | dont | forbid\w* | forbidden",
        r"prohibit\w* | refrain | stop | rather than | instead of | unless | disallow\w* | banned | nothing | none",
        r"hands off | off limits | off-limits | (?:leave|left) (?:\w+ )?alone | out of bounds",
        r"nicht | nie | niemals | kein\w* | ohne | vermeid\w* | verbot\w* | statt | anstatt | keinesfalls | weder",
        r"nichts | finger weg | untersag\w* | unterlass\w* | tabu",
        r"ne | pas | jamais | évite\w* | sans | interdit\w* | au lieu de | plutôt que | aucun\w* | rien",
        r"défense de | défendu\w* | proscri\w* | s'abstenir",
        r"nunca | jamás | evita\w* | evite\w* | sin | prohibid\w* | en lugar de | en vez de | tampoco | ningún\w*",
        r"não | jamais | sem | proibid\w* | em vez de | ao invés de | nenhum\w*",
        r"non | mai | senza | vietat\w* | invece di | nessun\w*",
        r"niet | nooit | geen | vermijd\w* | zonder | verboden | in plaats van",
        r"nie | nigdy | bez | unikaj\w* | zamiast",
        r"не | нельзя | никогда | избега\w* | без | запрещ\w* | вместо | ни",
        r"değil | asla | sakın | yerine | \w+m[ae]y[ıi]n\w*",
    )
    + r"|\b[nd]['’](?=\w)",
    re.I,
)


def is_verb_final(text: str) -> bool:
    """Return whether the sentence is of a language that says what is done after what it is done to."""
    return _KANA.search(text) is not None or _HANGUL.search(text) is not None


def denies(text: str) -> bool:
    """Return whether the text forbids or denies something."""
    # Chinese and Japanese share characters that mean different things: `不要` is "do not" or "unneeded".
    script = "japanese" if _KANA.search(text) else "korean" if _HANGUL.search(text) else "chinese"
    return _NEGATION.search(text) is not None or _DENSE_NEGATION[script].search(text) is not None


# The thing moved, or there is an old and a new one: what the sentence names need not be there.
CHANGE = re.compile(
    spaced(
        r"mov(?:e|es|ed|ing) | renam\w* | migrat\w* | replac\w* | switch\w* | port(?:ed|ing) | convert\w*",
        r"supersed\w*",
        r"deprecat\w* | legacy | old | older | former | formerly | previous | previously | used to | was | were",
        r"became",
        r"remov\w* | delet\w* | drop(?:ped|s|ping)? | retir\w* | no longer | obsolete | historical\w*",
        r"originally | gone",
        r"now | went | came | from \S+ to",
        r"verschoben | verschiebe\w* | umbenannt | umbenenne\w* | migrier\w* | ersetz\w* | früher\w*",
        r"ehemal\w* | veraltet\w*",
        r"alte\w* | gelöscht | entfern\w* | wurde\w* | jetzt",
        r"déplac\w* | renomm\w* | migr\w* | remplac\w* | ancien\w* | auparavant | obsolète\w* | supprim\w*",
        r"désormais",
        r"movid\w* | mover | mueve | renombr\w* | reemplaz\w* | sustitu\w* | antigu\w* | obsolet\w*",
        r"eliminad\w* | ahora",
        r"movido\w* | renomead\w* | substitu\w* | antig\w* | removid\w* | agora",
        r"spostat\w* | rinominat\w* | sostituit\w* | vecchi\w* | rimoss\w* | adesso",
        r"verplaatst | hernoemd | vervangen | oude | verwijderd",
        r"przeniesion\w* | zmienion\w* | zastąpion\w* | stary | usunięt\w*",
        r"перемещ\w* | перенес\w* | переименов\w* | мигр\w* | замен\w* | стар\w* | устарел\w* | удал\w* | теперь",
        r"taşındı | eski | silindi | değiştirildi",
    )
    + r"|→|⇒|➜|➔|⟶|↦|(?<![-<])-{1,2}>|=>|"
    + dense(
        "迁移 遷移 移动 移動 移至 移到 重命名 改名 替换 替換 替代 改为 改為",
        "旧 舊 废弃 廢棄 弃用 原来 以前 曾 删除",
        "移行 置き換え 廃止 非推奨 削除 以前",
        "이동 변경 마이그레이션 대체 이전 폐기 삭제",
    ),
    re.I,
)
# The thing is made by whoever follows the sentence, or need not be there.
MAKING = re.compile(
    spaced(
        r"creat\w* | generat\w* | wr(?:ite|ites|itten|iting|ote) | outputs? | produc\w* | emit\w* | sav(?:e|es|ed|ing)",
        r"mkdir | scaffold\w* | copy | copies | copied | paste | place | put",
        r"planned | todo | tbd | future | propos\w* | draft\w*",
        r"download\w* | export\w* | dump\w* | record\w*",
        r"append\w* | ignored? | gitignored? | untracked",
        r"hypothetical\w* | imagine",
        r"erstell\w* | anleg\w* | angelegt | erzeug\w* | schreib\w*",
        r"cré\w* | génér\w* | écri\w* | ajout\w*",
        r"crea\w* | gener\w* | escrib\w* | añad\w* | agreg\w*",
        r"cri(?:e|ar|a) | gera\w* | escrev\w* | adicion\w*",
        r"созда\w* | генерир\w* | запис\w*",
    )
    + "|"
    + dense(
        "创建 創建 新建 生成 写入 寫入 输出 輸出 新增 添加 记录",
        "作成 追加 出力 書く 書き 記録 保存",
        "생성 작성 추가 만들",
    ),
    re.I,
)
# The thing may be made, or be there or not; what a page named so while it was there was meant all the same.
CONDITION = re.compile(
    spaced(
        r"add | adds | adding | new | will | would | could | might | may | optional\w* | if | example | examples",
        r"build | builds | built | compiled? | install\w* | render\w* | store[sd]? | cached? | log | logs",
        r"neue\w* | falls | wenn | nouve\w* | si | nuev\w* | nov[oa]s? | нов\w* | если",
    )
    + "|"
    + dense("如果 若"),
    re.I,
)
# "Add a method in `a.py`": it is the method that is made, and the file has to be there.
ADDED_TO = re.compile(r"(?<![\w-])(?:add|adds|adding)\s(?:.*\s)?(?:in|to|into|inside)(?:\s+the)?(?:\s+file)?$", re.I)
# The thing is somebody else's.
ELSEWHERE = re.compile(
    spaced(
        r"upstream | another | other | separate | different | external | sibling | downstream | that | their | its",
    )
    + r"(?:\s+[\w.-]+){0,2}\s+(?:repo|repos|repository|repositories|project|codebase|checkout|monorepo)\b"
    + r"|(?<![\w-])(?:in|of|from|on)\s+(?:the\s+)?(?!(?:the|this|our|a|your|each|every)\s)(?:[`\w./-]+\s+)"
    + r"(?:repo|repository)\b"
    + r"|(?<![\w-])upstream(?:'s)?(?![\w-])|其他仓库|另一个仓库|別のリポジトリ|다른 저장소",
    re.I,
)
# What follows is one of many, or none that is there.
EXAMPLE = re.compile(
    spaced(r"e\.g\. | eg | for example | for instance | such as | example | examples | ex\.? | sample | i\.e\.")
    + r"|(?<!\w)(?:e\.g\.|z\.\s?B\.|p\.\s?ex\.|par exemple|zum Beispiel|por ejemplo|por exemplo|ad esempio|bijv\.)"
    + r"|(?<!\w)(?:np\.|например|örneğin)"
    + r"|例如|比如|例[:：]|例えば|たとえば|예:|예를 들",
    re.I,
)
# In a drawing or a heading: what is to come.
PLANNED = re.compile(
    spaced(
        r"plan | plans | planned | planning | proposed | proposal | future | todo | tbd | upcoming | coming soon",
        r"roadmap",
        r"recommended | suggested | typical",
        r"phase \d\+?",
        r"to be created | will be | target structure | desired | wip | optional | new | geplant\w* | künftig\w*",
        r"planejad\w*",
        r"a criar | criar | planeado\w* | a crear | crear | à créer | prévu\w* | планир\w* | будущ\w*",
    )
    + r"|🔜|🚧|⏳|📝|🆕|将来|予定|计划|計画|規劃|规划|待办|未来|예정|계획",
    re.I,
)
# Right before a name: something else has its place now.
SUCCEEDS = re.compile(
    r"(?<![\w-])(?:replac(?:es|ed|ing)|supersed(?:es|ed|ing)|predecessor|formerly|previously"
    r"|ersetzt|remplace|reemplaza|substitui|sostituisce|vervangt|заменяет)(?![\w-])(?!\s+(?:by|with|durch|par|por)\b)"
    r"(?:\s+[\w’'-]+){0,5}\s+`?$|(?:取代了?|替代了?)\s*`?$",
    re.I,
)
