"""What can be done with a memory store, one module per use case, loaded when it is first used.

`tenure.workspace` calls them, and a command pays for those it needs: `usecases.review.review(…)`.
"""

# ruff: noqa: F401 - for the type checker
from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tenure.usecases import (
        add,
        agreed_drafter,
        audit,
        came_with_commit,
        capture,
        dossier,
        edit,
        effect,
        effect_pool,
        embeddings,
        follow_database,
        forget,
        gc,
        guard,
        held_back,
        import_export,
        init,
        inject,
        inspection,
        keep_both,
        learn,
        notices,
        obeyed,
        other_store,
        outbox,
        overview,
        person_gate,
        projects,
        prompt_server,
        remember,
        replay,
        retire,
        review,
        review_queue,
        route,
        scrub,
        search,
        share,
        sharing_status,
        start,
        sweep,
        sync,
        team,
        team_check,
        team_database_copy,
        team_review,
        team_stats,
        trust,
        undo,
    )
else:
    import importlib

    def __getattr__(name: str) -> object:
        try:
            return importlib.import_module(f"{__name__}.{name}")
        except ModuleNotFoundError as error:
            if error.name != f"{__name__}.{name}":
                raise
            raise AttributeError(f"there is no use case {name!r}") from None
