"""Helpers for viewers: one file or list of one ligand, by its names in the path."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from service import query
from service.context import Context, Job, context_of, in_thread, job_of, resid, sasa_context
from service.depiction import recoloured
from service.endpoint import Endpoint, Parameter
from service.errors import FileNotFound, NotFound
from service.exposure import CONTEXTS, atom_map, instance_atoms, overlay
from service.middleware import request_id
from service.responses import FILE_POLICY, disposition, error_answer, file_answer, tagged, text_answer
from service.routes.parameters import CHAIN, CONTEXT, JOB_ERRORS, PDB_ID, RESID, optional
from service.structures import (
    Asked,
    chains_of,
    complex_file,
    file_name,
    find_by_name,
    find_instance,
    instance_file,
    instance_rows,
    metadata_row,
    protein_text,
)


def _asked(request: Request) -> Asked:
    """Return the instance that the path names."""
    path = request.path_params
    return Asked(path["pdb_id"], path.get("chain"), path["ligand"], resid(request))


async def exposed_svg(request: Request) -> Response:
    """Answer the depiction with exposure colours."""
    context = context_of(request)
    job = job_of(request, ready=True)
    surroundings = sasa_context(request)
    row = await in_thread(find_instance, context.tables, job.folder, _asked(request))
    artifact = await in_thread(instance_file, job.folder, row, "svg_exposed_path")
    if surroundings == CONTEXTS[0]:
        return await file_answer(request, artifact, inline=True)

    def redraw() -> str:
        atoms = instance_atoms(job.folder, str(row["stem"]))
        return recoloured(artifact.path.read_text(encoding="utf-8"), atoms, surroundings)

    headers = {"Content-Disposition": disposition(artifact.name, inline=True), "Content-Security-Policy": FILE_POLICY}
    return text_answer(request, await in_thread(redraw), artifact.media_type, headers)


async def plain_svg(request: Request) -> Response:
    """Answer the plain depiction."""
    return await _file(request, "svg_plain_path")


async def exits_svg(request: Request) -> Response:
    """Answer the depiction with the exits' arrows."""
    return await _file(request, "svg_exits_path")


async def ligand_sdf(request: Request) -> Response:
    """Answer the ligand's SDF."""
    return await _file(request, "sdf_path")


async def _file(request: Request, column: str) -> Response:
    job = job_of(request, ready=True)
    row = await in_thread(find_instance, context_of(request).tables, job.folder, _asked(request))
    return await file_answer(request, await in_thread(instance_file, job.folder, row, column), inline=True)


async def complex_pdb(request: Request) -> Response:
    """Answer a cleaned complex."""
    context = context_of(request)
    job = job_of(request, ready=True)
    name = str(request.path_params["name"])
    if not name.lower().endswith(".pdb"):
        raise FileNotFound("Names here end in .pdb.")
    stem = name[: -len(".pdb")]
    row = await in_thread(find_by_name, context.tables, job.folder, stem, resid(request))
    return await file_answer(request, await in_thread(complex_file, job.folder, row), inline=True)


async def protein(request: Request) -> Response:
    """Answer the polymer of one chain."""
    job = job_of(request, ready=True)
    pdb_id, chain = request.path_params["pdb_id"], request.path_params["chain"]
    ligand = query.text(request, "ligand")
    tables = context_of(request).tables
    text, name = await in_thread(protein_text, tables, job.folder, pdb_id, chain, ligand)
    headers = {"Content-Disposition": disposition(file_name(pdb_id, name), inline=True)}
    return text_answer(request, text, "chemical/x-pdb", headers)


async def ligand_props(request: Request) -> Response:
    """Answer what is known of a component."""
    job = job_of(request, ready=True)
    tables = context_of(request).tables
    ligand = str(request.path_params["ligand"])
    row = await in_thread(metadata_row, tables, job.folder, ligand, query.text(request, "smiles"))
    pdb_id = query.text(request, "pdb_id")
    if row is not None and pdb_id is not None:
        asked = Asked(pdb_id, query.text(request, "chain"), str(row["Ligand"]), resid(request))
        row = row if await in_thread(instance_rows, tables, job.folder, asked) else None
    if row is None:
        error = NotFound("The job has no such ligand.", details={"ligand": ligand[:64]}, status=200)
        return error_answer(error, request_id(request.scope))
    return tagged(request, {"ok": True, "job_id": job.record.job_id, **row})


async def ligand_chain(request: Request) -> Response:
    """Answer in which chain a ligand is."""
    job = job_of(request, ready=True)
    path = request.path_params
    chains = await in_thread(chains_of, context_of(request).tables, job.folder, path["pdb_id"], path["ligand"])
    return tagged(request, {"chain": chains[0] if chains else None})


async def sasa_overlay(request: Request) -> Response:
    """Answer atoms with exposure and colours."""
    return tagged(request, await _atoms(request, overlay))


async def sasa_atommap(request: Request) -> Response:
    """Answer exposure by the index of the atom in the SDF."""
    return tagged(request, await _atoms(request, atom_map))


async def _atoms(request: Request, form: Any) -> list[dict[str, Any]]:
    context: Context = context_of(request)
    job: Job = job_of(request, ready=True)
    asked, surroundings = _asked(request), sasa_context(request)

    def read() -> list[dict[str, Any]]:
        rows = instance_rows(context.tables, job.folder, asked)
        if not rows:
            return []
        found: list[dict[str, Any]] = form(instance_atoms(job.folder, str(rows[0]["stem"])), surroundings)
        return found

    return await in_thread(read)


_GROUP = "Structures and ligands"
_ERRORS = (*JOB_ERRORS, "RESULTS_NOT_READY")
_FILE = (*_ERRORS, "FILE_NOT_FOUND", "INVALID_PARAMETER", "RANGE_NOT_SATISFIABLE")
_SVG: Mapping[int, str] = {200: "image/svg+xml", 206: "image/svg+xml"}
_PDB: Mapping[int, str] = {200: "chemical/x-pdb", 206: "chemical/x-pdb"}
_SDF: Mapping[int, str] = {200: "chemical/x-mdl-sdfile", 206: "chemical/x-mdl-sdfile"}
_LIST = (*_ERRORS, "INVALID_PARAMETER")
_SMILES = Parameter("smiles", {"type": "string"}, "Looks the component up when its code is unknown.")
_ONE = "{job_id}/{pdb_id}/{chain}/{ligand}"
_ANY = "{job_id}/{pdb_id}/{ligand}"


def _pair(name: str, handler: Any, note: str, answers: Mapping[int, str], *more: Parameter) -> tuple[Endpoint, ...]:
    """Return the routes of a file with and without the chain."""
    parameters = (RESID, *more)
    return tuple(
        Endpoint("GET", f"/api/{name}/{path}", handler, _GROUP, said, parameters, "", answers, _FILE)
        for path, said in ((_ONE, note), (_ANY, f"{note[:-1]}, of the most exposed instance."))
    )


ENDPOINTS = (
    *_pair("svg", exposed_svg, "Depiction with exposure colours.", _SVG, CONTEXT),
    *_pair("svg-plain", plain_svg, "Plain depiction.", _SVG),
    *_pair("svg-exits", exits_svg, "Depiction with numbered arrows where a linker can leave.", _SVG),
    Endpoint(
        "GET",
        "/api/pdb/{job_id}/{name}",
        complex_pdb,
        _GROUP,
        "Cleaned complex: <pdb>_<chain>_<ligand>[_<residue>].pdb.",
        (RESID,),
        "",
        _PDB,
        _FILE,
    ),
    Endpoint(
        "GET",
        "/api/protein/{job_id}/{pdb_id}/{chain}",
        protein,
        _GROUP,
        "Polymer of one chain.",
        (Parameter("ligand", {"type": "string"}, "Prefer the complex of this ligand."),),
        "",
        {200: "chemical/x-pdb"},
        (*_ERRORS, "FILE_NOT_FOUND", "INVALID_PARAMETER"),
    ),
    *_pair("sdf", ligand_sdf, "Ligand with its bonds.", _SDF),
    Endpoint(
        "GET",
        "/api/ligand_props/{job_id}/{ligand}",
        ligand_props,
        _GROUP,
        "Descriptors of a component.",
        (_SMILES, optional(PDB_ID), optional(CHAIN), RESID),
        "",
        {200: "LigandProps"},
        _LIST,
    ),
    Endpoint(
        "GET",
        "/api/ligand_chain/{job_id}/{pdb_id}/{ligand}",
        ligand_chain,
        _GROUP,
        "Chain of a ligand.",
        (),
        "",
        {200: "LigandChain"},
        _ERRORS,
    ),
    Endpoint(
        "GET",
        f"/api/sasa_overlay/{_ONE}",
        sasa_overlay,
        _GROUP,
        "Atoms with exposure and colours.",
        (RESID, CONTEXT),
        "",
        {200: "Overlay"},
        _LIST,
    ),
    Endpoint(
        "GET",
        f"/api/sasa_atommap/{_ONE}",
        sasa_atommap,
        _GROUP,
        "Exposure by atom of the SDF.",
        (RESID, CONTEXT),
        "",
        {200: "AtomMap"},
        _LIST,
    ),
)
