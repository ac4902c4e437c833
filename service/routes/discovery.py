"""Health, the manifest of routes, the OpenAPI document, metrics."""

from __future__ import annotations

import os
import shutil
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from scripts.lib.version import __version__
from service.context import MAX_STREAMS, Context, context_of, in_thread
from service.endpoint import Endpoint
from service.errors import NotFound
from service.examples import SERVICE
from service.openapi import API_VERSION
from service.responses import json_answer, tagged
from service.routes.sasa import MAX_BULK
from service.rows import MAX_FILTERS
from service.run_config import SNAKEFILE

_LINKS = (
    {"name": "RCSB PDB", "url": "https://www.rcsb.org"},
    {"name": "wwPDB", "url": "https://www.wwpdb.org"},
    {"name": "PyMOL", "url": "https://pymol.org"},
    {"name": "UCSF ChimeraX", "url": "https://www.cgl.ucsf.edu/chimerax/"},
)


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _health(context: Context) -> dict[str, Any]:
    """Return the state of the service; looks at the disk."""
    parts = context.parts
    jobs_dir = parts.settings.jobs_dir
    exists = jobs_dir.is_dir()
    writable = exists and os.access(jobs_dir, os.W_OK | os.X_OK)
    assets = SNAKEFILE.is_file()
    free = shutil.disk_usage(jobs_dir).free if exists else 0
    counts = parts.queue.counts()
    able = writable and assets and parts.queue.accepting
    consistent = parts.ready.is_set() and parts.index.consistent
    now = _now()
    return {
        "ok": able,
        "service": SERVICE,
        "status": "healthy" if able and consistent and parts.looked_after else "degraded",
        "version": __version__,
        "api_version": API_VERSION,
        "environment": parts.settings.environment,
        "timestamp": now,
        "time": now,
        "jobs_dir_exists": exists,
        "jobs_dir_writable": writable,
        "pipeline_assets_exists": assets,
        "disk_free_bytes": free,
        "index_consistent": consistent,
        "queue": {"queued": counts.queued, "running": counts.running},
    }


async def health(request: Request) -> Response:
    """Answer whether the service can take jobs."""
    body = await in_thread(_health, context_of(request))
    return json_answer(body, 200 if body["ok"] else 503, {"Cache-Control": "no-store"})


async def manifest(request: Request) -> Response:
    """Answer what this service offers: every route, limits, features."""
    context = context_of(request)
    settings = context.parts.settings
    endpoints: tuple[Endpoint, ...] = request.app.state.endpoints
    ordered = sorted(endpoints, key=lambda endpoint: _groups(endpoints).index(endpoint.group))
    groups = [
        {
            "title": title,
            "description": _DESCRIPTIONS.get(title, title),
            "routes": [{"method": one.method, "path": one.plain_path, "note": one.note} for one in members],
        }
        for title, members in groupby(ordered, key=lambda endpoint: endpoint.group)
    ]
    body = {
        "ok": True,
        "service": SERVICE,
        "version": __version__,
        "api_version": API_VERSION,
        "environment": settings.environment,
        "timestamp": _now(),
        "base_urls": {"primary": settings.base_url_primary or "/", "secondary": settings.base_url_secondary or None},
        "active_endpoint_groups": groups,
        "docs_urls": {
            "api_docs": "/api-docs",
            "openapi": "/openapi.json",
            "browser": "/browse",
            "examples": "/examples",
        },
        "companion_tool_links": list(_LINKS),
        "limits": {
            "max_body_bytes": settings.max_body_bytes,
            "max_target_chars": settings.max_target_chars,
            "max_query_chars": settings.max_query_chars,
            "max_fasta_residues": settings.max_fasta_residues,
            "max_batch": settings.max_batch,
            "max_queued_jobs": settings.max_queued_jobs,
            "max_running_jobs": settings.max_running_jobs,
            "max_sasa_bulk": MAX_BULK,
            "max_event_streams": MAX_STREAMS,
            "max_filters": MAX_FILTERS,
            "rate_limit": _rate(context),
        },
        "features": {
            "source": settings.source,
            "tokens_required": bool(settings.api_tokens),
            "cors": bool(settings.cors_origins),
            "metrics": settings.metrics,
            "events": True,
            "dry_run": True,
            "idempotency": True,
        },
        "warning": None if settings.api_tokens else "This service asks for no token: keep it in a trusted network.",
    }
    return tagged(request, body)


def _groups(endpoints: tuple[Endpoint, ...]) -> list[str]:
    return list(dict.fromkeys(endpoint.group for endpoint in endpoints))


def _rate(context: Context) -> str | None:
    rate = context.parts.settings.rate_limit
    return None if rate is None else f"{rate.count} in {rate.seconds:g} seconds"


async def openapi(request: Request) -> Response:
    """Answer the OpenAPI document."""
    return tagged(request, request.app.state.openapi)


async def metrics(request: Request) -> Response:
    """Answer counts for Prometheus, where that is switched on."""
    context = context_of(request)
    if not context.parts.settings.metrics:
        raise NotFound("Metrics are switched off.")
    counts = context.parts.queue.counts()
    gauges = {"jobs_queued": counts.queued, "jobs_running": counts.running}
    return PlainTextResponse(context.metrics.text(gauges), headers={"Cache-Control": "no-store"})


_DESCRIPTIONS = {
    "Health and discovery": "What the service is and offers.",
    "Jobs": "Submit jobs, watch and stop them.",
    "Results and files": "What a job has made, as JSON, files and archives.",
    "Batches": "Jobs that run one after another.",
    "SASA": "Exposure of ligands by atom.",
    "Structures and ligands": "One file or list of one ligand, for viewers.",
    "Examples": "Curated jobs, read-only.",
    "Index and export": "All jobs, filtered and sorted.",
    "Pages": "For people.",
}

_GROUP = "Health and discovery"

ENDPOINTS = (
    Endpoint(
        "GET",
        "/api/health",
        health,
        _GROUP,
        "Whether the service can take jobs.",
        answers={200: "Health", 503: "Health"},
        early=True,
    ),
    Endpoint(
        "GET", "/api/manifest", manifest, _GROUP, "Routes, limits, features.", answers={200: "Manifest"}, early=True
    ),
    Endpoint("GET", "/openapi.json", openapi, _GROUP, "The OpenAPI document.", answers={200: "OpenApi"}, early=True),
    Endpoint(
        "GET",
        "/metrics",
        metrics,
        _GROUP,
        "Counts for Prometheus, where switched on.",
        answers={200: "text/plain; charset=utf-8"},
        errors=("NOT_FOUND",),
    ),
)
