"""The page to submit a job: a form that works without scripts, and what it means as JSON."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from service.context import Context, context_of, from_own_page
from service.endpoint import Endpoint, Parameter
from service.errors import InvalidField, ServiceError, Unauthorized, UnsupportedMediaType
from service.job_queue import Idempotency
from service.json_body import read_body
from service.pages.form import Meaning, meaning_of, option_groups, values_of_request
from service.pages.render import page
from service.responses import json_answer, json_bytes
from service.schemas import public_settings

_FIELDS = 200
_KEY_CHARACTERS = 64
_START = {"target_name": ["HIV-1 protease"], "search_query": ["1HPV"]}
"""What is shown as command and file while the form is empty."""


async def submit_page(request: Request) -> Response:
    """Show the form: empty, or with what an earlier job or an example asks for."""
    context = context_of(request)
    return _form(context, _values_from(context, request.query_params.get("from", "")))


async def submit_form(request: Request) -> Response:
    """Take a job from the form and go to its page; or show which entries it would use."""
    context = context_of(request)
    pairs = await form_pairs(request)
    values = _values(pairs)
    try:
        meaning = meaning_of(pairs, context.limits)
        if values.get("task") == ["preview"]:
            return _form(context, values, meaning, preview=await context.dry_runs.run(meaning.submission))
        record = await context.parts.queue.submit(meaning.submission, idempotency=_once(values, meaning), source="web")
    except ServiceError as error:
        return _form(context, values, error=error)
    return RedirectResponse(f"/monitor/{record.job_id}", 303)


async def check_form(request: Request) -> Response:
    """Answer what a filled-in form asks for, or which field can't be; nothing is submitted."""
    context = context_of(request)
    try:
        meaning = meaning_of(await form_pairs(request), context.limits)
    except (Unauthorized, UnsupportedMediaType):
        raise
    except ServiceError as error:
        return json_answer({"ok": True, "valid": False, "field": _field(error), "message": error.message})
    body = {"request": meaning.body, "curl": meaning.curl, "job_yaml": meaning.job_yaml}
    return json_answer({"ok": True, "valid": True, **body, "notes": list(meaning.submission.notes)})


async def form_pairs(request: Request) -> list[tuple[str, str]]:
    """Return names and values of a form that one of our own pages has sent.

    Raises
    ------
    Unauthorized
        If it comes from another site: that is told by the browser, not by the form.
    UnsupportedMediaType
        If it is no form.
    InvalidField
        If it has too many fields.
    """
    if not from_own_page(request):
        raise Unauthorized("The form was sent from another site.")
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/x-www-form-urlencoded":
        raise UnsupportedMediaType("The form is sent as application/x-www-form-urlencoded.")
    body = (await read_body(request)).decode("utf-8", errors="replace")
    try:
        return parse_qsl(body, max_num_fields=_FIELDS)
    except ValueError:
        raise InvalidField(f"The form has more than {_FIELDS} fields.", details={"field": "form"}) from None


def _once(values: Mapping[str, list[str]], meaning: Meaning) -> Idempotency | None:
    """Return what makes a form that is sent twice one job: the key of its page and what it asks for."""
    key = values.get("key", [""])[0]
    if not key.isalnum() or not key.isascii() or len(key) > _KEY_CHARACTERS:
        return None
    digest = hashlib.sha256(json_bytes(meaning.body)).hexdigest()
    return Idempotency("/", f"{key}-{digest[:32]}", digest)


def _values(pairs: Sequence[tuple[str, str]]) -> dict[str, list[str]]:
    values: dict[str, list[str]] = {}
    for name, value in pairs:
        values.setdefault(name, []).append(value)
    return values


def _values_from(context: Context, job_id: str) -> dict[str, list[str]]:
    """Return what the form holds for a job like an earlier one or an example."""
    example = context.examples.get(job_id)
    if example is not None:
        job = example.job
        return values_of_request({**job, "options": dict(job.get("filters", {}))})
    record = context.parts.store.get(job_id)
    return values_of_request(record.request) if record is not None and record.source != "example" else {}


def _field(error: ServiceError) -> str:
    """Return the form's field that an error is about."""
    name = str(error.details.get("field", ""))
    return name.removeprefix("options.")


def _form(
    context: Context,
    values: Mapping[str, list[str]],
    meaning: Meaning | None = None,
    *,
    error: ServiceError | None = None,
    preview: Mapping[str, Any] | None = None,
) -> Response:
    if meaning is None:
        try:
            meaning = meaning_of([(name, one) for name, many in values.items() for one in many], context.limits)
        except ServiceError:
            meaning = meaning_of([(name, one) for name, many in _START.items() for one in many], context.limits)
    parts = context.parts
    counts = parts.queue.counts()
    return page(
        "submit",
        error.status if error else 200,
        error.headers if error else None,
        groups=option_groups(),
        limits=context.limits,
        values=values,
        opened=any(name in values for name in (*public_settings(), "pdb_id", "ligand")),
        meaning=meaning,
        preview=preview,
        error=error.message if error else "",
        error_field=_field(error) if error else "",
        examples=list(context.examples.values()),
        shipped={one.job_id for one in context.examples.values() if parts.store.is_example(one.job_id)},
        key=secrets.token_hex(16),
        tokens=bool(parts.settings.api_tokens),
        source=parts.settings.source,
        running=counts.running,
        queued=counts.queued,
    )


_GROUP = "Pages"
_FORM_ERRORS = ("UNAUTHORIZED", "UNSUPPORTED_MEDIA_TYPE", "PAYLOAD_TOO_LARGE", "MISSING_FIELD", "INVALID_FIELD")

ENDPOINTS = (
    Endpoint(
        "GET",
        "/",
        submit_page,
        _GROUP,
        "Form to submit a job.",
        (Parameter("from", {"type": "string"}, "Fill it in as this job or example."),),
        answers={200: "text/html; charset=utf-8"},
    ),
    Endpoint(
        "POST",
        "/",
        submit_form,
        _GROUP,
        "What the form sends; task=preview only shows which entries a job would use.",
        body="Form",
        answers={200: "text/html; charset=utf-8", 303: ""},
        errors=(*_FORM_ERRORS, "QUEUE_FULL", "UPSTREAM_UNAVAILABLE"),
        changes=True,
    ),
    Endpoint(
        "POST",
        "/api/form",
        check_form,
        _GROUP,
        "What the form means as JSON, as a command and as a file, or what is wrong with it.",
        body="Form",
        answers={200: "FormMeaning"},
        errors=_FORM_ERRORS,
    ),
)
