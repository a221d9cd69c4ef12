"""One project's memory, and everything that can be done with it.

This is the API that every surface uses, and the public one: `import tenure; ws = tenure.open()`. A method is one use
case, which is imported when it is called. It returns a record of `tenure.usecases.answers`; anything else the user
should know is in the answer's `notes`.

Here are the methods that change memories; `reading` and `sharing` have the others, and `unopened` what needs no
store.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tenure import usecases
from tenure.files import locate
from tenure.files.locate import Place
from tenure.model.errors import BadRequest
from tenure.systems.api import opened
from tenure.workspace.reading import ReadingMethods
from tenure.workspace.sharing import SharingMethods

if TYPE_CHECKING:
    from tenure.model.actor import Actor
    from tenure.model.guard import Guard, Level
    from tenure.model.policy import Setting
    from tenure.store.records import GuardFire
    from tenure.usecases.answers import Progress, Written
    from tenure.usecases.answers.captured import Captured, Learned, LearnedPast
    from tenure.usecases.answers.changed import Collected, Erased, Promotions, Scrubbed, Sweep, Undone
    from tenure.usecases.answers.effects import EffectReport
    from tenure.usecases.effect_pool import Published
    from tenure.workspace.unopened import *  # noqa: F403 - loaded by `__getattr__`
else:
    import importlib

    def __getattr__(name: str) -> object:
        return getattr(importlib.import_module("tenure.workspace.unopened"), name)


def open(
    store: str | None = None,
    folder: str | Path | None = None,
    *,
    agent: str = "",
    surface: str = "python",
    actor: Actor | None = None,
) -> Workspace:
    """Return the workspace of a project: the store named, or the one the project has.

    `agent` names the surface an agent comes through. It stands in the ledger, and what is not trusted is refused.
    `surface` names the one a person or a program comes through; `actor` is who `hand_ticket` found there.
    """
    try:
        where = Path(folder or ".").absolute()
    except FileNotFoundError:
        raise BadRequest("The current folder was removed.", hint="Go to a folder that exists.") from None
    return Workspace(locate.locate(store, where), agent=agent, surface=surface, actor=actor)


class Workspace(ReadingMethods, SharingMethods):
    """One project's memory."""

    def __init__(self, place: Place, *, agent: str = "", surface: str = "python", actor: Actor | None = None) -> None:
        # What use cases work with; surfaces leave both alone.
        self.project, self.system = opened(place, agent=agent, surface=surface, actor=actor)

    def close(self) -> None:
        """Close the store; the next use opens it again."""
        self.project.close()

    def __enter__(self) -> Workspace:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _give(self, command: Callable[..., Written], **arguments: Any) -> Written:
        """Carry out a command on one memory; one for a database that is away waits in the outbox."""
        if not self.project.place.address:
            return command(self.project, self.system, **arguments)
        return usecases.outbox.give(self.project, self.system, command, arguments)

    # What it is

    @property
    def url(self) -> str:
        """The address of the store."""
        return self.project.place.url

    @property
    def folder(self) -> Path:
        """The project's folder."""
        return self.project.place.project

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of memories this store has; the first choice for a kind it does not have is `default_kind`."""
        return self.system.kinds

    @property
    def default_kind(self) -> str:
        """The kind of a memory that names none, or one this store does not have."""
        return self.system.default_kind

    @property
    def top_state(self) -> str:
        """The state at the top of the policy's ladder, empty where it has no steps."""
        steps = self.project.policy.promotion.steps
        return steps[-1].to if steps else ""

    @property
    def settings(self) -> list[Setting]:
        """Every value of the policy in force, and where it comes from."""
        return self.project.settings

    @property
    def ignored(self) -> list[Setting]:
        """What the project's own settings ask for and does not count, because nobody here agreed to it."""
        return self.project.ignored

    @property
    def why_ignored(self) -> str:
        """Why settings are not in force, as a predicate of their file."""
        return self.project.why_ignored

    @property
    def actor(self) -> Actor:
        """Who acts here, as the ledger will say."""
        return self.project.actor

    @property
    def unusable(self) -> tuple[str, ...]:
        """Files of the store that cannot be read, each with what is wrong; they are left as they are."""
        return self.project.unusable

    @property
    def damaged(self) -> list[str]:
        """The ids of memories met so far that were altered outside Tenure; they are left out of every answer."""
        return list(dict.fromkeys(self.project.store.damaged))

    # Writing down

    def add(
        self,
        text: str,
        *,
        kind: str = "",
        title: str = "",
        description: str = "",
        id: str = "",
        tags: Sequence[str] = (),
        files: Sequence[str] = (),
        scope: str = "project",
        source: str = "",
        content: Mapping[str, Any] | None = None,
    ) -> Written:
        """Write down what the user states; a repetition of a memory strengthens that one."""
        return self._give(
            usecases.add.add,
            text=text,
            kind=kind,
            title=title,
            description=description,
            id=id,
            tags=tags,
            files=files,
            scope=scope,
            source=source,
            content=content,
        )

    def remember(
        self,
        text: str,
        *,
        quote: str,
        same_as: str = "",
        kind: str = "",
        title: str = "",
        description: str = "",
        id: str = "",
        tags: Sequence[str] = (),
        files: Sequence[str] = (),
        scope: str = "project",
        source: str = "",
        content: Mapping[str, Any] | None = None,
    ) -> Written:
        """Write down what an agent proposes; live at once when the person typed the quote in this session.

        Raises `Refused` when a session is there to look at and does not hold the quote. Whoever is named as `source`,
        a quote that was found makes it the person's word and one that waits leaves it the agent's.
        """
        return usecases.remember.remember(
            self.project,
            self.system,
            text,
            quote=quote,
            same_as=same_as,
            kind=kind,
            title=title,
            description=description,
            id=id,
            tags=tags,
            files=files,
            scope=scope,
            content=content,
        )

    def capture(self, proposed: Sequence[Mapping[str, Any]], *, run: str = "", dry_run: bool = False) -> Captured:
        """Consolidate proposals into memories, and return what became of each."""
        return usecases.capture.capture(self.project, self.system, proposed, run=run, dry_run=dry_run)

    def capture_files(
        self, paths: Sequence[str], *, run: str = "", task: str = "", keep_going: bool = False, dry_run: bool = False
    ) -> Captured:
        """Learn from files: proposals as JSON Lines, or whatever the store's own system writes."""
        return self.system.capture(self.project, paths, run=run, task=task, keep_going=keep_going, dry_run=dry_run)

    def learn(
        self,
        *,
        session: str,
        host: str,
        transcript: str,
        journal: Sequence[Mapping[str, Any]] = (),
        dry_run: bool = False,
    ) -> Learned:
        """Learn from one session of an agent: rules the person stated, outcomes of memories that were cited."""
        with self.project.as_process():
            return usecases.learn.learn(
                self.project,
                self.system,
                session=session,
                host=host,
                transcript=transcript,
                journal=journal,
                dry_run=dry_run,
            )

    def learn_past(
        self,
        agent: str,
        since: datetime,
        *,
        declined: Sequence[str] = (),
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> LearnedPast:
        """Learn from the sessions an agent still has of this project, except for texts that the person declined."""
        return usecases.learn.learn_past(
            self.project, self.system, agent, since, declined=declined, dry_run=dry_run, progress=progress
        )

    def edit(
        self,
        id: str,
        *,
        title: str | None = None,
        text: str | None = None,
        content: Mapping[str, Any] | None = None,
        tags: Sequence[str] | None = None,
        files: Sequence[str] | None = None,
        changes: Sequence[Mapping[str, Any]] | None = None,
        expected_version: int | None = None,
    ) -> Written:
        """Change a memory's title, text, content, tags or files within the write protections; None leaves one alone.

        `changes` continues the memory's own history, which can only grow.
        """
        named = {"title": title, "text": text, "content": content, "tags": tags, "files": files, "changes": changes}
        fields = {name: value for name, value in named.items() if value is not None}
        return self._give(usecases.edit.edit, id=id, fields=fields, expected_version=expected_version)

    # Deciding

    def review(self, id: str, decision: str, *, by: str, rationale: str = "", successor: str = "") -> Written:
        """Give a verdict; it takes effect at once when everything else it needs is there."""
        return self._give(
            usecases.review.review, id=id, decision=decision, by=by, rationale=rationale, successor=successor
        )

    def log(
        self,
        id: str,
        effect: str,
        *,
        task: str = "",
        by: str = "",
        surface: str = "",
        contradiction: bool = False,
        notes: str = "",
    ) -> Written:
        """Record how using a memory turned out."""
        return self._give(
            usecases.review.log,
            id=id,
            effect_=effect,
            task=task,
            by=by,
            surface=surface,
            contradiction=contradiction,
            notes=notes,
        )

    def promote(self, ids: Sequence[str] = (), *, mode: str = "inline", dry_run: bool = False) -> Promotions:
        """Promote what has earned it; return that, and what each of the others still needs."""
        return usecases.sweep.promote(self.project, self.system, ids, mode=mode, dry_run=dry_run)

    def supersede(self, old: str, new: str, *, actor: str = "user", reason: str = "") -> Written:
        """Let one memory take the place of another and return the one that is gone; both remember it."""
        return self._give(usecases.review.supersede, old=old, new=new, actor=actor, reason=reason)

    def reconcile(self, left: str, right: str, *, by: str, reason: str) -> Written:
        """Let two memories that seemed to contradict each other both stand, and return the first."""
        return usecases.keep_both.keep_both(self.project, self.system, left, right, by=by, reason=reason)

    def no_agent(self, act: str) -> None:
        """Let no agent do what only a person may; raise `NeedsPerson`."""
        self.project.no_agent(act)

    def accept_place(self) -> None:
        """Keep that this store is meant, where a person seems to act."""
        if usecases.person_gate.is_persons(self.project.actor):
            usecases.other_store.accept(self.project.place)

    # Guards

    def propose_guard(self, id: str, guard: Guard | None = None) -> Written:
        """Give a memory a guard that waits for a person; without one, the one its words suggest."""
        return usecases.guard.propose(self.project, self.system, id, guard)

    def confirm_guard(
        self,
        id: str,
        level: Level,
        *,
        guard: Guard | None = None,
        deny_now: bool = False,
        judged: Mapping[str, int] | None = None,
    ) -> Written:
        """Switch a guard on at a step of the ladder; needs a person, who may have judged fires of the past."""
        return usecases.guard.confirm(
            self.project, self.system, id, level, guard=guard, deny_now=deny_now, judged=judged
        )

    def guard_off(self, id: str) -> Written:
        """Switch a guard off; needs a person."""
        return usecases.guard.off(self.project, self.system, id)

    def judge_guard(self, id: str, verdict: str, *, fire: int = 0) -> Written:
        """Write down that a fire of a guard was right or wrong; needs a person."""
        return usecases.guard.judge(self.project, self.system, id, verdict, fire=fire)

    def allow(self, id: str, *, session: bool = False) -> GuardFire:
        """Let the last call that a guard stopped through once, or every call of its session; needs a person."""
        return usecases.guard.allow(self.project, id, session=session)

    def may_silence(self) -> None:
        """Let no agent switch guards off by silencing hooks; raise `NeedsPerson`."""
        usecases.guard.may_silence(self.project)

    # Measuring

    def start_effect(self, *, stated: bool = False, block: bool = False) -> EffectReport:
        """Begin to hold memories back in some sessions, to learn whether they help.

        `stated` holds back what the person stated too, `block` everything in a few sessions.
        """
        return usecases.effect.start(self.project, stated=stated, block=block)

    def stop_effect(self) -> EffectReport:
        """Hold nothing back any more; what was measured stays."""
        return usecases.effect.stop(self.project)

    def publish_effect(self, target: Path) -> Published:
        """Write the counts of what was measured, and no text, to a file."""
        return usecases.effect_pool.publish(self.project, target)

    # Letting go

    def retire(self, id: str, *, reason: str) -> Written:
        """Take a memory out of use; it can be restored until `gc` removes it, after its grace period."""
        return self._give(usecases.retire.retire, id=id, reason=reason)

    def archive(self, id: str, *, reason: str = "") -> Written:
        """Archive a memory: kept for good, never shown."""
        return self._give(usecases.retire.archive, id=id, reason=reason)

    def restore(self, id: str, *, only_from: str | None = None) -> Written:
        """Bring back a memory that is gone, to the state it had."""
        return self._give(usecases.retire.restore, id=id, only_from=only_from)

    def undo(self, seq: int | None = None, *, whole: bool = False) -> Undone:
        """Reverse one ledger entry, all that was written with it, or what the person's last command did.

        What agents did since then is passed over and noted.
        """
        return usecases.undo.undo(self.project, self.system, seq, whole=whole)

    def forget(self, id: str) -> Erased:
        """Erase a memory from every byte we own; only its id and the time remain."""
        return usecases.forget.forget(self.project, id)

    def forget_all(self, ids: Sequence[str]) -> list[Erased]:
        """Erase several memories after one question; an id that is not known leaves all of them."""
        return usecases.forget.forget_all(self.project, ids)

    def decay(self, *, dry_run: bool = False, progress: Progress | None = None) -> Sweep:
        """Retire memories that expired or lost confidence, within the sweep's limit."""
        return usecases.sweep.decay(self.project, self.system, dry_run=dry_run, progress=progress)

    def upkeep(self, *, deep: bool = False, dry_run: bool = False, progress: Progress | None = None) -> Sweep:
        """Promote what is due, decay what is over, refresh stored verdicts; `deep` also checks claims."""
        return usecases.sweep.upkeep(self.project, self.system, deep=deep, dry_run=dry_run, progress=progress)

    def gc(self, *, dry_run: bool = False) -> Collected:
        """Remove retired memories whose grace period is over."""
        return usecases.gc.collect(self.project, dry_run=dry_run)

    def scrub(self, *, dry_run: bool = False, progress: Progress | None = None) -> Scrubbed:
        """Search what is stored with today's rules for secrets, and erase what they find."""
        return usecases.scrub.scrub(self.project, dry_run=dry_run, progress=progress)

    # Repairing

    def rebuild(self) -> int:
        """Rebuild the index and everything else that follows from the rows; return how many memories it holds."""
        return usecases.sweep.rebuild(self.project)

    def keep_head(self) -> None:
        """Keep in the user's folder how far the store has come, so that an old copy put back is noticed."""
        self.project.keep_head()
