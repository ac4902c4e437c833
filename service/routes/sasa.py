"""Exposure of ligands by atom."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from scripts.lib import tables
from scripts.lib.tables import Value
from service import query
from service.context import Context, Job, context_of, in_thread, job_of, sasa_context
from service.endpoint import Endpoint, Parameter
from service.errors import InvalidField, MissingField, NotFound
from service.exposure import atoms_by_instance, exposure_body, instance_atoms, summary_row
from service.job_tables import matching, same_entry, same_residue
from service.json_body import read_json
from service.responses import json_answer, tagged
from service.routes.parameters import CHAIN, CONTEXT, JOB_ERRORS, LIGAND, PDB_ID, RESIDUE_ID, optional

MAX_BULK = 500
_SHOWN = 64


async def available(request: Request) -> Response:
    """Answer the ligands of an entry that have been measured."""
    job = job_of(request, ready=True)
    pdb_id = query.required(request, "pdb_id")
    rows = await in_thread(context_of(request).tables.rows, job.folder, tables.SASA_SUMMARY)
    found = [
        {"chain": row["Chain"], "residue_id": row["Residue_ID"], "ligand": row["Warhead"]}
        for row in matching(rows, pdb_id)
    ]
    found.sort(key=lambda item: str(item["chain"]))
    return tagged(request, {"ok": True, "pdb_id": same_entry(pdb_id), "available": found})


async def atoms(request: Request) -> Response:
    """Answer the exposure of each atom of one ligand."""
    context = context_of(request)
    job = job_of(request, ready=True)
    pdb_id, chain, residue = (query.required(request, name) for name in ("pdb_id", "chain", "residue_id"))
    ligand, surroundings = query.text(request, "ligand"), sasa_context(request)
    buried = query.flag(request, "include_buried", default=True) is not False

    def read() -> dict[str, Any] | None:
        summary = summary_row(context.tables, job.folder, pdb_id, chain, residue, ligand)
        if summary is None:
            return None
        rows = instance_atoms(job.folder, str(summary["stem"]))
        return exposure_body(summary, rows, surroundings, include_buried=buried)

    body = await in_thread(read)
    if body is None:
        raise NotFound("The job has no such ligand.", details={"key": f"{same_entry(pdb_id)}|{chain}|{residue}"})
    return tagged(request, {"ok": True, **body})


async def bulk(request: Request) -> Response:
    """Answer the exposure of many ligands at once."""
    context = context_of(request)
    job = job_of(request, ready=True)
    surroundings = sasa_context(request)
    body = await read_json(request)
    items = body.get("requests")
    if items is None:
        raise MissingField("requests is missing.", details={"field": "requests"})
    if not isinstance(items, list) or len(items) > MAX_BULK:
        reason = f"is not a list of at most {MAX_BULK}"
        raise InvalidField(f"requests {reason}.", details={"field": "requests", "reason": reason})
    results, missing = await in_thread(_bulk, context, job, items, surroundings)
    return json_answer({"ok": True, "results": results, "missing": missing})


def _bulk(
    context: Context, job: Job, items: list[Any], surroundings: str
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    found: list[Mapping[str, Value]] = []
    missing: list[dict[str, Any]] = []
    for index, item in enumerate(items):
        names = _names(item)
        if names is None:
            missing.append({"index": index, "key": None, "reason": "malformed: give pdb_id, chain and residue_id"})
            continue
        pdb_id, chain, residue = names
        summary = summary_row(context.tables, job.folder, pdb_id, chain, residue, None)
        if summary is None:
            key = f"{same_entry(pdb_id)}|{chain}|{same_residue(residue)}"[: 3 * _SHOWN]
            missing.append({"index": index, "key": key, "reason": "the job has no such ligand"})
        else:
            found.append(summary)
    rows = atoms_by_instance(job.folder, {str(summary["stem"]) for summary in found})
    bodies = [exposure_body(summary, rows[str(summary["stem"])], surroundings) for summary in found]
    return {body["key"]: body for body in bodies}, missing


def _names(item: Any) -> tuple[str, str, str] | None:
    """Return entry, chain and residue of an item, numbers as text; None when it is malformed."""
    if not isinstance(item, dict):
        return None
    values = [item.get(name) for name in ("pdb_id", "chain", "residue_id")]
    texts = [str(value).strip() for value in values if isinstance(value, str | int | float) and value is not True]
    if len(texts) != len(values) or not all(0 < len(text) <= _SHOWN for text in texts):
        return None
    return texts[0], texts[1], texts[2]


async def residue_for_ligand(request: Request) -> Response:
    """Answer in which residues of a chain a ligand is."""
    job = job_of(request, ready=True)
    pdb_id, chain, ligand = (query.required(request, name) for name in ("pdb_id", "chain", "ligand"))
    rows = await in_thread(context_of(request).tables.rows, job.folder, tables.SASA_SUMMARY)
    found = matching(rows, pdb_id, chain, ligand)
    if not found:
        raise NotFound("The job has no such ligand.", details={"pdb_id": same_entry(pdb_id)})
    residues = [str(row["Residue_ID"]) for row in found]
    answer = {
        "ok": True,
        "pdb_id": found[0]["pdb_id"],
        "chain": found[0]["Chain"],
        "ligand": found[0]["Warhead"],
        "residue_id": residues[0],
        "resid": residues[0],
        "residues": residues,
        "source": "Resolved_SASA_Summary.csv",
    }
    return tagged(request, answer)


_GROUP = "SASA"
_ERRORS = (*JOB_ERRORS, "RESULTS_NOT_READY", "MISSING_FIELD", "INVALID_PARAMETER")
_BURIED = Parameter("include_buried", {"type": "boolean"}, "false leaves out atoms of no more than 0.1 Å².")

ENDPOINTS = (
    Endpoint(
        "GET",
        "/api/jobs/{job_id}/sasa/available",
        available,
        _GROUP,
        "Ligands of an entry.",
        (PDB_ID,),
        "",
        {200: "SasaAvailable"},
        _ERRORS,
    ),
    Endpoint(
        "GET",
        "/api/jobs/{job_id}/sasa/atoms",
        atoms,
        _GROUP,
        "Exposure of each atom of one ligand.",
        (PDB_ID, CHAIN, RESIDUE_ID, optional(LIGAND), _BURIED, CONTEXT),
        "",
        {200: "SasaAtoms"},
        (*_ERRORS, "NOT_FOUND"),
    ),
    Endpoint(
        "POST",
        "/api/jobs/{job_id}/sasa/bulk",
        bulk,
        _GROUP,
        "Exposure of many ligands.",
        (CONTEXT,),
        "BulkRequest",
        {200: "SasaBulk"},
        (*_ERRORS, "INVALID_JSON", "INVALID_FIELD", "UNSUPPORTED_MEDIA_TYPE", "PAYLOAD_TOO_LARGE"),
    ),
    Endpoint(
        "GET",
        "/api/jobs/{job_id}/sasa/residue_for_ligand",
        residue_for_ligand,
        _GROUP,
        "Residues of a ligand.",
        (PDB_ID, CHAIN, LIGAND),
        "",
        {200: "SasaResidue"},
        (*_ERRORS, "NOT_FOUND"),
    ),
)
