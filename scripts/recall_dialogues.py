"""Generated conversations with known answers, made from a seed: what the weights of transcripts are fitted on.

Two people talk in sessions of a dozen turns or more; now and then one tells something, often because the other asked.
A question names who told it and paraphrases, and sometimes says when. Halves of the things told are kept apart.
"""

from __future__ import annotations

import random
from datetime import date, timedelta

from recall_workload import Learned, Prompt

PEOPLE = "Ada Boris Carla Deniz Elif Farid Greta Hugo Ines Jonas Kaya Lena".split()
# What the other asks before | what is told | what somebody asks much later | the same in other words
TOLD = [
    tuple(line.split("|"))
    for line in """
How was the weekend?|We drove up to the lake and I swam across it for the first time|Where did {who} go swimming|Which body of water did {who} cross
Any news from the family?|My sister had a baby girl, they called her {thing}|What is the name of {who}'s niece|Who was born in {who}'s family
You look tired, what happened?|The new puppy kept me awake, {thing} barks at every car|What is {who}'s dog called|Why did {who} sleep badly
How is the job hunt going?|I signed with the museum, I start as a restorer next month|Where does {who} work now|What is {who}'s new profession
Did you ever finish that book?|Yes, {thing} made me cry at the end|Which novel moved {who} to tears|What has {who} read lately
What are you cooking tonight?|I am trying the lentil stew from grandmother's notebook|Which dish did {who} prepare|Where does {who}'s recipe come from
How did the race go?|I ran the half marathon in under two hours|How fast was {who} in the run|What distance did {who} compete in
Are you still painting?|I sold my first watercolour, a harbour at dawn|What did {who}'s picture show|Which artwork did {who} sell
So where are you moving?|We found a flat above the old bakery, with a balcony|What is special about {who}'s new home|Where is {who} going to live
How is the guitar?|I gave it up and bought a cello instead|Which instrument does {who} play now|What did {who} switch to in music
What did the doctor say?|It is an allergy to hazelnuts, nothing worse|What can {who} not eat|What was {who} diagnosed with
Was the trip worth it?|The night train to {thing} was the best part|Which city did {who} visit by rail|How did {who} travel
Do you have plans for the summer?|I will volunteer at the turtle station on the coast|What will {who} do in the holidays|Which animals does {who} want to help
Did you talk to your boss?|She agreed to four days a week from autumn|How many days does {who} work|What did {who} arrange with the employer
How was the exam?|I passed organic chemistry with the second best mark|Which subject did {who} pass|How well did {who} do at university
What is in the box?|An old typewriter from the flea market, the ribbon is still good|What did {who} buy second hand|Which machine did {who} find
Who came to the party?|My cousin {thing} flew in from Chile and surprised everyone|Which relative visited {who}|Who travelled far to see {who}
Why the bandage?|I fell off the climbing wall and sprained my wrist|How did {who} get hurt|Which injury does {who} have
Are you still on that diet?|I stopped eating meat in spring and feel better|What has {who} given up eating|Is {who} a vegetarian
Did the garden survive the frost?|Only the tomatoes died, the kale does not mind|Which plants did {who} lose|What did the cold do to {who}'s vegetables
What are you saving for?|A sailing course, I want the licence before I turn forty|What does {who} want to learn|Why is {who} putting money aside
How is the band?|We play our first concert at {thing} on Friday|Where will {who} perform|When is {who} on stage
Anything from the landlord?|He wants to raise the rent by a tenth|What is getting more expensive for {who}|What did the owner of {who}'s house ask
Did you fix the car?|I sold it and take the tram now|How does {who} get around|What happened to {who}'s vehicle
Are the kids well?|{thing} lost a tooth and wrote a letter to the fairy|What happened to {who}'s child|Which of {who}'s children lost a tooth
What film was it?|A documentary about lighthouse keepers, very slow and lovely|What did {who} watch|Which subject did {who}'s film have
Did you hear back from the clinic?|They want me as a mentor for new nurses|Which role was {who} offered|What will {who} do at the hospital
How was the wedding?|It rained, so we all danced in the barn|Where did the guests of {who} celebrate|What was the weather at the ceremony {who} attended
You started a course?|Pottery on Tuesdays, my first bowl has a crack|Which craft is {who} learning|What did {who} make out of clay
What did you get from your father?|His pocket watch, it stopped in 1961|What did {who} inherit|Which heirloom does {who} own
""".strip().split("\n")
]
_THINGS = "Mila Rufus Oslo Pepper Noor Vienna Juno Tomas Olive Samira".split()
_SMALL_TALK = (
    "That sounds wonderful, tell me more about it!", "I know what you mean.", "Ha, typical of you!", "Good for you.",
    "I was thinking of you the other day.", "We should meet again soon.", "It has been raining here all week.",
    "Work is busy as always, but I cannot complain.", "Give my best to everybody at home.", "I need a coffee first.",
    "Let me know how it goes, will you?", "I never thought of it that way.", "Thanks for asking, by the way.",
    "I saw an old friend of ours at the market.", "The days are getting longer at last.", "I should go to bed earlier.",
    "My phone died in the middle of your message.", "Anyway, what else is new?", "I am proud of you, really.",
    "Sometimes I miss our old neighbourhood.", "Did I tell you that I cleaned the attic?", "Time flies, does it not?",
)  # fmt: skip
_MONTHS = "January February March April May June July August September October November December".split()


def dialogue(seed: int, half: int, sessions: int = 14) -> tuple[list[Learned], list[Prompt]]:
    """Return the turns of one conversation in order, and questions about what was told in it."""
    random_ = random.Random(seed * 10 + half)
    people = random_.sample(PEOPLE, 2)
    things = [told for place, told in enumerate(TOLD) if place % 2 == half] * 2
    random_.shuffle(things)
    day = date(2025, 1, 5) + timedelta(days=random_.randrange(60))
    turns: list[Learned] = []
    prompts: list[Prompt] = []
    for number in range(sessions):
        day += timedelta(days=random_.randint(3, 25))
        begin = random_.randrange(2)
        told_at = sorted(random_.sample(range(2, 22), 2))
        for place in range(24):
            who, other = people[(place + begin) % 2], people[(place + begin + 1) % 2]
            text = random_.choice(_SMALL_TALK)
            told = things[(2 * number + told_at.index(place)) % len(things)] if place in told_at else None
            if told:
                if random_.random() < 0.7:
                    _say(turns, other, told[0], number, day)
                text = told[1].format(thing=random_.choice(_THINGS))
                question = random_.choice(told[2:]).format(who=who)
                if random_.random() < 0.3:
                    question += random_.choice((f" in {_MONTHS[day.month - 1]} {day.year}", f" on {day.isoformat()}"))
            _say(turns, who, text, number, day)
            if told:
                prompts.append(Prompt(f"{question}?", "turns", frozenset({turns[-1].id})))
    return turns, prompts


def _say(turns: list[Learned], who: str, text: str, session: int, day: date) -> None:
    id = f"d-{len(turns):05}"
    turns.append(Learned(id, "session_summary", text, agent=who, run=f"session-{session + 1}", day=day.isoformat()))
