"""Exposure of ligands by atom."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from service.errors import InvalidField, MissingField, NotFound
from service.http.endpoint import Routes
from service.http.json_body import read_json
from service.http.openapi import MAX_BULK
from service.http.parameters import CHAIN, CONTEXT, LIGAND, PDB_ID, RESIDUE_ID, Flag
from service.http.responses import json_answer, tagged
from service.http.sasa_answers import (
    LigandExposure,
    MeasuredLigand,
    MissingLigand,
    SasaAtomsAnswer,
    SasaAvailableAnswer,
    SasaBulkAnswer,
    SasaResidueAnswer,
)
from service.results.exposure import Summaries, atoms_by_instance, exposure_of, instance_atoms
from service.results.job import Job
from service.results.tables import INSTANCE_COLUMNS, matching, same_entry, same_residue
from service.routes.shared import Shared, in_thread, job_of, shared_of
from tethermap.base import tables
from tethermap.base.contexts import EXPOSED_ABOVE
from tethermap.base.tables import Row

_SHOWN = 64


ROUTES = Routes("SASA", ready=True)
_BURIED = Flag("include_buried", f"false skips atoms with an exposed area up to {EXPOSED_ABOVE} Å².")


@ROUTES.get("/api/jobs/{job_id}/sasa/available", "Ligands of an entry.", SasaAvailableAnswer, (PDB_ID,), listing=True)
async def list_measured_ligands(request: Request) -> Response:
    """Answer the ligands of an entry that have been measured."""
    job = job_of(request, ready=True)
    pdb_id = PDB_ID.needed(request)
    rows = await in_thread(
        shared_of(request).tables.of_entries, job.folder, tables.SASA_SUMMARY, [pdb_id], INSTANCE_COLUMNS
    )
    ligands = [
        MeasuredLigand(chain=str(row["Chain"]), residue_id=str(row["Residue_ID"]), ligand=str(row["Warhead"]))
        for row in matching(rows, pdb_id)
    ]
    ligands.sort(key=lambda ligand: ligand.chain)
    return tagged(request, SasaAvailableAnswer(pdb_id=same_entry(pdb_id), available=ligands))


@ROUTES.get(
    "/api/jobs/{job_id}/sasa/atoms",
    "Exposure of each atom of one ligand.",
    SasaAtomsAnswer,
    (PDB_ID, CHAIN, RESIDUE_ID, LIGAND.optional, _BURIED, CONTEXT),
    errors=("NOT_FOUND",),
)
async def get_exposure(request: Request) -> Response:
    """Answer the exposure of each atom of one ligand."""
    shared = shared_of(request)
    job = job_of(request, ready=True)
    pdb_id, chain, residue = (parameter.needed(request) for parameter in (PDB_ID, CHAIN, RESIDUE_ID))
    ligand, surroundings = LIGAND.optional.of(request), CONTEXT.of(request)
    buried = _BURIED.of(request) is not False

    def read() -> SasaAtomsAnswer | None:
        summary = Summaries(shared.tables, job.folder, [pdb_id]).row(pdb_id, chain, residue, ligand)
        if summary is None:
            return None
        rows = instance_atoms(shared.tables, job.folder, str(summary["stem"]))
        return SasaAtomsAnswer.model_construct(**exposure_of(summary, rows, surroundings, include_buried=buried))

    answer = await in_thread(read)
    if answer is None:
        key = f"{same_entry(pdb_id)}|{chain}|{residue}"
        raise NotFound(
            f"The job has no ligand {key[:64]}: sasa/available lists those of an entry.", details={"key": key}
        )
    return tagged(request, answer)


@ROUTES.post(
    "/api/jobs/{job_id}/sasa/bulk",
    "Exposure of many ligands.",
    SasaBulkAnswer,
    (CONTEXT,),
    body="WantedLigands",
    changes=False,
)
async def get_exposures(request: Request) -> Response:
    """Answer the exposure of many ligands at once."""
    shared = shared_of(request)
    job = job_of(request, ready=True)
    surroundings = CONTEXT.of(request)
    body = await read_json(request)
    items = body.get("requests")
    if items is None:
        raise MissingField("requests is missing.", details={"field": "requests"})
    if not isinstance(items, list) or len(items) > MAX_BULK:
        reason = f"is not a list of at most {MAX_BULK}"
        raise InvalidField(f"requests {reason}.", details={"field": "requests", "reason": reason})
    results, missing = await in_thread(_bulk, shared, job, items, surroundings)
    return json_answer(SasaBulkAnswer(results=results, missing=missing))


def _bulk(
    shared: Shared, job: Job, items: list[Any], surroundings: str
) -> tuple[dict[str, LigandExposure], list[MissingLigand]]:
    asked = [_names(item) for item in items]
    known = Summaries(shared.tables, job.folder, [names[0] for names in asked if names])
    summaries: list[Row] = []
    missing: list[MissingLigand] = []
    for index, names in enumerate(asked):
        if names is None:
            reason = "malformed: give pdb_id, chain and residue_id"
            missing.append(MissingLigand(index=index, key=None, reason=reason))
            continue
        pdb_id, chain, residue = names
        summary = known.row(pdb_id, chain, residue)
        if summary is None:
            key = f"{same_entry(pdb_id)}|{chain}|{same_residue(residue)}"[: 3 * _SHOWN]
            missing.append(MissingLigand(index=index, key=key, reason="the job has no such ligand"))
        else:
            summaries.append(summary)
    rows = atoms_by_instance(shared.tables, job.folder, {str(summary["stem"]) for summary in summaries})
    exposures = [
        LigandExposure.model_construct(**exposure_of(summary, rows[str(summary["stem"])], surroundings))
        for summary in summaries
    ]
    return {exposure.key: exposure for exposure in exposures}, missing


def _names(item: Any) -> tuple[str, str, str] | None:
    """Return entry, chain and residue of an item, numbers as text; None when it is malformed."""
    if not isinstance(item, dict):
        return None
    values = [item.get(name) for name in ("pdb_id", "chain", "residue_id")]
    texts = [str(value).strip() for value in values if isinstance(value, str | int | float) and value is not True]
    if len(texts) != len(values) or not all(0 < len(text) <= _SHOWN for text in texts):
        return None
    return texts[0], texts[1], texts[2]


@ROUTES.get(
    "/api/jobs/{job_id}/sasa/residue_for_ligand",
    "Residues of a chain that contain a ligand.",
    SasaResidueAnswer,
    (PDB_ID, CHAIN, LIGAND),
    errors=("NOT_FOUND",),
)
async def get_residue_of_ligand(request: Request) -> Response:
    """Answer in which residues of a chain a ligand is."""
    job = job_of(request, ready=True)
    pdb_id, chain, ligand = (parameter.needed(request) for parameter in (PDB_ID, CHAIN, LIGAND))
    rows = await in_thread(
        shared_of(request).tables.of_entries, job.folder, tables.SASA_SUMMARY, [pdb_id], INSTANCE_COLUMNS
    )
    matches = matching(rows, pdb_id, chain, ligand)
    if not matches:
        raise NotFound(f"The job has no ligand {ligand[:64]} in this chain.", details={"pdb_id": same_entry(pdb_id)})
    residues = [str(row["Residue_ID"]) for row in matches]
    answer = SasaResidueAnswer(
        pdb_id=str(matches[0]["pdb_id"]),
        chain=str(matches[0]["Chain"]),
        ligand=str(matches[0]["Warhead"]),
        residue_id=residues[0],
        resid=residues[0],
        residues=residues,
    )
    return tagged(request, answer)
