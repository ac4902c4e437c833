"""Curated examples."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from service.http.discovery_answers import ExampleAnswer, ExampleRecord, ExamplesAnswer
from service.http.endpoint import Routes
from service.http.responses import tagged
from service.results.examples import Example, example_record
from service.routes.shared import Shared, job_of, shared_of


def example_of(shared: Shared, example: Example) -> dict[str, Any]:
    """Return the fields of an example's record, from memory."""
    store = shared.parts.store
    record = store.get(example.job_id) if store.is_example(example.job_id) else None
    return example_record(example, record, store.example_folder(example.job_id))


async def list_examples(request: Request) -> Response:
    """Answer all configured examples."""
    shared = shared_of(request)
    examples = [ExampleRecord(**example_of(shared, example)) for example in shared.examples.values()]
    return tagged(request, ExamplesAnswer(examples=examples))


async def get_example(request: Request) -> Response:
    """Answer one example."""
    shared = shared_of(request)
    values = example_of(shared, shared.examples[job_of(request).record.job_id])
    return tagged(request, ExampleAnswer(**values, files_count=values["counts"].downloadable_file_count))


_ROUTES = Routes("Examples")

ENDPOINTS = (
    _ROUTES.get("/api/examples", list_examples, "All examples.", ExamplesAnswer, listing=True),
    _ROUTES.get("/api/examples/{job_id}", get_example, "One example.", ExampleAnswer),
    _ROUTES.get(
        "/api/examples/{job_id}/metadata", get_example, "The same.", ExampleAnswer, name="get_example_metadata"
    ),
)
