"""A coding workload with known answers, made from a seed: memories of six kinds, and prompts of five sorts.

A memory is a service, something learned about it, and names from its code. Each thing learned is written three ways:
as the memory says it, and as two people would ask without having read it. Things learned are split in halves, so that
weights are fitted on topics that the score has never seen.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

_LEFT = "ledger billing invoice payout catalog search identity session media notify audit report".split()
_RIGHT = "gateway worker api sync store relay indexer bridge scheduler console proxy collector".split()
SERVICES = [f"{left}-{right}" for left in _LEFT for right in _RIGHT]

# As a memory says it | as one person asks | as another asks
TOPICS = """
retries use exponential backoff with jitter, because fixed delays made a thundering herd|how should we wait between repeated attempts|clients all hammer it again at the same moment after an outage
the connection pool is capped at 20, more exhausts the database|how many database sessions may we open at once|postgres says too many clients
dates are stored in UTC and converted at the edge|which time zone do we save timestamps in|hours are off by two in the output
feature flags are read once at boot, a change needs a restart|toggled a switch but nothing happened|do we have to redeploy after turning on an experiment
secrets come from the vault, never from environment files|where do I put the password for this|can I commit credentials in dotenv
pagination uses opaque cursors, offsets skip rows under load|how do we fetch the next page of results|some records are missing when listing everything
the cache must be invalidated after a bulk import|stale values are shown after loading many rows|old data keeps appearing after the nightly upload
migrations run in a separate job before the rollout|when are schema changes applied|table does not exist right after deploying
integration tests need docker running with four gigabytes|the end to end suite is killed for lack of memory|what do I need on my laptop to execute the whole suite
money is kept in integer cents, floats lost pennies|what type should amounts have|totals differ by a penny
log lines are JSON, one object per line, without personal data|what format do we write diagnostics in|am I allowed to print the email of a customer
the linter is pinned because newer releases reformat everything|why is the code style checker an old version|upgrading the formatter changed thousands of files
webhooks are verified with a signature over the raw body|how do we know a callback is authentic|incoming events are rejected after a middleware parsed them
long jobs write a heartbeat, the supervisor kills silent ones|my background task gets terminated in the middle|how does the watchdog decide that something hangs
uploads above ten megabytes go straight to object storage|large files fail with entity too large|what is the biggest attachment we accept
names of queues carry the environment as a prefix|messages from staging showed up in production|how do we call a new topic
the client library is generated, edit the specification instead|my change to the SDK was overwritten|where do I add a field to the typed wrapper
requests carry an idempotency key so that a repeated charge is ignored|the customer paid twice|how do we make it safe to send the same order again
use keyset locks in a fixed order to avoid deadlocks|two transactions wait for each other forever|in what sequence should rows be reserved
the staging data is anonymised each night, do not rely on its ids|identifiers changed since yesterday in the test environment|why do fixtures point at users that vanished
warnings are errors in the build|compilation stops at a deprecation notice|can I leave an unused import
small pull requests with one concern each are wanted|how big should my change be|should I split this branch
tabs in makefiles, four spaces elsewhere|how do we indent|editor settings for white space
prefer composition, subclassing made the handlers untestable|should I derive a new class from the base handler|why are there no abstract parents here
public functions need type hints and one sentence of documentation|do I have to annotate parameters|how much should I write above a method
errors are returned as problem documents with a stable code|what should a failed call answer|how do consumers tell apart the reasons of a rejection
the search index is rebuilt on Sundays and lags a few minutes otherwise|new articles do not show up right away|when is everything reindexed
rate limits are per tenant, one hundred calls a minute|customer gets status 429|how often may a partner call us
certificates renew themselves, port 80 must stay open for that|https stopped working after closing the firewall|who takes care of tls expiry
deleting an account only marks it, erasure follows after thirty days|a removed user is still in the table|how long do we keep people who left
tests may not reach the network, use the recorded answers|suite fails without internet|how do I fake the remote service
batch size is 500, larger ones time out|how many items go in one call|the export hangs with big chunks
the legacy importer stays until the last customer has moved|why do we keep two readers|can I remove the old loader
the sort must be stable because reports are compared byte by byte|output differs between runs although nothing changed|does the order of equal entries matter
compression is off for small replies, it cost more than it saved|should I gzip every answer|processor time went up after shrinking payloads
the leader is elected with a lease of fifteen seconds|two nodes act as primary at once|how long until another instance takes over
backups are restored every Friday to prove them|do we know that dumps are usable|when was recovery last exercised
the mobile app caches for a day, so renames need both fields for a while|older phones crash after a rename|how do we evolve an attribute without breaking installed versions
avoid cron for anything under a minute, use the queue with a delay|how do I schedule something every ten seconds|timer jobs overlap
health checks must not touch the database|probes take the service down with its dependency|what may the liveness endpoint do
regular expressions on user input need a time limit|a strange string pins the processor|how do we protect against pathological patterns
thread pools are shared, blocking calls go to their own executor|everything freezes when one remote call is slow|where do I run synchronous input and output
numbers in the interface follow the locale of the account|comma or point in amounts on screen|german users see american formatting
the vendor sandbox is down on weekends|partner tests are red on Saturday|why does the external trial system not answer
vectors are normalised before they are saved|similarity values are above one|do I need to divide by the length first
a release is tagged by the pipeline, never by hand|how do I publish a version|somebody pushed a tag manually
circuit breaker opens after five failures and probes after half a minute|calls are refused although the dependency is back|what happens when an upstream keeps failing
the read replica lags, read your own writes from the primary|just saved it but the query does not see it|which node should I ask after an update
soft limits warn at eighty percent of disk|we ran out of space without notice|when do we hear about full volumes
images are resized on demand and kept in the edge cache|thumbnails are blurry or slow the first time|where do smaller pictures come from
the graph library is vendored with a patch for cycles|why is a dependency copied into our tree|updating the package brought infinite recursion back
events are at least once, so consumers must deduplicate|handlers run twice for one message|can I count on a notification arriving exactly one time
passwords are hashed with argon2, the old hashes migrate at login|which algorithm protects credentials|accounts from before 2020 sign in slowly once
an admin action needs a second approver|why can't I grant this by myself|who has to confirm dangerous operations
metrics with user ids as labels blew up the monitoring|prometheus runs out of memory|may I tag a counter by customer
the parser is strict on purpose, lenient parsing hid corrupt files|should I skip lines that make no sense|reading stops at the first malformed record
environment names are dev, stage and live, nothing else|what do I call a new deployment target|preview stacks with custom names broke scripts
translations are pulled from the platform on each build|a label is still in English|where do I correct wording
the monorepo builds only what changed, touch the root file for everything|my package was not compiled in the pipeline|how can I force a complete rebuild
timeouts: two seconds for reads, ten for writes|how long do we wait for an answer|slow inserts are cut off
sessions live in redis with a sliding expiry of one hour|people get logged out while working|how long does a login last
generated ids are sortable by time, do not switch to random ones|may I use uuid4 here|inserts became slow after changing keys
the invoice number must have no gaps, the tax office checks|can we discard a draft number|why is a sequence locked so long
null and absent mean different things in patch requests|a field is wiped although it was not sent|how do I clear a value through the interface
""".strip().split("\n")

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
    "My colleague looked at this last week but did not get far.",
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
)  # fmt: skip
_REQUESTS = (
    "Write {}", "Explain {} to me", "Can you help me with {}?", "I need {} by tonight, please be brief",
    "Tell me about {}, in three sentences and with one example that a beginner understands",
    "please summarise {} as a table", "What should I know about {}?",
)  # fmt: skip
SORTS = ("exact", "named", "long", "plain", "offtopic")


@dataclass(frozen=True)
class Learned:
    """One memory of the workload."""

    id: str
    kind: str
    text: str
    service: str
    topic: int
    name: str
    path: str


@dataclass(frozen=True)
class Prompt:
    """A prompt, its sort, and the memories that answer it; none for an off-topic one."""

    text: str
    sort: str
    answers: frozenset[str]


def memories(count: int, seed: int) -> list[Learned]:
    """Return so many memories, no two of them with the same service, topic and names."""
    random_ = random.Random(seed)
    made, seen = [], set()
    while len(made) < count:
        service, topic, kind = random_.choice(SERVICES), random_.randrange(len(TOPICS)), random_.choice(KINDS)
        name, path = _names(random_, service)
        if (service, topic, name) in seen:
            continue
        seen.add((service, topic, name))
        fact = TOPICS[topic].split("|")[0]
        text = _FRAMES[kind].format(service=service, fact=fact, name=name, path=path)
        made.append(Learned(f"w-{len(made):06}", kind, text, service, topic, name, path))
    return made


def prompts(store: list[Learned], count: int, seed: int, half: int) -> list[Prompt]:
    """Return so many prompts of each sort, about topics of one half only."""
    random_ = random.Random(seed * 1000 + half)
    able = [memory for memory in store if memory.topic % 2 == half]
    says: dict[tuple[object, ...], set[str]] = {}
    for memory in able:
        for sort in SORTS[:-1]:
            says.setdefault((sort, *_identity(memory, sort)), set()).add(memory.id)
    made = []
    for _ in range(count):
        for sort in SORTS[:-1]:
            memory = random_.choice(able)
            made.append(Prompt(_ask(random_, memory, sort), sort, frozenset(says[sort, *_identity(memory, sort)])))
        subjects = [subject for position, subject in enumerate(_SUBJECTS) if position % 2 == half]
        text = random_.choice(_REQUESTS).format(random_.choice(subjects))
        if random_.random() < 0.3:
            text = " ".join([*random_.sample(_PADDING, 2), text])
        made.append(Prompt(text, "offtopic", frozenset()))
    return made


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
    return name, f"src/{service.replace('-', '_')}/{noun}_{random_.choice(_VERBS)}.py"


def _ask(random_: random.Random, memory: Learned, sort: str) -> str:
    fact, *questions = TOPICS[memory.topic].split("|")
    question = random_.choice(questions)
    if sort == "exact":
        return f"{memory.service} {memory.name} {' '.join(fact.split()[:6])}"
    if sort == "named":
        spelled = memory.service if random_.random() < 0.5 else memory.service.replace("-", " ")
        return f"{spelled}: {question}"
    if sort == "long":
        padding = random_.sample(_PADDING, 3)
        return f"{padding[0]} {padding[1]} It is about {memory.path}: {question}. {padding[2]}"
    # No name and no word in common by design: only a memory of this topic can answer.
    return question
