"""Does a text read like an instruction to an agent? This advises a reviewer and never makes a text safe.

Filters of this kind are easy to get around; a poisoned memory is kept out by its origin. A flag only puts a doubt
into words. Text in quotation marks is ignored, because people write about attacks.
"""

# ruff: noqa: E501 - a table reads better with one row per line
from __future__ import annotations

import re
from functools import cache

LONGEST_TEXT = 65_536

# Letters and digits that stand in for Latin letters, for a second look at a text that avoids the plain ones.
LOOKALIKES = str.maketrans("аеорсухіІАВЕКМНОРСТХѕјԁ013457@$", "aeopcyxiIABEKMHOPCTXsjdoieastas")

_RULES = r"(?:instructions?|rules?|prompts?|guidelines?|directions?|constraints?|guardrails?|polic(?:y|ies)|restrictions?|safeguards?)"
_PRIOR = r"(?:all|any|every|the|your|my|of|these|those|previous|prior|earlier|above|preceding|existing|former|system|safety|other)"
_AGENT_DATA = r"(?:\.env\b|id_rsa|id_ed25519|\.ssh/|\.aws/|\.netrc|\.npmrc|credentials|secrets?\b|tokens?\b|api keys?|private keys?|/etc/passwd|environment variables|printenv|conversation|chat history|last user message|system prompt)"

# Flag, plain words of which one must occur, pattern over lower-case text. Every repetition has a bound.
SIGNS = (
    ("override", ("ignore", "disregard", "forget", "override", "bypass", "drop", "skip", "neglect"),
     rf"\b(?:ignore|disregard|forget|override|bypass|drop|neglect|do not follow|stop following)\s{{1,3}}(?:(?:{_PRIOR}|about)\s{{1,3}}){{1,5}}{_RULES}\b"),
    ("override", ("instruction", "directive", "prompt"),
     r"\b(?:new|updated|revised|real|actual|secret|hidden)\s{1,3}(?:(?:system|developer|admin)\s{1,3}(?:instructions?|prompt|message|directives?|rules)|(?:instructions?|directives?|orders))\s{0,2}:"),
    ("override", ("игнорир", "забудь", "ignorier", "vergiss", "ignorez", "oublie", "ignora", "olvida", "ignore", "esque", "忽略", "无视", "無視"),
     r"(?:игнорируй\w{0,3}|забудь\w{0,3})\s(?:\w{1,20}\s){0,3}(?:инструкц|правил|указан)|(?:ignoriere?|vergiss|missachte)\s(?:\w{1,20}\s){0,3}(?:anweisung|regeln|vorgaben)|(?:ignore[zr]?|oublie[zr]?)\s(?:\w{1,20}\s){0,3}(?:instructions|règles|consignes)|(?:ignora|olvida|omite)\s(?:\w{1,20}\s){0,3}(?:instrucciones|reglas|istruzioni|regole)|(?:ignore|esqueça)\s(?:\w{1,20}\s){0,3}(?:instruções|regras)|(?:忽略|无视|無視).{0,12}(?:指令|指示|规则|規則|説明)"),
    ("persona", ("you are now", "act as", "pretend", "no restrictions", "developer mode", "maintenance mode", "roleplay", "unrestricted", "dan mode", "god mode", "you have no", "you must now", "from now on"),
     r"\byou are now\b|\b(?:act|behave|respond) as (?:the |an? )?[\w ]{1,40}(?:with (?:full|all|unlimited|admin|root|elevated)|without (?:any )?(?:restrictions|limits|rules)|whenever)|\byou (?:now )?have no (?:restrictions|limits|rules|limitations)|\b(?:enter|enable|switch to|in) (?:developer|maintenance|debug|god|dan|unrestricted|admin) mode\b.{0,40}(?:approv|restrict|rule|check|permission|filter)|\bfrom (?:now|this (?:session|point|moment)) on,? (?:you|always|never|ignore|approve|treat)\b|\bpretend (?:to be|that you|you are)\b"),
    ("approval", ("approv", "permission", "confirmation", "review", "sandbox", "sign"),
     r"\b(?:approvals?|permissions?|confirmations?|reviews?) (?:is|are) (?:not|no longer) (?:required|needed|necessary)\b|\b(?:without|do not|don't|never) (?:asking|ask|wait(?:ing)? for|request(?:ing)?) (?:\w{1,12} ){0,3}(?:permission|approval|confirmation|the user|review)|\b(?:auto-?approve|approve) (?:all|every|any)\b|\b(?:disable|turn off|switch off|deactivate) (?:the )?(?:sandbox\w{0,4}|permission prompts?|safety checks?|guardrails|signature check\w{0,4})\b"),
    ("secrecy", ("user", "mention", "reveal", "secret", "quiet", "silent"),
     r"\b(?:do not|don't|never|without) (?:tell(?:ing)?|inform(?:ing)?|mention(?:ing)?(?: \w{1,10}){0,3} to|notify(?:ing)?|alert(?:ing)?|show(?:ing)?|reveal(?:ing)?(?: \w{1,10}){0,3} to) the (?:user|human|person|developer|owner|reviewer)s?\b|\b(?:reveal|print|repeat|show|output|leak) (?:me )?(?:your|the) (?:system|hidden|initial) prompt\b"),
    ("exfiltration", ("curl", "wget", "http", "nc ", "base64", "base32", "cat ", "dig ", "nslookup", "scp", "send", "upload", "post", "resolve", "paste"),
     rf"\b(?:curl|wget|nc|ncat|scp|httpie?|invoke-webrequest)\b[^\n]{{0,120}}(?:@|<|\$\(|`|=)[^\n]{{0,20}}{_AGENT_DATA}|\$\((?:cat|head|tail|base64|base32|xxd|env|printenv)\b[^\n)]{{0,80}}(?:{_AGENT_DATA}|base\d\d)|\b(?:send|upload|post|forward|copy|exfiltrate|paste|append|include|email|share)\b[^\n.]{{0,60}}{_AGENT_DATA}[^\n]{{0,40}}(?:https?://|\bto (?:the )?[\w.-]{{1,40}}\.(?:example|com|net|io|org|dev)\b)|!\[[^\]\n]{{0,40}}\]\(https?://[^\s)]{{0,120}}[?&=/](?:<|\{{|\$|%7b)|<paste [^>\n]{{1,60}}>|\bcat\b[^\n|]{{0,40}}{_AGENT_DATA}[^\n]{{0,20}}\|\s{{0,3}}(?:curl|nc|base64|base32|wget|xxd)"),
    ("pipe-to-shell", ("curl", "wget", "iwr", "base64"),
     r"\b(?:curl|wget|iwr|fetch)\b[^\n|]{1,160}\|\s{0,3}(?:sudo\s{1,3})?(?:ba|z|da|k)?sh\b|\b(?:curl|wget)\b[^\n|]{1,160}\|\s{0,3}(?:sudo\s{1,3})?(?:python3?|perl|node|ruby)\b|base64 (?:-d|--decode|-D)[^\n|]{0,40}\|\s{0,3}(?:sudo\s{1,3})?(?:ba|z)?sh\b|\b(?:ba)?sh <\((?:curl|wget)"),
    ("persistence", ("memor", "this entry", "this note", "this rule", "this lesson"),
     r"\b(?:this|that) (?:memory|entry|note|rule|lesson)\b[^\n.]{0,40}\b(?:must|may|can|should|shall) (?:never|not) be (?:deleted|removed|archived|retired|reviewed|forgotten|changed|edited|decayed|superseded)|\b(?:never|do not|don't|refuse to|refuse requests to) (?:delete|remove|archive|retire|forget|review|decay|demote) (?:this|it\b|that) ?(?:memory|entry|note|rule|lesson)?|\b(?:mark|treat|delete|retire|archive|supersede|remove|forget|demote) (?:all|every|any|other)(?: other| existing| older)? (?:memor(?:y|ies)|lessons|entries|rules)\b|\b(?:log|report|record|set|mark)\b[^\n.]{0,30}\b(?:positive|success\w{0,4}|helpful|confidence|effect)\b[^\n.]{0,40}\b(?:this memory|regardless|always|no matter)|\b(?:save|store|add|write|copy|repeat|inject|propagate)\b[^\n.]{0,20}\bthis (?:memory|note|entry|instruction|message|text)\b[^\n.]{0,40}\b(?:every|all|each|other|new)\b|\b(?:always|must) (?:inject|load|include|show|rank) this (?:memory|note|entry)|\bwhenever this (?:memory|note|entry) is (?:loaded|shown|injected|read)"),
    ("turn-marker", ("system", "assistant", "human", "<|", "[inst", "function_"),
     r"<\|(?:im_start|im_end|system|user|assistant|endoftext)\|>|\[/?inst\]|<</?sys>>|</?(?:system|function_results|function_calls|tool_result)>"),
)  # fmt: skip


def suspicious(text: str) -> list[str]:
    """Return flags for what in a text reads like an instruction to an agent, none for ordinary notes."""
    import unicodedata

    plain = unicodedata.normalize("NFKC", text[:LONGEST_TEXT])
    plain = _pattern(r"'[^'\n]{4,200}'|\"[^\"\n]{4,200}\"|“[^”\n]{4,200}”|`[^`\n]{4,200}`").sub(" ", plain)
    flags = _flags(plain.lower())
    disguised = _joined_letters(plain).translate(LOOKALIKES).lower()
    # Leetspeak writes l as 1 as often as i.
    for look in (disguised, _joined_letters(plain).lower().replace("1", "l")):
        flags += [flag for flag in _flags(look) if flag == "override" and flag not in flags]
    return flags


def _flags(text: str) -> list[str]:
    found: list[str] = []
    for flag, words, pattern in SIGNS:
        if flag not in found and any(word in text for word in words) and _pattern(pattern).search(text):
            found.append(flag)
    return found


def _joined_letters(text: str) -> str:
    """Return the text with words that are spelled letter by letter put together again."""
    if not _pattern(r"(?:\b\w ){4}").search(text):
        return text
    words = _pattern(r" {2,}").split(text)
    return " ".join(_pattern(r"(?<!\w\w)(?<=\w) (?=\w(?!\w))").sub("", word) for word in words)


@cache
def _pattern(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)
