"""A coding workload with known answers, made from a seed: memories of six kinds, and prompts of eight sorts.

A memory is a service, something learned about it, and names from its code; sessions bring a few memories each. Each
thing learned is written three ways in `recall_topics.txt`: as the memory says it, and as two people would ask without
having read it. Things learned are split in halves, so that weights are fitted on topics that the score has never seen.

The four main sorts come in the shares of the measurements this is compared with, which follow from their rows: 20 %
exact, 50 % named, 15 % long, 15 % plain. How many services and files there are was set by what *other* retrievers
reach (plain FTS5, phrases, vectors alone), never by what Tenure does.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

_LEFT = (
    "ledger billing invoice payout catalog search identity media notify audit report cart shipping stock quota".split()
)
_RIGHT = (
    "gateway worker api sync store relay indexer bridge scheduler console proxy collector broker exporter registry"
    " router mirror watcher balancer adapter"
).split()
SERVICES = [f"{left}-{right}" for left in _LEFT for right in _RIGHT]
# How many files of a service memories speak about.
FILES = 3

TOPICS = [
    line
    for line in (Path(__file__).parent / "recall_topics.txt").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
]

_NOUNS = "config client token batch cursor ledger order report mapper handler parser router cache queue policy".split()
_VERBS = "load parse build render merge resolve fetch apply flush validate encode dispatch".split()
KINDS = ("decision", "constraint", "preference", "runbook", "tech_debt", "session_summary")
_FRAMES = {
    "decision": "{service}: we decided that {fact}. See {name} in {path}.",
    "constraint": "In {service} {fact}. {name} in {path} depends on it.",
    "preference": "For {service}: {fact}. Follow {name} in {path}.",
    "runbook": "When {name} of {service} misbehaves: {fact}. Look at {path} first.",
    "tech_debt": "{service} still has an open end: {fact}. {name} ({path}) should be cleaned up.",
    "session_summary": "Worked on {service}, {name}: {fact}. Next is {path}.",
}
_PADDING = (
    "Hi, I am picking up a ticket from the board and would like your help with it.",
    "Please read the code first and tell me your plan before you change anything.",
    "The build is green at the moment and I want to keep it that way.",
    "I have about an hour today, so keep the change small if you can.",
    "Write a test that fails first, then make it pass, and show me the diff at the end.",
    "My colleague looked at this a while ago but did not get far.",
)
_SUBJECTS = (
    "a birthday poem for my sister", "the history of the Roman aqueducts", "how photosynthesis works",
    "a vegetarian dinner for six people", "the rules of chess castling", "a packing list for a trip to Norway",
    "quicksort in plain words", "the difference between TCP and UDP", "a regular expression for phone numbers",
    "how garbage collection works in Java", "what a monad is", "the plot of Hamlet", "a cover letter for a new job",
    "the capital cities of South America", "how to center a div in CSS", "big O notation with examples",
    "a haiku about autumn leaves", "the weather on Mars", "binary search in Rust", "how vaccines work",
    "a marketing slogan for a bakery", "the Fibonacci sequence with recursion", "what Kubernetes pods are",
    "git rebase compared to merge", "how to read a sheet of music", "the rules of football offside",
    "a speech for my parents' anniversary", "how a refrigerator cools", "linked lists and arrays",
    "the moons of Jupiter", "a training plan for a half marathon", "how to prune apple trees",
    "dynamic programming with the knapsack problem", "what a closure is in JavaScript", "the causes of the war of 1812",
    "a riddle for children about the sea", "how to tune a guitar", "the sieve of Eratosthenes in Haskell",
    "tail recursion", "how to brew green tea", "the French past tenses", "a limerick about a cat",
    "why the sky is blue", "the travelling salesman problem", "a bedtime story with a dragon", "Bayes' theorem",
)  # fmt: skip
_REQUESTS = (
    "Write {}", "Explain {} to me", "Can you help me with {}?", "I need {} by tonight, please be brief",
    "Tell me about {}, in three sentences and with one example that a beginner understands",
    "please summarise {} as a table", "What should I know about {}?",
)  # fmt: skip
# Who wrote a memory down.
AGENTS = ("explorer", "guardian", "sage", "codex", "gemini", "claude")
# The day on which prompts are asked; memories are up to a year older.
TODAY = date(2026, 6, 17)
_MONTHS = "January February March April May June July August September October November December".split()

# The main sorts, with how many of a hundred prompts each gets, then those that ask by who, when and what else.
SHARES = {"exact": 20, "named": 50, "long": 15, "plain": 15}
SIDE = ("dated", "author", "around")
SIDE_COUNT, OFF_TOPIC_COUNT = 8, 20
SORTS = (*SHARES, *SIDE, "offtopic")


@dataclass(frozen=True)
class Learned:
    """One memory of a workload, with who wrote it down, in which session and when."""

    id: str
    kind: str
    text: str
    service: str = ""
    topic: int = 0
    name: str = ""
    path: str = ""
    agent: str = ""
    run: str = ""
    day: str = ""


@dataclass(frozen=True)
class Prompt:
    """A prompt, its sort, and the memories that answer it; none for an off-topic one."""

    text: str
    sort: str
    answers: frozenset[str]


def memories(count: int, seed: int) -> list[Learned]:
    """Return so many memories, no two of them with the same service, topic and names, in the order of sessions."""
    random_ = random.Random(seed)
    made: list[Learned] = []
    seen: set[tuple[str, int, str]] = set()
    while len(made) < count:
        run, agent = f"run-{len(made):06}", random_.choice(AGENTS)
        day = (TODAY - timedelta(days=random_.randrange(1, 365))).isoformat()
        mainly = random_.choice(SERVICES)
        for _ in range(min(random_.randint(1, 5), count - len(made))):
            service = mainly if random_.random() < 0.5 else random_.choice(SERVICES)
            topic, kind = random_.randrange(len(TOPICS)), random_.choice(KINDS)
            name, path = _names(random_, service)
            if (service, topic, name) in seen:
                continue
            seen.add((service, topic, name))
            fact = TOPICS[topic].split("|")[0]
            text = _FRAMES[kind].format(service=service, fact=fact, name=name, path=path)
            made.append(Learned(f"w-{len(made):06}", kind, text, service, topic, name, path, agent, run, day))
    return made


def prompts(store: list[Learned], hundreds: float, seed: int, half: int) -> list[Prompt]:
    """Return prompts of every sort, a hundred times `hundreds` of the main ones, about topics of one half only."""
    random_ = random.Random(seed * 1000 + half)
    able = [memory for memory in store if memory.topic % 2 == half]
    made = []
    for sort, share in SHARES.items():
        says = _grouped(able, sort)
        for _ in range(round(share * hundreds)):
            memory = random_.choice(able)
            made.append(Prompt(_ask(random_, memory, sort), sort, frozenset(says[_identity(memory, sort)])))
    for sort in SIDE:
        asked = (_aside(random_, random_.choice(able), store, sort) for _ in range(round(SIDE_COUNT * hundreds)))
        made += [Prompt(text, sort, answers) for text, answers in asked if answers]
    return made + _off_topic(random_, round(OFF_TOPIC_COUNT * hundreds), half)


def off_topic(count: int, seed: int, half: int) -> list[Prompt]:
    """Return so many prompts about nothing in any store, no two of them the same."""
    random_, made = random.Random(seed * 1000 + half), dict[str, Prompt]()
    while len(made) < count:
        made |= {prompt.text: prompt for prompt in _off_topic(random_, 1, half)}
    return list(made.values())


def _off_topic(random_: random.Random, count: int, half: int) -> list[Prompt]:
    subjects = [subject for position, subject in enumerate(_SUBJECTS) if position % 2 == half]
    made = []
    for _ in range(count):
        text = random_.choice(_REQUESTS).format(random_.choice(subjects))
        if random_.random() < 0.3:
            text = " ".join([*random_.sample(_PADDING, 2), text])
        made.append(Prompt(text, "offtopic", frozenset()))
    return made


def _grouped(able: Iterable[Learned], sort: str) -> dict[tuple[object, ...], set[str]]:
    says: dict[tuple[object, ...], set[str]] = {}
    for memory in able:
        says.setdefault(_identity(memory, sort), set()).add(memory.id)
    return says


def _identity(memory: Learned, sort: str) -> tuple[object, ...]:
    """Return what a prompt of a sort names; every memory that agrees in it says what was asked."""
    if sort == "exact":
        return memory.service, memory.name
    if sort == "named":
        return memory.service, memory.topic
    return (memory.path, memory.topic) if sort == "long" else (memory.topic,)


def _names(random_: random.Random, service: str) -> tuple[str, str]:
    verb, noun, more = random_.choice(_VERBS), random_.choice(_NOUNS), random_.choice(_NOUNS)
    style = random_.randrange(3)
    name = f"{verb}_{noun}_{more}" if style == 0 else f"{noun.title()}{more.title()}{verb.title()}er"
    if style == 2:
        name = f"{verb}{noun.title()}{more.title()}"
    # A service's files are the same for every memory about it.
    files = random.Random(service).sample([f"{noun}_{verb}" for noun in _NOUNS for verb in _VERBS], FILES)
    return name, f"src/{service.replace('-', '_')}/{random_.choice(files)}.py"


def _ask(random_: random.Random, memory: Learned, sort: str) -> str:
    fact, *questions = TOPICS[memory.topic].split("|")
    question = random_.choice(questions)
    if sort == "exact":
        return f"{memory.service} {memory.name} {' '.join(fact.split()[:6])}"
    if sort == "named":
        return f"{_spelled(random_, memory.service)}: {question}"
    if sort == "long":
        padding = random_.sample(_PADDING, 3)
        return f"{padding[0]} {padding[1]} It is about {memory.path}: {question}. {padding[2]}"
    # No name and no word in common by design: only a memory of this topic can answer.
    return question


def _aside(random_: random.Random, memory: Learned, store: list[Learned], sort: str) -> tuple[str, frozenset[str]]:
    """Return a prompt that asks by who, when or what else, and what answers it."""
    service = _spelled(random_, memory.service)
    same = [other for other in store if other.service == memory.service]
    if sort == "author":
        text = random_.choice(("{}: what did {} find out", "{}: which notes are by {}", "{}: what does {} say"))
        return text.format(service, memory.agent), frozenset(o.id for o in same if o.agent == memory.agent)
    if sort == "dated":
        when, first, last = _when(random_, date.fromisoformat(memory.day))
        text = random_.choice(("{}: what did we note {}", "{}: what was decided {}", "what came up {1} in {0}"))
        return text.format(service, when), frozenset(o.id for o in same if first <= o.day <= last)
    question = random_.choice(TOPICS[memory.topic].split("|")[1:])
    place = int(memory.id.partition("-")[2])
    near = [store[n] for n in range(max(0, place - 4), min(len(store), place + 5))]
    others = frozenset(o.id for o in near if o.run == memory.run and o.id != memory.id)
    return f"what else came up in that session about {service}: {question}", others


def _when(random_: random.Random, day: date) -> tuple[str, str, str]:
    """Return words for a day as somebody says them today, and the first and last day they mean."""
    monday = TODAY - timedelta(days=TODAY.weekday())
    forms = [(f"on {day.isoformat()}", day, day), (f"on {day.day} {_MONTHS[day.month - 1]} {day.year}", day, day)]
    first = day.replace(day=1)
    last = (first + timedelta(days=31)).replace(day=1) - timedelta(days=1)
    forms.append((f"in {_MONTHS[day.month - 1]} {day.year}", first, last))
    if last < TODAY:
        forms.append((f"in {_MONTHS[day.month - 1]}", first, last))
    if day == TODAY - timedelta(days=1):
        forms = [("yesterday", day, day)]
    elif monday - timedelta(days=7) <= day < monday:
        forms = [("last week", monday - timedelta(days=7), monday - timedelta(days=1))]
    text, start, end = random_.choice(forms)
    return text, start.isoformat(), end.isoformat()


def _spelled(random_: random.Random, service: str) -> str:
    return service if random_.random() < 0.8 else service.replace("-", " ")
