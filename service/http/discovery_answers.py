"""Answers about the service itself and its examples."""

from typing import Literal

from pydantic import Field

from service.addresses import address
from service.http.answer import Answer, Count, Map, Success, Time, Url
from service.http.result_answers import File
from tethermap.base import layout
from tethermap.base.root import __version__

SERVICE, API_VERSION = "tethermap", "0.1"


class QueueLength(Answer):
    """Number of waiting and running jobs."""

    queued: Count
    running: Count


class HealthAnswer(Answer):
    """State of the service: whether it accepts jobs."""

    ok: bool
    service: str = SERVICE
    status: Literal["healthy", "degraded"]
    reasons: list[str]
    version: str = __version__
    api_version: str = API_VERSION
    environment: str
    timestamp: Time
    time: Time
    jobs_dir_exists: bool
    jobs_dir_writable: bool
    pipeline_assets_exists: bool
    disk_free_bytes: Count
    index_consistent: bool
    queue: QueueLength


class BaseUrls(Answer):
    """Base addresses of the service."""

    primary: str
    secondary: str | None


class RouteNote(Answer):
    """Route with its summary."""

    method: str
    path: str
    note: str


class RouteGroup(Answer):
    """Routes of one subject."""

    title: str
    description: str
    routes: list[RouteNote]


class DocsUrls(Answer):
    """Addresses of the documentation."""

    api_docs: Url = Field(default_factory=lambda: address("/api-docs"))
    openapi: Url = Field(default_factory=lambda: address("/openapi.json"))
    browser: Url = Field(default_factory=lambda: address("/browse"))
    examples: Url = Field(default_factory=lambda: address("/examples"))


class NamedLink(Answer):
    """A tool for use with the service."""

    name: str
    url: str


class ServiceSuccess(Success):
    """Common fields of responses about the service."""

    service: str = SERVICE


class ManifestAnswer(ServiceSuccess):
    """Description of the service: routes, limits, features."""

    version: str = __version__
    api_version: str = API_VERSION
    environment: str
    timestamp: Time
    base_urls: BaseUrls
    active_endpoint_groups: list[RouteGroup]
    docs_urls: DocsUrls = Field(default_factory=DocsUrls)
    companion_tool_links: list[NamedLink]
    limits: Map
    features: Map
    warning: str | None


class OpenApiAnswer(Answer):
    """The OpenAPI document."""

    openapi: str
    info: Map
    servers: list[Map]
    tags: list[Map]
    paths: Map
    components: Map


class ExampleCounts(Answer):
    """Counts of an example."""

    bundle_available: bool
    csv_count: Count
    downloadable_file_count: Count
    result_rows: Count
    sdf_count: Count
    svg_count: Count
    table_count: Count
    war_pdb_count: Count


class ExampleOutputs(Answer):
    """Names of an example's key outputs."""

    ligand_metadata: str = "Ligand_Metadata.csv"
    mcs_sdf_dir: str = layout.MCS_SDF
    mcs_svg_dir: str = layout.MCS_SVG
    resolved_sasa_summary: str = "Resolved_SASA_Summary.csv"
    results_display: str = layout.RESULTS_DISPLAY_LINK
    war_pdb_dir: str = layout.WAR_PDB


class ExamplePlaces(Answer):
    """Paths of an example's parts."""

    artifacts: Url
    bundle: Url
    files: Url
    metadata: Url
    page: Url
    war_pdbs: Url
    war_pdbs_zip: Url


class ExampleLinks(ExamplePlaces):
    """Addresses of an example and its parts."""

    api_docs: Url = Field(default_factory=lambda: address("/api-docs"))
    metadata_legacy: Url
    results: Url


class ExampleUrls(ExamplePlaces):
    """Addresses of an example, by their earlier names."""

    browser: Url


class ExampleRecord(Answer):
    """Example, with or without results on this server."""

    job_id: str
    label: str
    protein: str
    search_query: str
    use_case: str
    available: bool
    has_results: bool
    status: Literal["available", "partial", "unavailable"]
    status_reason: str
    api_curl: str
    counts: ExampleCounts
    key_outputs: ExampleOutputs = ExampleOutputs()
    browser_url: Url
    page_url: Url
    bundle_url: Url
    files_url: Url
    job_url: Url
    links: ExampleLinks
    urls: ExampleUrls
    what_you_can_do: list[str]


class ExampleAnswer(ExampleRecord, ServiceSuccess):
    """One example."""

    files_count: Count


class ExamplesAnswer(ServiceSuccess):
    """All configured examples."""

    examples: list[ExampleRecord]


class UnavailableExampleAnswer(ExampleRecord, ServiceSuccess):
    """Response of every route of a configured example whose results are missing."""

    count: Count = 0
    total: Count = 0
    files_count: Count = 0
    files: list[File] = Field(default_factory=list)
