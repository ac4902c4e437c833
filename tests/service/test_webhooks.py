"""Notices of finished jobs: signed, retried, over restarts, never to internal addresses."""

import asyncio
import hashlib
import hmac
import json
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from service.errors import InvalidField
from service.extras.webhooks import FOLDER, RETRY_SECONDS, Send, Webhooks, post
from service.hosts import is_public
from service.http.job_answers import JobAnswer
from service.jobs.record import utc_text
from service.jobs.submission import parse_submission
from tests.service.answers import DEFAULTS
from tests.service.core import HPV, ended, running, settings_in, until
from tests.service.disks import refused_by_disk

SECRET = "a secret of the test".replace(" ", "-")
URL = "https://lab.example/ended?key=1"
OFFERED = DEFAULTS.model_copy(update={"webhook_secret": SECRET})
NEW = {"state": "pending", "attempts": 0, "last_status": None, "next_at": None}


async def test_a_notice_is_signed_and_sent_again_until_it_is_accepted(tmp_path: Path) -> None:
    answers: list[int | Exception] = [OSError("no"), 500, 204]
    sent: list[tuple[str, bytes, dict[str, str]]] = []
    now = [1_000_000.0]

    async def send(url: str, body: bytes, headers: dict[str, str]) -> int:
        sent.append((url, body, headers))
        if isinstance(answer := answers.pop(0), Exception):
            raise answer
        return answer

    def taken(number: int) -> bool:
        return len(sent) > number and not hooks._sending

    settings = settings_in(tmp_path, webhook_secret=SECRET, root_path="/lab")
    async with running(settings) as parts:
        hooks = Webhooks(parts.store, settings, send=send, clock=lambda: now[0])
        parts.queue.notices, parts.queue.ledger.note_end = hooks, hooks.note
        job = await parts.queue.submit(parse_submission({**HPV, "webhook": URL}, OFFERED))
        assert URL not in json.dumps(job.request)
        done = await ended(parts, job.job_id)
        notice = tmp_path / "jobs" / FOLDER / f"{job.job_id}.json"
        folder = parts.store.folder(job.job_id)
        assert hooks.delivery_of(job, folder) == {**NEW, "state": "waiting"}
        for number, pause in enumerate(RETRY_SECONDS[:2]):
            await until(partial(taken, number))
            assert json.loads(notice.read_text())["due"] == now[0] + pause
            due = utc_text(datetime.fromtimestamp(now[0] + pause, UTC))
            told = {"state": "pending", "attempts": number + 1, "last_status": (None, 500)[number], "next_at": due}
            assert hooks.delivery_of(done, folder) == told
            now[0] += pause
        await until(partial(taken, 2))
        assert not notice.exists()
        assert hooks.delivery_of(done, folder) == {**NEW, "state": "delivered", "attempts": 3, "last_status": 204}
        assert hooks.delivery_of(done, tmp_path) == {**NEW, "state": "pending"}
        assert hooks.delivery_of(replace(done, webhook=None), folder) is None
        body = json.loads(sent[2][1])
        assert body.keys() == JobAnswer.model_fields.keys()
        assert (body["job_id"], body["status"]) == (job.job_id, done.status)
        assert body["results_url"] == f"/lab/api/jobs/{job.job_id}/results"
        assert body["webhook"]["attempts"] == 2
        for url, data, headers in sent:
            stamp = headers["X-Tethermap-Timestamp"]
            expected = hmac.new(SECRET.encode(), f"{stamp}.".encode() + data, hashlib.sha256).hexdigest()
            assert (url, headers["X-Tethermap-Signature"]) == (URL, f"sha256={expected}")
        assert len({headers["X-Tethermap-Delivery"] for *_, headers in sent}) == 1


def refusing() -> tuple[list[str], Send]:
    """Return a receiver that is busy, and the addresses of the notices that it gets."""
    asked: list[str] = []

    async def refuse(url: str, _body: bytes, _headers: dict[str, str]) -> int:
        asked.append(url)
        return 503

    return asked, refuse


async def test_a_notice_outlives_a_restart_and_is_given_up_at_last(tmp_path: Path) -> None:
    now = [0.0]
    asked, refuse = refusing()
    settings = settings_in(tmp_path, webhook_secret=SECRET)
    async with running(settings) as parts:
        job = await parts.queue.submit(parse_submission({**HPV, "webhook": URL}, OFFERED))
        await ended(parts, job.job_id)
    async with running(settings) as parts:
        notice = tmp_path / "jobs" / FOLDER / f"{job.job_id}.json"
        now[0] = json.loads(notice.read_text())["due"] + 1
        hooks = Webhooks(parts.store, settings, send=refuse, clock=lambda: now[0])
        for pause in (*RETRY_SECONDS, 0):
            await hooks.look()
            await until(lambda: not hooks._sending)
            now[0] += pause
        assert len(asked) == len(RETRY_SECONDS) + 1
        assert not notice.exists()
        record = parts.store.get(job.job_id)
        assert record is not None
        answer = JobAnswer.of(record, None, webhook=hooks.delivery_of(record, parts.store.folder(job.job_id)))
        assert answer.webhook is not None
        assert (answer.webhook.state, answer.webhook.last_status) == ("failed", 503)


async def test_a_full_disk_makes_no_notice_come_more_often(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    asked, refuse = refusing()
    settings = settings_in(tmp_path, webhook_secret=SECRET)
    async with running(settings) as parts:
        job = await parts.queue.submit(parse_submission({**HPV, "webhook": URL}, OFFERED))
        parts.queue.notices = Webhooks(parts.store, settings, send=refuse, clock=lambda: -1.0)
        record = await ended(parts, job.job_id)
        hooks = Webhooks(parts.store, settings, send=refuse, clock=lambda: now[0])
        hooks.note(record)
        monkeypatch.setattr("service.extras.webhooks.write_json", refused_by_disk)
        for seconds, sent in ((0.0, 1), (1.0, 1), (9.0, 1), (11.0, 2)):
            now[0] = seconds
            await hooks.look()
            await until(lambda: not hooks._sending)
            assert len(asked) == sent


def test_addresses_of_one_machine_or_link_are_private_and_others_public() -> None:
    assert not any(map(is_public, ("::1", "fe80::1%eth0", "2002:7f00:1::", "::ffff:127.0.0.1")))
    assert all(map(is_public, ("9.9.9.9", "2620:fe::fe", "::ffff:9.9.9.9")))


async def test_a_name_that_leads_here_is_not_contacted_unless_allowed() -> None:
    heard: list[bytes] = []

    async def hear(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(b"HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/\r\nContent-Length: 0\r\n\r\n")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(hear, "127.0.0.1", 0)
    async with server:
        url = f"http://localhost:{server.sockets[0].getsockname()[1]}/x"
        with pytest.raises(ValueError, match="public internet"):
            await post(url, b"{}", {}, private=False)
        assert heard == []
        assert await post(url, b"{}", {"X-Tethermap-Delivery": "1"}, private=True) == 302
    assert b"host: localhost:" in heard[0].lower()
    assert len(heard) == 1


@pytest.mark.parametrize(
    "value", ["ftp://x/", "file:///etc/passwd", "https://user:secret@x/", "javascript:alert(1)", "http://", 5, ["http://x"],
              "https://x/" + "a" * 500, "https://x/\n", "https://999.1.1.1/", "https://1.2.3.4.5/", "https://[::g]/",
              "https://[1.2.3.4/", "https://x:0/", "https://x:65536/"],
)  # fmt: skip
def test_an_odd_address_is_refused(value: Any) -> None:
    with pytest.raises(InvalidField, match="webhook"):
        parse_submission({**HPV, "webhook": value}, OFFERED)


def test_notices_are_not_offered_without_a_secret() -> None:
    with pytest.raises(InvalidField, match="not offered"):
        parse_submission({**HPV, "webhook": URL}, DEFAULTS)
