"""JSON Schemas of what the service takes and answers, by name."""

from __future__ import annotations

from service.compare_schema import compare_schema
from service.errors import ServiceError
from service.exposure import CONTEXTS
from service.json_schema import (
    COUNT,
    FLAG,
    MAP,
    NUMBER,
    STATE,
    TEXT,
    TIME,
    URL,
    YES,
    Schema,
    counts,
    fields,
    many,
    null,
    ref,
)
from service.schemas import MAX_DELAY_SECONDS, SERVER_FILES, Limits, public_settings


def schemas(limits: Limits) -> dict[str, Schema]:
    """Return all schemas by name."""
    return {**_requests(limits), **_jobs(), **_files(), **_sasa(), **_others()}


def _requests(limits: Limits) -> dict[str, Schema]:
    names = {"type": ["string", "null"]}
    target = {**names, "maxLength": limits.target_characters}
    query = {**names, "maxLength": limits.query_characters}
    options = {name: dict(schema) for name, (_, schema) in public_settings().items()}
    job = {
        "type": "object",
        "properties": {
            "target_name": {**target, "description": "Name of the target; also protein, target."},
            "protein": target,
            "target": target,
            "search_query": {**query, "description": "Words, phrases, PDB ids, UniProt accessions; also query."},
            "query": query,
            "fasta_seq": {**names, "description": "FASTA or bare letters; also fasta, sequence."},
            "fasta": names,
            "sequence": names,
            "options": {"type": ["object", "null"], "properties": options, "additionalProperties": False},
            "pdb_id": {**names, "description": "Restrict to this entry."},
            "ligand": {**names, "description": "Restrict to this component."},
        },
        "not": {"anyOf": [{"required": [name]} for name in SERVER_FILES]},
    }
    item = fields(pdb_id=TEXT, chain=TEXT, residue_id=TEXT)
    return {
        "JobRequest": job,
        "BatchRequest": {
            "type": "object",
            "properties": {
                "jobs": {"type": "array", "items": ref("JobRequest"), "minItems": 1, "maxItems": limits.batch_jobs},
                "delay_seconds": {"type": "number", "minimum": 0, "maximum": MAX_DELAY_SECONDS},
            },
            "required": ["jobs"],
        },
        "BulkRequest": fields(requests={"type": "array", "items": item, "maxItems": 500}),
        "Form": {"type": "object", "properties": {"target_name": TEXT, "search_query": TEXT, "fasta_seq": TEXT}},
    }


def _jobs() -> dict[str, Schema]:
    entries = fields(found=null(COUNT), done=COUNT, kept=COUNT, rejected=COUNT)
    reason = fields(message=TEXT, step=TEXT, kind=TEXT)
    urls = dict.fromkeys(("monitor_url", "results_url", "files_url", "bundle_url", "browser_results_url"), URL)
    kinds = ("war_pdb_count", "sdf_count", "svg_count", "csv_count", "table_count")
    batch_job = fields(
        target_name=TEXT,
        search_query=TEXT,
        job_id=TEXT,
        status_url=URL,
        monitor_url=URL,
        results_url=URL,
        browser_results_url=URL,
    )
    return {
        "FormMeaning": fields(ok=YES, valid=FLAG),
        "Error": fields(
            ok={"const": False}, error=fields(code={"enum": error_codes()}, message=TEXT, details=MAP), request_id=TEXT
        ),
        "Submitted": fields(
            ok=YES, job_id=TEXT, status=STATE, status_url=URL, events_url=URL, notes=many(TEXT), **urls
        ),
        "DryRun": fields(
            ok=YES,
            dry_run=YES,
            total=COUNT,
            steps=many(MAP),
            notes=many(TEXT),
            entries=many(fields(pdb_id=TEXT, title=TEXT, resolution=null(NUMBER), ligands=many(TEXT), reason=TEXT)),
            estimate=fields(cpu_seconds=NUMBER, bytes=COUNT),
        ),
        "Job": fields(
            ok=YES,
            job_id=TEXT,
            status=STATE,
            target_name=TEXT,
            search_query=TEXT,
            source={"enum": ["api", "web", "cli", "batch", "example"]},
            batch_id=null(TEXT),
            created_at=null(TIME),
            started_at=null(TIME),
            finished_at=null(TIME),
            current_step=null(TEXT),
            attempt=COUNT,
            progress=fields(done=COUNT, planned=COUNT, percent=null(NUMBER), entries=entries),
            queue_position=null({"type": "integer", "minimum": 1}),
            request=MAP,
            notes=many(TEXT),
            error=null(reason),
            has_results=FLAG,
            results_ready=FLAG,
            results_row_count=COUNT,
            available_artifacts=fields(**dict.fromkeys(kinds, COUNT)),
            outputs=fields(
                results_url=URL,
                files_url=URL,
                bundle_url=URL,
                war_pdbs_url=URL,
                legacy_download_url=URL,
                has_results=FLAG,
                public_bundle_path=null(TEXT),
            ),
            **urls,
        ),
        "Deleted": fields(ok=YES, job_id=TEXT, deleted=YES),
        "JobLog": fields(
            ok=YES,
            job_id=TEXT,
            status=STATE,
            target=TEXT,
            current_step=null(TEXT),
            results_ready=FLAG,
            log=many(TEXT),
            next=COUNT,
            error=null(reason),
        ),
        "JobSummary": fields(
            job_id=TEXT,
            target=TEXT,
            total_warheads=COUNT,
            unique_warheads=COUNT,
            structures_downloaded=COUNT,
            warhead_id_col=TEXT,
        ),
        "Reproduction": fields(
            ok=YES,
            job_id=TEXT,
            config=MAP,
            command=TEXT,
            versions=MAP,
            unpinned=many(TEXT),
            entries=many(fields(pdb_id=TEXT, revision=TEXT, sha256=TEXT)),
            outputs=many(fields(path=TEXT, sha256=TEXT)),
        ),
        "BatchSubmitted": fields(
            ok=YES, batch_id=TEXT, count=COUNT, jobs=many(batch_job), batch_status_url=URL, batch_results_url=URL
        ),
        "Batch": fields(
            ok=YES,
            batch_id=TEXT,
            status=STATE,
            created_at=TIME,
            updated_at=TIME,
            count=COUNT,
            delay_seconds=NUMBER,
            counts=counts(),
            jobs=many(fields(job_id=TEXT, status=STATE, has_results=FLAG)),
        ),
        "BatchResults": fields(
            ok=YES,
            batch_id=TEXT,
            count=COUNT,
            jobs=many(
                fields(job_id=TEXT, target_name=TEXT, status=STATE, has_results=FLAG, results=null(ref("Results")))
            ),
        ),
    }


def _files() -> dict[str, Schema]:
    entry = fields(
        name=TEXT,
        filename=TEXT,
        relative_path=TEXT,
        kind=TEXT,
        folder=TEXT,
        size_bytes=COUNT,
        modified_at=TIME,
        sha256=null(TEXT),
        download_url=URL,
    )
    paging = {"total": COUNT, "limit": COUNT, "offset": COUNT, "next": null(URL), "prev": null(URL)}
    files = {
        "ok": YES,
        "job_id": TEXT,
        "kind": TEXT,
        "folder": TEXT,
        "count": COUNT,
        "files": many(ref("File")),
        **paging,
    }
    names = ("war_pdb", "pdb", "sdf", "svg", "csv", "table", "html", "manifest", "tsv")
    return {
        "File": entry,
        "Files": fields(**files),
        "Artifacts": fields(**files, kinds=counts(), folders=counts()),
        "Structures": fields(ok=YES, job_id=TEXT, count=COUNT, total=COUNT, files=many(ref("File")), zip_url=URL),
        "Results": fields(
            ok=YES,
            job_id=TEXT,
            status=STATE,
            has_results=FLAG,
            target_results_dir=TEXT,
            counts=fields(**dict.fromkeys(names, COUNT)),
            key_outputs=MAP,
            urls=fields(files=URL, bundle=URL, browser_results=URL),
            summary_files=many(ref("File")),
            display_files=many(ref("File")),
            files=many(ref("File")),
            files_total=COUNT,
            rejections=fields(total=COUNT, by_reason=counts()),
            pipeline=fields(version=null(TEXT), config_sha256=null(TEXT)),
        ),
        "Rows": fields(ok=YES, job_id=TEXT, table=TEXT, columns=many(TEXT), count=COUNT, rows=many(MAP), **paging),
        "ExitVectors": fields(ok=YES, job_id=TEXT, count=COUNT, exits=many(MAP)),
        "Compare": compare_schema(paging),
        "IndexedJobs": fields(
            ok=YES,
            count=COUNT,
            returned=COUNT,
            **paging,
            jobs=many(
                fields(
                    job_id=TEXT,
                    protein=TEXT,
                    target_name=TEXT,
                    search_query=TEXT,
                    fasta_len=COUNT,
                    status=STATE,
                    has_results=FLAG,
                    available=FLAG,
                    result_rows=COUNT,
                    ligand_count=COUNT,
                    created_at=null(TIME),
                    modified_at=null(TIME),
                    source=TEXT,
                    monitor_url=URL,
                    browser_results_url=URL,
                    api_status_url=URL,
                    files_url=URL,
                    bundle_url=URL,
                    war_pdbs_url=URL,
                )
            ),
        ),
    }


def _sasa() -> dict[str, Schema]:
    number = null(NUMBER)
    atom = fields(
        atom_name=TEXT,
        element=TEXT,
        atom_id=null(COUNT),
        x=NUMBER,
        y=NUMBER,
        z=NUMBER,
        exposure=number,
        exposure_a2=number,
        sasa_free=number,
        relative_sasa=number,
        rdkit_atom_index=null(COUNT),
    )
    exposure = {
        "key": TEXT,
        "pdb_id": TEXT,
        "chain": TEXT,
        "residue_id": TEXT,
        "ligand": TEXT,
        "stats": fields(min=number, max=number, p95=number),
        "totals": fields(sasa_bound=number, sasa_free=number, buried_fraction=number),
        "method": fields(algorithm=TEXT, probe_radius=number, radii=TEXT, context={"enum": list(CONTEXTS)}),
        "atoms": many(atom),
    }
    missing = fields(index=COUNT, key=null(TEXT), reason=TEXT)
    return {
        "SasaAvailable": fields(ok=YES, pdb_id=TEXT, available=many(fields(chain=TEXT, residue_id=TEXT, ligand=TEXT))),
        "SasaAtoms": fields(ok=YES, **exposure),
        "SasaBulk": fields(
            ok=YES, results={"type": "object", "additionalProperties": fields(**exposure)}, missing=many(missing)
        ),
        "SasaResidue": fields(
            ok=YES, pdb_id=TEXT, chain=TEXT, ligand=TEXT, residue_id=TEXT, resid=TEXT, residues=many(TEXT), source=TEXT
        ),
        "LigandProps": {"anyOf": [fields(ok=YES, Ligand=TEXT), ref("Error")]},
        "LigandChain": fields(chain=null(TEXT)),
        "Overlay": many(
            fields(
                atom_id=null(COUNT),
                atom_name=TEXT,
                x=NUMBER,
                y=NUMBER,
                z=NUMBER,
                exposure=number,
                bucket={"enum": ["low", "medium", "high"]},
                color={"type": "array", "items": {"type": "integer"}, "minItems": 3, "maxItems": 3},
            )
        ),
        "AtomMap": many(fields(atomIndex=COUNT, exposure=number)),
    }


def _others() -> dict[str, Schema]:
    example = {
        **dict.fromkeys(("job_id", "label", "protein", "search_query", "use_case", "status_reason", "api_curl"), TEXT),
        **dict.fromkeys(("available", "has_results"), FLAG),
        "status": {"enum": ["available", "partial", "unavailable"]},
        **dict.fromkeys(("browser_url", "page_url", "bundle_url", "files_url", "job_url"), URL),
        **dict.fromkeys(("counts", "key_outputs", "links", "urls"), MAP),
        "what_you_can_do": many(TEXT),
    }
    route = fields(method=TEXT, path=TEXT, note=TEXT)
    flags = ("ok", "jobs_dir_exists", "jobs_dir_writable", "pipeline_assets_exists", "index_consistent")
    return {
        "Example": fields(ok=YES, service=TEXT, files_count=COUNT, **example),
        "Examples": fields(ok=YES, service=TEXT, examples=many(fields(**example))),
        "UnavailableExample": fields(
            ok=YES,
            service=TEXT,
            count=COUNT,
            total=COUNT,
            files=many(MAP),
            **{**example, "available": {"const": False}},
        ),
        "Health": fields(
            **dict.fromkeys(flags, FLAG),
            service=TEXT,
            status={"enum": ["healthy", "degraded"]},
            version=TEXT,
            api_version=TEXT,
            environment=TEXT,
            timestamp=TIME,
            time=TIME,
            disk_free_bytes=COUNT,
            queue=fields(queued=COUNT, running=COUNT),
        ),
        "Manifest": fields(
            ok=YES,
            service=TEXT,
            version=TEXT,
            api_version=TEXT,
            environment=TEXT,
            timestamp=TIME,
            base_urls=fields(primary=TEXT, secondary=null(TEXT)),
            active_endpoint_groups=many(fields(title=TEXT, description=TEXT, routes=many(route))),
            docs_urls=MAP,
            companion_tool_links=many(fields(name=TEXT, url=TEXT)),
            limits=MAP,
            features=MAP,
            warning=null(TEXT),
        ),
        "OpenApi": fields(openapi=TEXT, info=MAP, paths=MAP, components=MAP),
    }


def error_codes() -> list[str]:
    """Return the codes of all errors."""
    return sorted(error_statuses())


def error_statuses() -> dict[str, int]:
    """Return the HTTP status of each error code."""
    found: dict[str, int] = {}
    waiting: list[type[ServiceError]] = [ServiceError]
    while waiting:
        kind = waiting.pop()
        found[kind.code] = kind.default_status
        waiting.extend(kind.__subclasses__())
    return found
