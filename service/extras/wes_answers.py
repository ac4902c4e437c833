"""Answers of GA4GH's Workflow Execution Service 1.1."""

from __future__ import annotations

from typing import Literal

from service.http.answer import Answer, Count, Map, Time, Url

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
