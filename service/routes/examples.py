"""Curated examples."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from service.context import Context, context_of, job_of
from service.endpoint import Endpoint
from service.examples import SERVICE, Example, example_body
from service.responses import tagged
from service.routes.files import EXAMPLE_ENDPOINTS
from service.routes.parameters import EXAMPLE_ERRORS


def example_of(context: Context, example: Example) -> dict[str, Any]:
    """Return the record of an example, from memory."""
    store = context.parts.store
    there = store.is_example(example.job_id)
    record = store.get(example.job_id) if there else None
    return example_body(example, record, store.example_folder(example.job_id))


async def list_examples(request: Request) -> Response:
    """Answer all configured examples."""
    context = context_of(request)
    found = [example_of(context, example) for example in context.examples.values()]
    return tagged(request, {"ok": True, "service": SERVICE, "examples": found})


async def example_metadata(request: Request) -> Response:
    """Answer one example."""
    context = context_of(request)
    job = job_of(request)
    body = example_of(context, context.examples[job.record.job_id])
    count = body["counts"]["downloadable_file_count"]
    return tagged(request, {"ok": True, "service": SERVICE, **body, "files_count": count})


ENDPOINTS = (
    Endpoint("GET", "/api/examples", list_examples, "Examples", "All examples.", answers={200: "Examples"}),
    Endpoint(
        "GET",
        "/api/examples/{job_id}",
        example_metadata,
        "Examples",
        "One example.",
        answers={200: "Example"},
        errors=EXAMPLE_ERRORS,
    ),
    Endpoint(
        "GET",
        "/api/examples/{job_id}/metadata",
        example_metadata,
        "Examples",
        "The same.",
        answers={200: "Example"},
        errors=EXAMPLE_ERRORS,
    ),
    *EXAMPLE_ENDPOINTS,
)
