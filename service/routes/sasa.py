"""Exposure of ligands by atom."""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from service.errors import MissingField, NotFound, invalid_field
from service.http import sasa_answers as answers
from service.http.endpoint import Routes
from service.http.json_body import read_json
from service.http.openapi import MAX_BULK
from service.http.parameters import CHAIN, CONTEXT, LIGAND, PDB_ID, RESIDUE_ID, Flag
from service.http.responses import json_answer, tagged
from service.results.exposure import atoms_by_instance, exposure_of, instance_atoms, summaries_of
from service.results.job import Job
from service.results.tables import INSTANCE_COLUMNS, matching, same_entry, same_residue
from service.routes.shared import in_thread, job_of
from tethermap.base import tables
from tethermap.base.contexts import EXPOSED_ABOVE
from tethermap.base.tables import Row

_SHOWN = 64


ROUTES = Routes("SASA", ready=True)
_BURIED = Flag("include_buried", f"false skips atoms with an exposed area up to {EXPOSED_ABOVE} Å².")


@ROUTES.get("/api/jobs/{job_id}/sasa/available", answers.SasaAvailableAnswer, (PDB_ID,), listing=True)
def list_measured_ligands(request: Request, job: Job) -> Response:
    """Ligands of an entry."""
    pdb_id = PDB_ID.needed(request)
    rows = sorted(_instances(job, pdb_id), key=lambda row: str(row["Chain"]))
    ligands = [answers.MeasuredLigand.model_validate(row) for row in rows]
    return tagged(request, answers.SasaAvailableAnswer(pdb_id=same_entry(pdb_id), available=ligands))


def _instances(job: Job, pdb_id: str, *names: str) -> list[Row]:
    """Return the instances of an entry that have these names: chain, ligand."""
    return matching(job.tables.of_entries(tables.SASA_SUMMARY, [pdb_id], INSTANCE_COLUMNS), pdb_id, *names)


@ROUTES.get(
    "/api/jobs/{job_id}/sasa/atoms",
    answers.SasaAtomsAnswer,
    (PDB_ID, CHAIN, RESIDUE_ID, LIGAND.optional, _BURIED, CONTEXT),
    errors=("NOT_FOUND",),
)
def get_exposure(request: Request, job: Job) -> Response:
    """Exposure of each atom of one ligand."""
    pdb_id, chain, residue = (parameter.needed(request) for parameter in (PDB_ID, CHAIN, RESIDUE_ID))
    ligand, surroundings = LIGAND.optional.of(request), CONTEXT.of(request)
    buried = _BURIED.of(request) is not False
    known = summaries_of(job.tables, [pdb_id]).get(same_entry(pdb_id), ())
    found = matching(known, pdb_id, chain, ligand, residue)
    if not found:
        key = f"{same_entry(pdb_id)}|{chain}|{residue}"
        raise NotFound(f"The job has no ligand {key[:64]}: sasa/available lists those of an entry.", key=key)
    rows = instance_atoms(job.tables, str(found[0]["stem"]))
    values = exposure_of(found[0], rows, surroundings, include_buried=buried)
    return tagged(request, answers.SasaAtomsAnswer.model_construct(**values))


@ROUTES.post("/api/jobs/{job_id}/sasa/bulk", answers.SasaBulkAnswer, (CONTEXT,), body="WantedLigands", changes=False)
async def get_exposures(request: Request) -> Response:
    """Exposure of many ligands."""
    job = job_of(request)
    surroundings = CONTEXT.of(request)
    body = await read_json(request)
    items = body.get("requests")
    if items is None:
        raise MissingField("requests is missing.", field="requests")
    if not isinstance(items, list) or len(items) > MAX_BULK:
        raise invalid_field("requests", f"is not a list of at most {MAX_BULK}")
    asked = [_names(item) for item in items]

    def read() -> answers.SasaBulkAnswer:
        known = summaries_of(job.tables, [names[0] for names in asked if names])
        summaries: list[Row] = []
        missing: list[answers.MissingLigand] = []
        for index, names in enumerate(asked):
            if names is None:
                reason = "malformed: give pdb_id, chain and residue_id"
                missing.append(answers.MissingLigand(index=index, key=None, reason=reason))
                continue
            pdb_id, chain, residue = names
            if found := matching(known.get(same_entry(pdb_id), ()), pdb_id, chain, residue=residue):
                summaries.append(found[0])
            else:
                key = f"{same_entry(pdb_id)}|{chain}|{same_residue(residue)}"[: 3 * _SHOWN]
                missing.append(answers.MissingLigand(index=index, key=key, reason="the job has no such ligand"))
        rows = atoms_by_instance(job.tables, {str(summary["stem"]) for summary in summaries})
        exposures = [exposure_of(summary, rows[str(summary["stem"])], surroundings) for summary in summaries]
        results = {one["key"]: answers.LigandExposure.model_construct(**one) for one in exposures}
        return answers.SasaBulkAnswer(results=results, missing=missing)

    return json_answer(await in_thread(read))


def _names(item: Any) -> tuple[str, str, str] | None:
    """Return entry, chain and residue of an item, numbers as text; None when it is malformed."""
    if not isinstance(item, dict):
        return None
    values = [item.get(name) for name in ("pdb_id", "chain", "residue_id")]
    texts = [
        str(value).strip() for value in values if isinstance(value, str | int | float) and not isinstance(value, bool)
    ]
    if len(texts) != len(values) or not all(0 < len(text) <= _SHOWN for text in texts):
        return None
    return texts[0], texts[1], texts[2]


@ROUTES.get(
    "/api/jobs/{job_id}/sasa/residue_for_ligand",
    answers.SasaResidueAnswer,
    (PDB_ID, CHAIN, LIGAND),
    errors=("NOT_FOUND",),
)
def get_residue_of_ligand(request: Request, job: Job) -> Response:
    """Residues of a chain that contain a ligand."""
    pdb_id, chain, ligand = (parameter.needed(request) for parameter in (PDB_ID, CHAIN, LIGAND))
    rows = _instances(job, pdb_id, chain, ligand)
    if not rows:
        raise NotFound(f"The job has no ligand {ligand[:64]} in this chain.", pdb_id=same_entry(pdb_id))
    residues = [str(row["Residue_ID"]) for row in rows]
    values = {**rows[0], "resid": residues[0], "residues": residues}
    return tagged(request, answers.SasaResidueAnswer.model_validate(values))
