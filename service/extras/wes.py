"""GA4GH's Workflow Execution Service 1.1: the jobs of this service as runs of one workflow."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any, Literal

from starlette.requests import Request
from starlette.responses import Response

from service.addresses import WES, address
from service.errors import InvalidField, InvalidJson, InvalidParameter, MissingField, UnsupportedInput
from service.http.answer import Answer, Count, Map, Time, Url
from service.http.endpoint import Routes
from service.http.json_body import parse_object
from service.http.multipart import sent_form
from service.http.parameters import Text, Whole
from service.http.responses import json_answer, tagged
from service.jobs.record import CANCELED, COMPLETED, FAILED, QUEUED, RUNNING, JobRecord, State
from service.jobs.submission import parse_submission
from service.routes.shared import (
    changeable_job,
    in_thread,
    job_filters,
    job_of,
    owner_of,
    require_own_uploads,
    require_public_receivers,
    shared_of,
)
from service.runs.extra import Extra
from tethermap.base.version import __version__

RunState = Literal["QUEUED", "RUNNING", "COMPLETE", "EXECUTOR_ERROR", "SYSTEM_ERROR", "CANCELED"]


class WesServiceType(Answer):
    """What kind of service it is."""

    group: str = "org.ga4gh"
    artifact: str = "wes"
    version: str = "1.1.0"


class WesOrganization(Answer):
    """Who runs it."""

    name: str
    url: str


class WesVersions(Answer):
    """Versions of a workflow language."""

    workflow_type_version: list[str]


class WesEngineVersions(Answer):
    """Versions of an engine."""

    workflow_engine_version: list[str]


class WesServiceAnswer(Answer):
    """What the service runs."""

    id: str
    name: str
    type: WesServiceType
    description: str
    organization: WesOrganization
    version: str
    workflow_type_versions: dict[str, WesVersions]
    supported_wes_versions: list[str]
    supported_filesystem_protocols: list[str]
    workflow_engine_versions: dict[str, WesEngineVersions]
    default_workflow_engine_parameters: list[Map]
    system_state_counts: dict[str, Count]
    auth_instructions_url: str
    tags: dict[str, str]


class WesRunAnswer(Answer):
    """The id of a run, which is that of its job."""

    run_id: str


class WesStatusAnswer(Answer):
    """How a run is."""

    run_id: str
    state: RunState


class WesRunsAnswer(Answer):
    """Runs, newest first, a page of them."""

    runs: list[WesStatusAnswer]
    next_page_token: str


class WesRequest(Answer):
    """What a run was asked for."""

    workflow_params: Map
    workflow_type: str
    workflow_type_version: str
    workflow_url: str


class WesLog(Answer):
    """What happened in a run."""

    name: str
    cmd: list[str]
    start_time: Time | Literal[""]
    end_time: Time | Literal[""]
    stdout: Url
    stderr: Url
    exit_code: int


class WesRunLogAnswer(Answer):
    """A run with what it has made."""

    run_id: str
    request: WesRequest
    state: RunState
    run_log: WesLog
    outputs: Map


WORKFLOW_URL = "tethermap"
"""The one workflow that there is."""

_TYPE, _TYPE_VERSION = "SMK", "9"
_NEWEST = "created_desc"
_MOST_RUNS = 1000
_MOST_OFFSET = 10**9
_MOST_FILES = 100
_ATTACHED = "workflow_attachment"
_PAGE_SIZE = Whole("page_size", "At most as many runs, 50 by default.", minimum=1, maximum=_MOST_RUNS)
_PAGE_TOKEN = Text("page_token", "The next_page_token of the page before.")

_STATES: dict[State, RunState] = {
    QUEUED: "QUEUED",
    RUNNING: "RUNNING",
    COMPLETED: "COMPLETE",
    FAILED: "EXECUTOR_ERROR",
    CANCELED: "CANCELED",
}
_OF_THE_SYSTEM = ("upstream", "interrupted", "timeout", "disk_full")


def _state(record: JobRecord) -> RunState:
    if record.error is not None and record.error.kind in _OF_THE_SYSTEM:
        return "SYSTEM_ERROR"
    return _STATES[record.status]


async def get_service_info(request: Request) -> Response:
    """Answer what can be run."""
    shared = shared_of(request)
    settings, counts = shared.parts.settings, shared.parts.queue.counts()
    here = settings.base_url_primary or str(request.base_url).rstrip("/") + address("")
    answer = WesServiceAnswer(
        id="org.tethermap",
        name="Tethermap",
        type=WesServiceType(),
        description="From a target name to cleaned, ligand-bound PDB structures, and where linkers can leave them.",
        organization=WesOrganization(name="Tethermap", url=here),
        version=__version__,
        workflow_type_versions={_TYPE: WesVersions(workflow_type_version=[_TYPE_VERSION])},
        supported_wes_versions=["1.1.0"],
        supported_filesystem_protocols=["http", "https"],
        workflow_engine_versions={"snakemake": WesEngineVersions(workflow_engine_version=[version("snakemake")])},
        default_workflow_engine_parameters=[],
        system_state_counts={"QUEUED": counts.queued, "RUNNING": counts.running},
        auth_instructions_url=f"{here}/login",
        tags={"workflow_url": WORKFLOW_URL, "openapi": f"{here}/openapi.json"},
    )
    return json_answer(answer)


async def list_runs(request: Request) -> Response:
    """Answer runs, a page of them."""
    limit, token = _PAGE_SIZE.of(request) or 50, _PAGE_TOKEN.of(request) or "0"
    if not (token.isascii() and token.isdecimal() and len(token) < len(str(_MOST_OFFSET))):
        raise InvalidParameter("page_token is none that was given.", details={"parameter": "page_token"})
    offset = int(token)
    parts = shared_of(request).parts
    total, rows = await parts.index.jobs(job_filters(request), _NEWEST, limit, offset)
    records = [record for row in rows if (record := parts.store.get(str(row["job_id"]))) is not None]
    runs = [WesStatusAnswer(run_id=record.job_id, state=_state(record)) for record in records]
    following = str(offset + limit) if offset + limit < total else ""
    return tagged(request, WesRunsAnswer(runs=runs, next_page_token=following))


async def run_workflow(request: Request) -> Response:
    """Take a run: its workflow_params are the fields of a job."""
    shared = shared_of(request)
    fields = await _form(request)
    for name in ("workflow_type", "workflow_type_version", "workflow_url"):
        if not fields.get(name, "").strip():
            raise MissingField(f"{name} is missing.", details={"field": name})
    if fields["workflow_url"].strip() != WORKFLOW_URL:
        reason = f"is not {WORKFLOW_URL!r}, the one workflow that this service runs"
        raise InvalidField(f"workflow_url {reason}.", details={"field": "workflow_url", "reason": reason}, status=400)
    body = parse_object(fields.get("workflow_params", "").encode())
    submission = await in_thread(parse_submission, body, shared.limits)
    require_own_uploads(request, submission)
    await require_public_receivers(request, submission)
    record = await shared.parts.queue.submit(submission, owner=owner_of(request))
    return json_answer(WesRunAnswer(run_id=record.job_id))


async def _form(request: Request) -> dict[str, str]:
    """Return the fields of a form by name; what it attaches is only looked for, as nothing is run that is sent."""
    try:
        (await request.body()).decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidJson(f"The form is not UTF-8 (byte {error.start}).") from None
    most = shared_of(request).parts.settings.max_body_bytes
    async with sent_form(request, "A run is", files=_MOST_FILES, largest=most) as form:
        if _ATTACHED in form:
            raise UnsupportedInput(f"{_ATTACHED}: nothing is run that is sent.", details={"field": _ATTACHED})
        fields: dict[str, str] = {}
        for name, value in form.multi_items():
            if name in fields:
                raise InvalidField(f"{name[:64]} is there twice.", details={"field": name[:64]})
            fields[name] = value if isinstance(value, str) else (await value.read()).decode("utf-8")
    return fields


async def get_run(request: Request) -> Response:
    """Answer a run with what it has made."""
    record = job_of(request).record
    base = address(f"/api/jobs/{record.job_id}")
    log = f"{base}/files/logs/job.log"
    answer = WesRunLogAnswer(
        run_id=record.job_id,
        request=WesRequest(
            workflow_params=record.request,
            workflow_type=_TYPE,
            workflow_type_version=_TYPE_VERSION,
            workflow_url=WORKFLOW_URL,
        ),
        state=_state(record),
        run_log=WesLog(
            name=record.target_name,
            cmd=[],
            start_time=record.started_at or "",
            end_time=record.finished_at or "",
            stdout=log,
            stderr=log,
            exit_code=0 if record.status == "completed" else 1 if record.final else -1,
        ),
        outputs=_outputs(record, base),
    )
    return tagged(request, answer)


def _outputs(record: JobRecord, base: str) -> dict[str, Any]:
    if not record.results_ready:
        return {}
    names = ("Results_Display.csv", "job_result_manifest.json", "TARGET_RESULTS/Exit_Answers.csv")
    files = {name.rpartition("/")[2]: f"{base}/files/{name}" for name in names}
    return {**files, "bundle": f"{base}/bundle", "answers": f"{base}/answers"}


async def get_run_status(request: Request) -> Response:
    """Answer how a run is."""
    record = job_of(request).record
    return tagged(request, WesStatusAnswer(run_id=record.job_id, state=_state(record)))


async def cancel_run(request: Request) -> Response:
    """Cancel a run."""
    record = changeable_job(request)
    await shared_of(request).parts.queue.cancel(record.job_id)
    return json_answer(WesRunAnswer(run_id=record.job_id))


_ROUTES = Routes("GA4GH WES")

EXTRA = Extra(
    (
        _ROUTES.get(
            f"{WES}/service-info", get_service_info, "What can be run.", WesServiceAnswer, name="wes_service_info"
        ),
        _ROUTES.get(
            f"{WES}/runs", list_runs, "Runs, newest first.", WesRunsAnswer, (_PAGE_SIZE, _PAGE_TOKEN), listing=True
        ),
        _ROUTES.post(
            f"{WES}/runs",
            run_workflow,
            "Run the workflow; workflow_params holds the fields of a job.",
            WesRunAnswer,
            errors=("UNSUPPORTED_INPUT", "QUEUE_FULL"),
            body="NewRun",
            changes=True,
        ),
        _ROUTES.get(f"{WES}/runs/{{job_id}}", get_run, "A run with what it has made.", WesRunLogAnswer),
        _ROUTES.get(f"{WES}/runs/{{job_id}}/status", get_run_status, "How a run is.", WesStatusAnswer),
        _ROUTES.post(
            f"{WES}/runs/{{job_id}}/cancel",
            cancel_run,
            "Cancel a run.",
            WesRunAnswer,
            errors=("JOB_STATE_CONFLICT",),
            changes=True,
        ),
    )
)
