"""Curated examples, as JSON and as pages."""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from service.addresses import address
from service.errors import ExampleNotFound
from service.http.discovery_answers import ExampleAnswer, ExampleRecord, ExamplesAnswer
from service.http.endpoint import PAGE, Routes
from service.http.responses import tagged
from service.pages.places import links_of
from service.pages.render import page
from service.results.answers import Answers, names_of_exit
from service.results.examples import Example, example_record
from service.routes.shared import Shared, in_thread, job_of, shared_of


def _record(shared: Shared, example: Example) -> dict[str, Any]:
    """Return the fields of an example's record, from memory."""
    store = shared.parts.store
    record = store.get(example.job_id) if store.is_example(example.job_id) else None
    return example_record(example, record, store.folder(example.job_id))


ROUTES = Routes("Examples")


@ROUTES.get("/api/examples", ExamplesAnswer, listing=True)
async def list_examples(request: Request) -> Response:
    """All examples."""
    shared = shared_of(request)
    examples = [ExampleRecord(**_record(shared, example)) for example in shared.examples.values()]
    return tagged(request, ExamplesAnswer(examples=examples))


@ROUTES.get(
    "/api/examples/{job_id}/metadata", ExampleAnswer, name="get_example_metadata", note="One example (second address)."
)
@ROUTES.get("/api/examples/{job_id}", ExampleAnswer)
async def get_example(request: Request) -> Response:
    """One example."""
    shared = shared_of(request)
    values = _record(shared, shared.examples[job_of(request).record.job_id])
    return tagged(request, ExampleAnswer(**values, files_count=values["counts"].downloadable_file_count))


@ROUTES.get("/examples", PAGE, group="Pages")
async def examples_page(request: Request) -> Response:
    """All examples."""
    shared = shared_of(request)
    there = [one for one in shared.examples.values() if shared.parts.store.is_example(one.job_id)]
    return page("examples", examples=[await _shown(shared, one) for one in there])


@ROUTES.get("/examples/{job_id}", PAGE, group="Pages")
async def example_page(request: Request) -> Response:
    """One example."""
    shared = shared_of(request)
    job_id = str(request.path_params["job_id"])
    if job_id not in shared.examples:
        raise ExampleNotFound("No example has this id.")
    return page("example", example=await _shown(shared, shared.examples[job_id]))


async def _shown(shared: Shared, example: Example) -> dict[str, Any]:
    """Return the record of an example, its best answer and the picture of it."""
    body = _record(shared, example)
    folder = shared.parts.store.folder(example.job_id)
    answers = (await in_thread(Answers.of, shared.tables.of(folder))).leading if body["has_results"] else []
    if not answers:
        return {**body, "picture": None}
    here = address(f"/results/{example.job_id}")
    links = links_of(str(answers[0]["best_stem"]), names_of_exit(answers[0]), here)
    return {**body, "picture": links["picture"], "first": answers[0]}
