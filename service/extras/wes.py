"""GA4GH's Workflow Execution Service 1.1: the jobs of this service as runs of one workflow."""

from collections.abc import Mapping
from datetime import datetime
from importlib.metadata import version
from typing import Any, Literal
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import Response

from service.addresses import WES, address
from service.errors import (
    InvalidField,
    InvalidJson,
    MissingField,
    NotFound,
    UnsupportedInput,
    invalid_field,
    wrong_parameter,
)
from service.http.answer import Answer, Count, Map, Time
from service.http.endpoint import Routes
from service.http.json_body import parse_object
from service.http.multipart import sent_form
from service.http.parameters import Text, Whole
from service.http.responses import json_answer, tagged
from service.jobs.record import CANCELED, COMPLETED, QUEUED, RUNNING, JobRecord, State, utc_text
from service.jobs.submission import parse_submission
from service.results.steps import read_steps
from service.routes.shared import (
    changeable_job,
    in_thread,
    job_filters,
    job_of,
    owner_of,
    require_allowed,
    shared_of,
)
from tethermap.base import layout
from tethermap.base.root import __version__

RunState = Literal["QUEUED", "RUNNING", "COMPLETE", "EXECUTOR_ERROR", "SYSTEM_ERROR", "CANCELED"]


class WesServiceType(Answer):
    """Type of the service."""

    group: str = "org.ga4gh"
    artifact: str = "wes"
    version: str = "1.1.0"


class WesOrganization(Answer):
    """Operator of the service."""

    name: str
    url: str


class WesVersions(Answer):
    """Versions of a workflow language."""

    workflow_type_version: list[str]


class WesEngineVersions(Answer):
    """Versions of an engine."""

    workflow_engine_version: list[str]


class WesServiceAnswer(Answer):
    """Description of the service."""

    id: str = "org.tethermap"
    name: str = "Tethermap"
    type: WesServiceType = WesServiceType()
    description: str = "From a target name to cleaned, ligand-bound PDB structures, and where linkers can leave them."
    organization: WesOrganization
    version: str = __version__
    workflow_type_versions: dict[str, WesVersions]
    supported_wes_versions: list[str]
    supported_filesystem_protocols: list[str]
    workflow_engine_versions: dict[str, WesEngineVersions]
    default_workflow_engine_parameters: list[Map]
    system_state_counts: dict[str, Count]
    auth_instructions_url: str
    tags: dict[str, str]


class WesRunAnswer(Answer):
    """Id of a run."""

    run_id: str


class WesStatusAnswer(Answer):
    """State of a run."""

    run_id: str
    state: RunState


class WesRunSummary(WesStatusAnswer):
    """State, times and tags of a run."""

    start_time: Time | Literal[""]
    end_time: Time | Literal[""]
    tags: dict[str, str]


class WesRunsAnswer(Answer):
    """Page of runs, newest first."""

    runs: list[WesRunSummary]
    next_page_token: str


class WesRequest(Answer):
    """Request of a run in its original form."""

    workflow_params: Map
    workflow_type: str
    workflow_type_version: str
    workflow_url: str
    tags: dict[str, str]


class WesLog(Answer):
    """Times and log of a run or step."""

    name: str
    cmd: list[str]
    start_time: Time | Literal[""]
    end_time: Time | Literal[""]
    stdout: str
    stderr: str
    exit_code: int


class WesTaskAnswer(WesLog):
    """Step of a run."""

    id: str


class WesTasksAnswer(Answer):
    """Page of the steps of a run, in order."""

    task_logs: list[WesTaskAnswer]
    next_page_token: str


class WesRunLogAnswer(Answer):
    """Run with the addresses of its results."""

    run_id: str
    request: WesRequest
    state: RunState
    run_log: WesLog
    task_logs_url: str
    outputs: Map


WORKFLOW_URL = "tethermap"
"""The only workflow."""

_TYPE, _TYPE_VERSION, _ENGINE = "SMK", "9", "snakemake"
_ATTACHED = "workflow_attachment"
_KEPT = {"workflow_type": _TYPE, "workflow_type_version": _TYPE_VERSION, "workflow_url": WORKFLOW_URL}
_LARGEST_TAGS = 8192
"""Characters of the names and values of a run's tags, which the list of runs contains."""
_MOST_FIELDS = 100
_NO_EXIT_CODE = -1
_PAGE_SIZE = Whole("page_size", "Maximum number of rows (default 50).", minimum=1, maximum=1000)
_PAGE_TOKEN = Text("page_token", "`next_page_token` of the previous page.")

_STATES: dict[State, RunState] = {QUEUED: "QUEUED", RUNNING: "RUNNING", COMPLETED: "COMPLETE", CANCELED: "CANCELED"}


def _state(record: JobRecord) -> RunState:
    if record.error is not None and record.error.kind in ("upstream", "interrupted", "timeout", "disk_full"):
        return "SYSTEM_ERROR"
    return _STATES.get(record.status, "EXECUTOR_ERROR")


def _here(request: Request) -> str:
    """Return the absolute address of the service."""
    return shared_of(request).parts.settings.base_url_primary or str(request.base_url).rstrip("/") + address("")


ROUTES = Routes("GA4GH WES")


@ROUTES.get(f"{WES}/service-info", WesServiceAnswer)
async def wes_service_info(request: Request) -> Response:
    """Service info: supported workflow."""
    counts = shared_of(request).parts.queue.counts()
    here = _here(request)
    answer = WesServiceAnswer(
        organization=WesOrganization(name="Tethermap", url=here),
        workflow_type_versions={_TYPE: WesVersions(workflow_type_version=[_TYPE_VERSION])},
        supported_wes_versions=["1.1.0"],
        supported_filesystem_protocols=["http", "https"],
        workflow_engine_versions={_ENGINE: WesEngineVersions(workflow_engine_version=[version(_ENGINE)])},
        default_workflow_engine_parameters=[],
        system_state_counts={"QUEUED": counts.queued, "RUNNING": counts.running},
        auth_instructions_url=f"{here}/login",
        tags={"workflow_url": WORKFLOW_URL, "openapi": f"{here}/openapi.json"},
    )
    return json_answer(answer)


@ROUTES.get(f"{WES}/runs", WesRunsAnswer, (_PAGE_SIZE, _PAGE_TOKEN), listing=True)
async def list_runs(request: Request) -> Response:
    """Runs, newest first."""
    limit, offset = _page(request)
    parts = shared_of(request).parts
    total, rows = await parts.index.jobs(job_filters(request), "created_desc", limit, offset)
    records = [record for row in rows if (record := parts.store.get(str(row["job_id"]))) is not None]
    runs = [
        WesRunSummary(run_id=record.job_id, state=_state(record), **_times(record), tags=_sent(record)["tags"])
        for record in records
    ]
    return tagged(request, WesRunsAnswer(runs=runs, next_page_token=_next(limit, offset, total)))


def _page(request: Request) -> tuple[int, int]:
    """Return limit and offset of the requested page."""
    limit, token = _PAGE_SIZE.of(request) or 50, _PAGE_TOKEN.of(request) or "0"
    if not (token.isascii() and token.isdecimal() and len(token) < 10):
        reason = f"is {token[:64]!r}: use the next_page_token of the previous page"
        raise wrong_parameter("page_token", reason)
    return limit, int(token)


def _next(limit: int, offset: int, total: int) -> str:
    return str(offset + limit) if offset + limit < total else ""


@ROUTES.post(f"{WES}/runs", WesRunAnswer, errors=("UNSUPPORTED_INPUT",), body="NewRun")
async def run_workflow(request: Request) -> Response:
    """Run the workflow; workflow_params contains the fields of a job."""
    shared = shared_of(request)
    fields = await _form(request)
    for name in _KEPT:
        if not fields.get(name, "").strip():
            raise MissingField(f"{name} is missing.", field=name)
    for name, known in (*_KEPT.items(), ("workflow_engine", _ENGINE)):
        if fields.get(name, "").strip() not in ("", known):
            raise _refused(name, f"is not {known!r}, the one that this service runs")
    if _objects(fields, "workflow_engine_parameters"):
        raise _refused("workflow_engine_parameters", "must be empty: service-info lists none")
    body = await in_thread(parse_object, fields.get("workflow_params", "").encode(), "workflow_params")
    submission = await in_thread(parse_submission, body, shared.parts.settings)
    await require_allowed(request, submission)
    tags = _objects(fields, "tags")
    if sum(map(len, (*tags, *tags.values()))) > _LARGEST_TAGS:
        raise _refused("tags", f"has more than {_LARGEST_TAGS} characters")
    kept = {**{name: fields[name].strip() for name in _KEPT}, "tags": tags}
    submission = submission.model_copy(update={"run": kept})
    record = await shared.parts.queue.submit(submission, owner=owner_of(request))
    return json_answer(WesRunAnswer(run_id=record.job_id))


def _refused(name: str, reason: str) -> InvalidField:
    return InvalidField(f"{name} {reason}.", field=name, reason=reason, http_status=400)


def _objects(fields: Mapping[str, str], name: str) -> dict[str, str]:
    """Return a field that is a JSON object of texts; empty if it is absent."""
    text = fields.get(name, "").strip()
    values = parse_object(text.encode(), name) if text else {}
    if not all(isinstance(value, str) for value in values.values()):
        raise _refused(name, "has values that are not text")
    return values


async def _form(request: Request) -> dict[str, str]:
    """Return the fields of a form by name; a form with an attached workflow is refused, as none is run."""
    try:
        text = (await request.body()).decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidJson(f"The form is not UTF-8 (byte {error.start}).") from None
    most = shared_of(request).parts.settings.max_body_bytes
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type == "application/x-www-form-urlencoded":
        try:
            pairs: list[tuple[str, str]] = parse_qsl(text, keep_blank_values=True, max_num_fields=_MOST_FIELDS)
        except ValueError:
            raise invalid_field("form", "has too many fields") from None
    else:
        async with sent_form(request, "A run is", files=_MOST_FIELDS, largest=most) as form:
            if _ATTACHED in form:
                raise UnsupportedInput(f"{_ATTACHED}: sent workflows are not run.", field=_ATTACHED)
            pairs = [
                (name, value if isinstance(value, str) else (await value.read()).decode("utf-8"))
                for name, value in form.multi_items()
            ]
    fields: dict[str, str] = {}
    for name, value in pairs:
        if name in fields:
            raise InvalidField(f"{name[:64]} is given twice.", field=name[:64])
        fields[name] = value
    return fields


@ROUTES.get(f"{WES}/runs/{{job_id}}", WesRunLogAnswer)
async def get_run(request: Request) -> Response:
    """A run with its results."""
    record = job_of(request).record
    params = {name: value for name, value in record.request.items() if name != "run"}
    answer = WesRunLogAnswer(
        run_id=record.job_id,
        request=WesRequest(workflow_params=params, **_sent(record)),
        state=_state(record),
        run_log=WesLog(
            name=record.target_name,
            cmd=[],
            **_times(record),
            **_logs(request, record),
            exit_code=0 if record.status == COMPLETED else 1 if record.final else _NO_EXIT_CODE,
        ),
        task_logs_url=f"{_here(request)}{WES}/runs/{record.job_id}/tasks",
        outputs=_outputs(record, f"{_here(request)}/api/jobs/{record.job_id}"),
    )
    return tagged(request, answer)


def _sent(record: JobRecord) -> dict[str, Any]:
    """Return the fields of a run in their original form; the usual ones if the job was submitted otherwise."""
    return {**_KEPT, "tags": {}, **(record.request.get("run") or {})}


def _times(record: JobRecord) -> dict[str, str]:
    return {"start_time": record.started_at or "", "end_time": record.finished_at or ""}


def _logs(request: Request, record: JobRecord) -> dict[str, str]:
    log = f"{_here(request)}/api/jobs/{record.job_id}/files/{layout.JOB_LOG}" if record.final else ""
    return {"stdout": log, "stderr": log}


def _outputs(record: JobRecord, base: str) -> dict[str, Any]:
    if not record.results_ready:
        return {}
    names = ("Results_Display.csv", "job_result_manifest.json", "TARGET_RESULTS/Exit_Answers.csv")
    files = {name.rpartition("/")[2]: f"{base}/files/{name}" for name in names}
    return {**files, "bundle": f"{base}/bundle", "answers": f"{base}/answers"}


@ROUTES.get(f"{WES}/runs/{{job_id}}/tasks", WesTasksAnswer, (_PAGE_SIZE, _PAGE_TOKEN), listing=True)
async def list_tasks(request: Request) -> Response:
    """Steps of a run."""
    limit, offset = _page(request)
    tasks = await _tasks(request)
    part = tasks[offset : offset + limit]
    return tagged(request, WesTasksAnswer(task_logs=part, next_page_token=_next(limit, offset, len(tasks))))


@ROUTES.get(f"{WES}/runs/{{job_id}}/tasks/{{task_id}}", WesTaskAnswer, errors=("NOT_FOUND",))
async def get_task(request: Request) -> Response:
    """One step of a run."""
    tasks = {task.id: task for task in await _tasks(request)}
    task_id = str(request.path_params["task_id"])
    task = tasks.get(task_id)
    if task is None:
        known = f"its tasks are {', '.join(tasks)}" if tasks else "it has no tasks"
        raise NotFound(f"The run has no task {task_id[:64]}; {known}.")
    return tagged(request, task)


async def _tasks(request: Request) -> list[WesTaskAnswer]:
    """Return the steps of a run that have begun."""
    job = job_of(request)
    steps = await in_thread(lambda: read_steps(job.folder, final=job.record.final))
    return [
        WesTaskAnswer(
            id=step.name,
            name=step.says,
            cmd=[],
            start_time=utc_text(datetime.fromisoformat(step.begun)),
            end_time=utc_text(datetime.fromisoformat(step.ended)) if step.ended else "",
            **_logs(request, job.record),
            exit_code={"done": 0, "failed": 1}.get(step.state, _NO_EXIT_CODE),
        )
        for step in steps
        if step.begun
    ]


@ROUTES.get(f"{WES}/runs/{{job_id}}/status", WesStatusAnswer)
async def get_run_status(request: Request) -> Response:
    """State of a run."""
    record = job_of(request).record
    return tagged(request, WesStatusAnswer(run_id=record.job_id, state=_state(record)))


@ROUTES.post(f"{WES}/runs/{{job_id}}/cancel", WesRunAnswer)
async def cancel_run(request: Request) -> Response:
    """Cancel a run."""
    record = changeable_job(request)
    await shared_of(request).parts.queue.cancel(record.job_id)
    return json_answer(WesRunAnswer(run_id=record.job_id))
