"""The silence threshold of one store: the evidence that a prompt about nothing finds there by chance.

Such prompts are made up from everyday words and a few words borrowed from unrelated memories. A memory that lent a
word does not count as an answer. The best score of the others is coincidence; how it grows differs from store to
store. Pure, and the same for the same store: the dice have a fixed seed. `rank.rank` subtracts the threshold, and
`rank.doubt` leaves a memory out for want of evidence.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from tenure.text.names import nameless
from tenure.text.words import STOP_WORDS, folded

# How many prompts are made up, how long they are, and which share of their words memories lend.
SAMPLES, LENGTHS, LENT = 96, (4, 14), 0.1
# A store is measured from so many memories on, and again when it has grown by this factor.
FROM, GROWN = 5, 1.5
# The share of made-up prompts that stays silent, and how far a store may leave what was fitted.
SILENT, LOWEST, HIGHEST = 0.9, 0.05, 1.0
_SEED = "silence"

# Words that people use whatever they talk about.
EVERYDAY = (
    "write explain help tell show summarise describe compare list translate suggest plan give make find draw recommend"
    " short simple example table sentence paragraph letter story poem speech question answer idea reason difference"
    " history rule meaning summary guide recipe dinner trip city country music song film book game sport team school"
    " teacher child friend family mother brother birthday wedding holiday summer winter morning evening weekend garden"
    " kitchen house street river mountain forest ocean island animal dog bird horse tree flower weather rain sun moon"
    " planet star light energy water fire air earth body heart brain health doctor medicine food bread coffee fruit"
    " price market money bank job career interview manager office meeting email phone computer program code function"
    " class number list loop string array language algorithm math theorem physics chemistry biology science experiment"
    " paper report research war king president law government election company product customer brand slogan design"
    " colour picture photo paint museum art theatre actor artist dance piano guitar train car bicycle flight airport"
    " hotel map north south europe africa america asia french german spanish english latin roman greek old new good"
    " best small large long early late easy hard quick slow happy beautiful important different popular modern ancient"
    " work start stop learn read play cook build grow run walk travel sleep eat drink buy sell pay save change choose"
    " improve remember think feel believe understand need want like today tomorrow tonight week month year hour minute"
).split()


def prompts(lend: Callable[[random.Random], tuple[str, str]]) -> list[tuple[str, set[str]]]:
    """Return made-up prompts, each with the ids of the memories whose words are in it.

    `lend` returns the id and the text of a memory drawn by the dice.
    """
    dice = random.Random(_SEED)
    made = []
    for _ in range(SAMPLES):
        words, lenders = [], set()
        for _ in range(dice.randint(*LENGTHS)):
            word = dice.choice(EVERYDAY)
            if dice.random() < LENT:
                id, text = lend(dice)
                telling = [
                    other for other in folded(nameless(text)).split() if len(other) > 3 and other not in STOP_WORDS
                ]
                word = dice.choice(telling) if telling else word
                lenders.add(id)
            words.append(word)
        made.append((" ".join(words), lenders))
    return made


def point(evidence: Sequence[float]) -> float:
    """Return the evidence that nearly all prompts about nothing stay below, within limits."""
    ordered = sorted(evidence)
    reached = ordered[min(len(ordered) - 1, int(SILENT * len(ordered)))]
    return round(min(max(reached, LOWEST), HIGHEST), 2)
