"""Health, the manifest of routes, the OpenAPI document, metrics."""

import os
import shutil

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from service.addresses import address
from service.errors import NotFound
from service.http import discovery_answers as answers
from service.http.bodies import MAX_WAITING_BODIES, MAX_WAITING_UPLOADS, UPLOAD_SECONDS
from service.http.endpoint import Routes
from service.http.openapi import MAX_BULK, words
from service.http.responses import json_answer, tagged
from service.jobs.submission import MAX_ITEMS, MAX_SEQUENCES
from service.results.rows import MAX_FILTERS
from service.routes.shared import MAX_STREAMS, Shared, in_thread, shared_of
from service.runs.config import SNAKEFILE
from tethermap.base.tables import by_key

_LINKS = {
    "RCSB PDB": "https://www.rcsb.org",
    "wwPDB": "https://www.wwpdb.org",
    "PyMOL": "https://pymol.org",
    "UCSF ChimeraX": "https://www.cgl.ucsf.edu/chimerax/",
}
_LIMITS = (
    *("max_body_bytes", "body_timeout_s", "max_target_chars", "max_query_chars", "max_fasta_residues", "max_batch"),
    *("max_upload_file_bytes", "max_upload_bytes", "max_upload_files", "max_upload_bytes_per_token"),
    *("keep_uploads_hours", "max_queued_jobs", "max_queued_per_token", "max_entries", "max_running_jobs"),
    "min_free_bytes",
)


def _health(shared: Shared) -> answers.HealthAnswer:
    """Return the state of the service; looks at the disk."""
    parts = shared.parts
    jobs_dir = parts.settings.jobs_dir
    exists = jobs_dir.is_dir()
    writable = exists and os.access(jobs_dir, os.W_OK | os.X_OK)
    assets = SNAKEFILE.is_file()
    counts = parts.queue.counts()
    ready, stopping = parts.ready.is_set(), parts.stopping.is_set()
    able = writable and assets and ready and not stopping
    consistent = ready and parts.index.consistent
    free = shutil.disk_usage(jobs_dir).free if exists else 0
    lacking = {lack.reason for lack in parts.queue.lacks()}
    now = parts.clock.text()
    wrong = {
        "jobs_dir_missing": not exists,
        "jobs_dir_not_writable": exists and not writable,
        "pipeline_missing": not assets,
        "starting": not ready,
        "stopping": stopping,
        "index_inconsistent": ready and not consistent,
        "housekeeping_stopped": not parts.looked_after,
        **{lack: lack in lacking for lack in ("disk_low", "source_unavailable", "resources_short")},
        "queue_full": counts.queued >= parts.settings.max_queued_jobs,
    }
    reasons = [reason for reason, is_so in wrong.items() if is_so]
    return answers.HealthAnswer(
        ok=able,
        status="degraded" if reasons or not able else "healthy",
        reasons=reasons,
        environment=parts.settings.environment,
        timestamp=now,
        time=now,
        jobs_dir_exists=exists,
        jobs_dir_writable=writable,
        pipeline_assets_exists=assets,
        disk_free_bytes=free,
        index_consistent=consistent,
        queue=answers.QueueLength(queued=counts.queued, running=counts.running),
    )


ROUTES = Routes("Health and discovery")


@ROUTES.get("/api/health", {200: answers.HealthAnswer, 503: answers.HealthAnswer}, public=True, early=True)
async def get_health(request: Request) -> Response:
    """State of the service: whether it accepts jobs."""
    answer = await in_thread(_health, shared_of(request))
    return json_answer(answer, 200 if answer.ok else 503, {"Cache-Control": "no-store"})


@ROUTES.get("/api/manifest", answers.ManifestAnswer, early=True)
async def get_manifest(request: Request) -> Response:
    """Description of the service: routes, limits, features."""
    shared = shared_of(request)
    settings, rate = shared.parts.settings, shared.parts.settings.rate_limit
    routes = by_key(
        (one.group, answers.RouteNote(method=one.method, path=one.plain_path, note=one.note))
        for one in request.app.state.endpoints
    )
    answer = answers.ManifestAnswer(
        environment=settings.environment,
        timestamp=shared.parts.clock.text(),
        base_urls=answers.BaseUrls(
            primary=settings.base_url_primary or address("/"), secondary=settings.base_url_secondary or None
        ),
        active_endpoint_groups=[
            answers.RouteGroup(title=title, description=words()["groups"][title]["description"], routes=members)
            for title, members in routes.items()
        ],
        companion_tool_links=[answers.NamedLink(name=name, url=url) for name, url in _LINKS.items()],
        limits={
            **{name: getattr(settings, name) for name in _LIMITS},
            "max_option_items": MAX_ITEMS,
            "max_sequences": MAX_SEQUENCES,
            "max_sasa_bulk": MAX_BULK,
            "upload_timeout_s": max(settings.body_timeout_s, UPLOAD_SECONDS),
            "max_waiting_bodies": MAX_WAITING_BODIES,
            "max_waiting_uploads": MAX_WAITING_UPLOADS,
            "max_event_streams": MAX_STREAMS,
            "max_filters": MAX_FILTERS,
            "rate_limit": f"{rate.count} in {rate.seconds:g} seconds" if rate else None,
        },
        features={
            "source": settings.source,
            "tokens_required": bool(settings.api_tokens),
            "private": bool(settings.private),
            "webhooks": settings.webhooks,
            "cors": bool(settings.cors_origins),
            "metrics": settings.metrics,
            "events": True,
            "dry_run": True,
            "uploads": True,
            "idempotency": True,
        },
        warning=None if settings.api_tokens else "This service requires no token: run it only in a trusted network.",
    )
    return tagged(request, answer)


@ROUTES.get("/openapi.json", answers.OpenApiAnswer, early=True)
async def get_openapi(request: Request) -> Response:
    """The OpenAPI document."""
    return tagged(request, request.app.state.openapi)


@ROUTES.get("/metrics", "text/plain; charset=utf-8", errors=("NOT_FOUND",))
async def get_metrics(request: Request) -> Response:
    """Counters for Prometheus, if enabled."""
    shared = shared_of(request)
    if not shared.parts.settings.metrics:
        raise NotFound("Metrics are disabled; TETHERMAP_METRICS=true enables them.")
    counts = shared.parts.queue.counts()
    health = await in_thread(_health, shared)
    gauges = {
        "jobs_queued": counts.queued,
        "jobs_running": counts.running,
        "queue_oldest_seconds": round(counts.oldest_seconds, 1),
        "disk_free_bytes": health.disk_free_bytes,
        "healthy": int(health.status == "healthy"),
        "index_consistent": int(health.index_consistent),
        "event_streams_open": MAX_STREAMS - shared.streams.value,
    }
    text = shared.metrics.text(gauges, shared.parts.queue.ledger.ended)
    return PlainTextResponse(text, headers={"Cache-Control": "no-store"})
