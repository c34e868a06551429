"""Slack in trouble, and what people see of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from .office import office_at_work


@pytest.mark.parametrize("method", ["users.info", "usergroups.users.list"])
async def test_a_click_by_somebody_whom_slack_cannot_be_asked_about_is_not_acknowledged_and_counts_when_repeated(
    tmp_path: Path, method: str
) -> None:
    async with office_at_work(tmp_path, leaves=True) as office:
        session_id = await office.start()
        office.slack.break_next(method, status=502)
        first = await office.clicks("mara", office.question(), "Approve")
        assert first.trouble == "this app didn't respond in time"
        assert office.desk.ran == []
        assert office.buttons(office.question())
        second = await office.clicks("mara", office.question(), "Approve")
        assert second.is_acked
        assert office.desk.ran == ["O-1 40"]
        assert await office.outcome(session_id) == {"result": {"reply": "It is done."}}
