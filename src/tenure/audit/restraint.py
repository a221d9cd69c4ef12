"""Words by which a sentence asks to leave alone what it names, without a "not": "read-only", "skip", "tout sauf".

Data in the languages of `moods`, asked only before an edit: too broad costs an edit that is not made, and no finding.
"""

from __future__ import annotations

import re

from tenure.audit.moods import dense, spaced

_HUMANS = r"(?:humans?|people|persons?|maintainers?|admins?|owners?)"
# Turkish says "do not" by a syllable at the verb's end, which a word of any other language may have.
_TURKISH_VERBS = (
    "dokun|kullan|düzenle|değiştir|sil|yaz|oku|aç|çalıştır|ekle|taşı|güncelle|bak|git|gir|elle|kopyala|oluştur"
)
_RESTRAINT = re.compile(
    spaced(
        r"(?:stay|keep|steer|stand|back|hold|lay)(?:s|ed|ing)? (?:\w+ )?(?:away|out|clear|off) | kept (?:away|out)",
        r"skip\w* | exclu(?:d|s)\w* | except\w* | omit\w* | ignor\w* | disregard\w* | bypass\w* | eschew\w* | shun\w*",
        r"(?:any|every|all|no)(?:thing|one|body|where)? (?:[\w-]+ ){0,3}but | other than | apart from | aside from",
        r"besides | save for | barring | abstain\w* | cease | quit | desist | refus\w* | reject\w* | declin\w*",
        r"den(?:y|ies|ied) | discourag\w* | resist\w* | beware | wary | hardly | rarely | seldom | barely | as is",
        r"as-is | as it is | as they are | alone | untouched | unchanged | unmodified | unedited | intact | read-only",
        r"readonly | read only | frozen | freez\w* | locked | immutable | protected | reserved | restricted | sacred",
        rf"sacrosanct | untouchable | blocked | barred | confidential | verboten | taboo | nobody | {_HUMANS} only",
        rf"only (?:by |for )?{_HUMANS} | by {_HUMANS} | for humans | whether | missing | absent | wrong | mistake",
        r"bad idea | harmful | dangerous | unsafe | illegal | risky | under penalty",
        r"ask (?:\w+ )?(?:before|first) | lost",
        r"(?:if|when|should) (?:you|we|one|somebody|someone|anyone) (?:\w+ ){0,2}(?:finds?|sees?|spots?|encounters?)",
        r"(?:if|when|is|are) (?:\S+ ){0,4}(?:exists?|still)",
        r"in ruhe | finger von | hände weg | fern | fernhalten | unverändert\w* | unberührt\w* | unangetastet\w*",
        r"unantastbar\w* | gesperrt\w* | schreibgeschützt\w* | geschützt\w* | eingefroren\w* | nur lesbar | nur lesen",
        r"außer | ausser | ausgenommen | ausnahme\w* | bis auf | überspring\w* | übersprungen | auslass\w*",
        r"weglass\w* | bleib\w* (?:\w+ ){0,3}weg | meide\w* | niemand\w* | hüte\w* | abstand | vorsicht",
        r"reserviert\w* | abgelehnt\w* | wie (?:es|er|sie) (?:ist|sind) | so lassen | lass\w* (?:\w+ ){0,3}so",
        r"verweiger\w* | falsch | unzulässig\w* | verloren",
        r"tel quel | telle quelle | tels quels | telles quelles | absten\w* | abstien\w* | gardez-vous | garde-toi",
        r"lecture seule | sauf | except\w* | hormis | à l['’]exception | mis à part | à part | inchangée?s?",
        r"intacte?s? | intouchable\w* | verrouill\w* | gelée?s? | protég\w* | réserv\w* | saut(?:e|ez|er)",
        r"tranquilles? | éloign\w* | refusé\w* | rejet\w* | méfi\w* | déconseill\w* | personne | en paix | loin",
        r"interdiction\w* | perdue?s?",
        r"salvo | excepto | exceptuando | todo menos | aparte de | absten\w* | abstente | s[oó]lo lectura",
        r"como están? | tal cual | intact[oa]s? | intocable\w* | bloquead\w* | congelad\w* | protegid\w*",
        r"reservad\w* | en paz | nadie | saltar | salta | sáltate | excluy\w* | rechaz\w* | al[eé]ja\w* | lejos",
        r"cuidado | prohibici\w* | se pierden",
        r"exceto | tudo menos | somente leitura | apenas leitura | só leitura | como estão? | em paz | intocáve\w*",
        r"pul(?:e|ar|em) | ninguém | afast\w* | abstenh\w* | rejeitad\w* | inalterad\w* | longe | proibiç\w*",
        r"tranne | eccetto | a parte | all['’]infuori | sola lettura | lasci\w* (?:\w+ )?(?:stare|così|in pace)",
        r"stare | com['’]è | in pace | intatt\w* | intoccabil\w* | bloccat\w* | congelat\w* | protett\w*",
        r"riservat\w* | saltare | salta | asten\w* | astien\w* | alla larga | lontano | invariat\w* | divieto",
        r"blijf\w* (?:\w+ ){0,4}(?:af|weg) | afblijven | wegblijven | behalve | uitgezonderd | met rust",
        r"alleen-lezen | alleen lezen | ongewijzigd | onaangeroerd | vergrendeld | bevroren | beschermd",
        r"handen (?:af|thuis) | overslaan | sla (?:\w+ ){0,3}over | negeer\w* | niemand | zoals het is | gereserveerd",
        r"geweigerd",
        r"oprócz | prócz | poza | z wyjątkiem | w spokoju | pomiń\w* | pomija\w* | ignoruj\w* | tylko do odczytu",
        r"zablokowan\w* | zamrożon\w* | chronion\w* | nienaruszon\w* | niezmienion\w* | nikt | z dala | omijaj\w*",
        r"zastrzeżon\w* | odrzucan\w* | zakaz\w* | zabron\w* | zabrania\w*",
        r"кроме | помимо | исключ\w* | за исключением | в покое | только для чтения | только чтение | заморож\w*",
        r"заблокир\w* | защищ\w* | неизмен\w* | нетронут\w* | пропус[кт]\w* | игнор\w* | подальше | воздерж\w*",
        r"никто | как есть | руки прочь | отклон\w* | зарезервир\w* | недопуст\w* | неприкоснов\w* | запрет\w*",
        r"dışında | hariç | haricinde | salt[ -]okunur | kilitli | korumalı | uzak | olduğu gibi | atla | atlay\w*",
        rf"yasak\w* | (?:{_TURKISH_VERBS})m[ae](?:y\w*|s[ıi]n\w*)?",
    )
    + "|"
    + dense(
        "跳过 跳過 略过 只读 只讀 唯读 唯讀 除了 除外 以外 之外",
        "排除 绕开 绕过 避开 远离 遠離 原样 原樣 锁定 鎖定 冻结 凍結",
        "受保护 受保護 忽略 慎 莫 拒绝 拒絕 仅限 僅限",
        "厳禁 除く 除き 除いて 読み取り専用 読取専用 触ら 触れず そのまま ロック 保護 無視 スキップ 飛ばし 飛ばす",
        "控え 遠慮 やめ 不可 禁物 駄目 だめ ダメ",
        "불가 외에 제외 건드리 잠금 잠겨 동결 보호 무시 건너뛰 그대로 삼가 피하 피해 멀리 빼고 금물",
    )
    + r"|除[^。]{1,200}外|[うくぐすつぬぶむる]な(?=[\s。！!」）)]|$)|지\s?마|지\s?말|안\s[된돼됩]|읽기\s?전용",
    re.I,
)


def asks_for_it(text: str) -> bool:
    """Return whether the text asks to leave something alone, or only asks."""
    return text.rstrip("\"'”’»*_) ").endswith(("?", "？")) or _RESTRAINT.search(text) is not None
