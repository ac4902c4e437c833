"""The page to submit a job: a form that works without scripts, and its equivalent as JSON."""

import contextlib
import hashlib
import secrets
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

import anyio
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from service.addresses import address
from service.errors import InvalidField, ServiceError, Unauthorized
from service.http.endpoint import PAGE, Routes
from service.http.job_answers import SuggestedName, SuggestionsAnswer
from service.http.multipart import FIELD, announced_length, files_of, sent_form
from service.http.parameters import Parameter, Text
from service.http.responses import json_answer, json_bytes
from service.jobs.submission import public_settings
from service.pages.form import Meaning, is_smiles, ligand_asked, meaning_of, option_groups, values_of_request
from service.pages.render import page
from service.pages.texts import TEXTS
from service.routes.shared import (
    FORM_FIELDS,
    form_values,
    from_own_page,
    in_thread,
    owner_of,
    record_of,
    require_allowed,
    shared_of,
    upload_named,
)
from service.runs.dry_run import dry_run
from service.runs.idempotency import Idempotency
from tethermap.sources.suggestions import suggest

_KEY_CHARACTERS = 64
_START = {"target_name": ["HIV-1 protease"], "search_query": ["1HPV"]}
"""Command and file shown for an empty form."""


_TEXT = Text("text", "Beginning of a gene, protein, accession, or drug name, or of a word in it.")
_LOOKUPS = anyio.CapacityLimiter(4)
"""Simultaneous lookups of suggestions; RCSB PDB accepts ten requests per second."""


ROUTES = Routes("Pages")


@ROUTES.get("/", PAGE, (Parameter("from", "Fill in the form with the settings of this job or example."),))
async def submit_page(request: Request) -> Response:
    """Form to submit a job."""
    return _form(request, _values_from(request, request.query_params.get("from", "")))


@ROUTES.post("/", {200: PAGE, 303: ""}, errors=("UPSTREAM_UNAVAILABLE",), body="Form")
async def submit_form(request: Request) -> Response:
    """Submit the form; with task=preview only show the entries of the job, with task=check its faults."""
    return await _answered(request, await form_values(request))


@ROUTES.post("/upload", {200: PAGE, 303: ""}, errors=("UPSTREAM_UNAVAILABLE",), body="Files")
async def upload_form(request: Request) -> Response:
    """Submit the form with files; without a task only show their content."""
    if not from_own_page(request):
        raise Unauthorized("The form was sent from another site.")
    shared = shared_of(request)
    values: dict[str, list[str]] = {}
    most, length = shared.parts.settings.max_upload_files, announced_length(request)
    try:
        if length > shared.parts.settings.max_body_bytes:  # files, which the quota may refuse before they are read
            await in_thread(shared.uploads.check_quota, owner_of(request), length)
        async with sent_form(request, "The form is", files=most, fields=FORM_FIELDS, field=FIELD) as form:
            texts = {name: [text for text in form.getlist(name) if isinstance(text, str)] for name in form}
            values = {name: several for name, several in texts.items() if several}
            if files := files_of(form):
                values["refused"] = [", ".join(file.filename or "" for file in files)]
                upload = await shared.uploads.add(files, shared.parts.clock.utc(), owner_of(request))
                values = {**values, "structures": [upload.upload_id]}
                del values["refused"]
    except ServiceError as error:
        return _form(request, values, error=error)
    if values.get("task") in (["submit"], ["preview"]) or "sequence" in values:
        return await _answered(request, values)
    return _form(request, values)


async def _answered(request: Request, values: dict[str, list[str]]) -> Response:
    """Submit the job of a form, or preview it."""
    shared = shared_of(request)
    if chosen := values.pop("sequence", None):  # a protein of the preview
        return _form(request, {**values, "fasta_seq": chosen})
    task = values.get("task")
    if task != ["check"] and is_smiles(text := ligand_asked(values)):
        return RedirectResponse(address(f"/browse?{urlencode({'find': text})}#found"), 303)
    try:
        if (refused := values.get("refused")) and "without_files" not in values:
            reason = str(TEXTS.front.files_rejected.plain(files=refused[0]))
            raise InvalidField(f"Files: {reason}.", field=FIELD, reason=reason)
        meaning = meaning_of(values, shared.parts.settings)
        await require_allowed(request, meaning.submission)
        if task == ["check"]:
            return _form(request, values, meaning)
        if task == ["preview"]:
            with shared.parts.queue.room(owner_of(request)):
                found = await dry_run(shared.scripts, shared.scrubber, meaning.submission)
                return _form(request, values, meaning, preview=found)
        key, owner = _once(values, meaning, owner_of(request)), owner_of(request)
        record = await shared.parts.queue.submit(meaning.submission, idempotency=key, source="web", owner=owner)
    except ServiceError as error:
        return _form(request, values, error=error)
    return RedirectResponse(address(f"/monitor/{record.job_id}"), 303)


@ROUTES.get("/api/suggestions", SuggestionsAnswer, (_TEXT,), listing=True)
async def suggest_names(request: Request) -> Response:
    """Names of the source that complete a text; no search."""
    settings, text = shared_of(request).parts.settings, _TEXT.of(request) or ""
    names = []
    if _LOOKUPS.available_tokens > 0:
        names = await in_thread(
            suggest, settings.source_kind, settings.mirror, settings.cache_dir, text, limiter=_LOOKUPS
        )
    answer = SuggestionsAnswer(suggestions=[SuggestedName(**name._asdict()) for name in names])
    return json_answer(answer, headers={"Cache-Control": "private, max-age=300"} if names else {})


def _once(values: Mapping[str, list[str]], meaning: Meaning, owner: str | None) -> Idempotency | None:
    """Return the key that makes a form sent twice one job: the key of its page and its settings."""
    key = values.get("key", [""])[0]
    if not key.isalnum() or not key.isascii() or len(key) > _KEY_CHARACTERS:
        return None
    digest = hashlib.sha256(json_bytes(meaning.body)).hexdigest()
    return Idempotency("/", f"{key}-{digest[:32]}", digest, owner)


def _values_from(request: Request, job_id: str) -> dict[str, list[str]]:
    """Return the values of the form for a job like an earlier one or an example."""
    example = shared_of(request).examples.get(job_id)
    if example is not None:
        job = example.job
        return values_of_request({**job, "options": dict(job.get("filters", {}))})
    record = record_of(request, job_id)
    return values_of_request(record.request) if record is not None and record.source != "example" else {}


def _form(
    request: Request,
    values: Mapping[str, list[str]],
    meaning: Meaning | None = None,
    *,
    error: ServiceError | None = None,
    preview: Any | None = None,
) -> Response:
    shared, owner = shared_of(request), owner_of(request)
    if meaning is None:
        try:
            meaning = meaning_of(values, shared.parts.settings)
        except ServiceError:
            meaning = meaning_of(_START, shared.parts.settings)
    parts, upload = shared.parts, None
    counts = parts.queue.counts()
    with contextlib.suppress(ServiceError):  # it names none
        upload = upload_named(request, values.get("structures", [""])[0])
    labels = {f"options.{one.name}": one.label for _, fields in option_groups() for one in fields}
    wrong = str(error.details.get("field", "")) if error else ""
    return page(
        "submit",
        error.status if error and values.get("task") != ["check"] else 200,
        error.headers if error else None,
        groups=option_groups(),
        values=values,
        opened=any(name in values for name in (*public_settings(), "search_query", "fasta_seq", "pdb_id", "ligand")),
        meaning=meaning,
        find=ligand_asked(values),
        preview=preview,
        error=error.message.replace(wrong, labels.get(wrong, wrong), 1) if error else "",
        error_field=wrong.removeprefix("options."),
        examples=[one for one in shared.examples.values() if parts.store.is_example(one.job_id)],
        key=secrets.token_hex(16),
        upload=upload,
        settings=parts.settings,
        tokens=bool(parts.settings.api_tokens) and owner is None,
        source=parts.settings.source,
        running=counts.running,
        queued=counts.queued,
    )
