"""`team stats`."""

from __future__ import annotations

from tenure.surfaces.cli.app import App, command, plain


@command("stats", example="tenure team stats > /var/lib/node_exporter/tenure.prom")
def team_stats_command(app: App) -> None:
    """Print figures of the team's database for Prometheus, and how far each copy lags behind."""
    with app.open() as workspace:
        found = workspace.team_stats()
    data = {name: value for name, value in plain(found).items() if name != "prometheus"}
    app.answer(data, lambda: found.prometheus)
