"""Helpers for viewers: one file or list of one ligand, by its names in the path."""

from collections.abc import Callable, Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from service.errors import FileNotFound, NotFound
from service.http.answer import ErrorAnswer
from service.http.endpoint import Declaration, Handler, Routes, note_of
from service.http.parameters import CHAIN, CONTEXT, PDB_ID, RESID, Parameter, Text
from service.http.responses import FILE_POLICY, disposition, file_answer, made_answer, tagged
from service.http.sasa_answers import LigandChainAnswer, LigandPropsAnswer, MappedAtom, OverlayAtom
from service.results import structures
from service.results.exposure import atom_map, instance_atoms, overlay, recoloured
from service.results.job import Job
from service.results.tables import JobTables, same_entry
from tethermap.base import tables
from tethermap.base.contexts import HEADLINE_FIRST
from tethermap.base.tables import Row
from tethermap.drawing.interactions import interactions_svg
from tethermap.drawing.reader import Depiction, load_depiction

_SVG, _PDB, _SDF = (
    dict.fromkeys((200, 206), media) for media in ("image/svg+xml", "chemical/x-pdb", "chemical/x-mdl-sdfile")
)
_SMILES = Text("smiles", "SMILES to look up if the code is unknown.")
_PREFERRED = Text("ligand", "Prefer the complex of this ligand.")
_ONE = "{job_id}/{pdb_id}/{chain}/{ligand}"
_ANY = "{job_id}/{pdb_id}/{ligand}"

ROUTES = Routes("Structures and ligands", ready=True)


def _file_of_ligand(path: str, answer: Any, *parameters: Parameter) -> Declaration:
    """Declare the routes of a file of a ligand with and without the chain."""
    lost: dict[str, Any] = {"errors": ("FILE_NOT_FOUND",)}

    def declare(handler: Handler) -> Handler:
        note, name = f"{note_of(handler)[:-1]}, of the most exposed instance.", f"{handler.__name__}_of_any_chain"
        ROUTES.get(f"/api/{path}/{_ONE}", answer, (RESID, *parameters), **lost)(handler)
        ROUTES.get(f"/api/{path}/{_ANY}", answer, (RESID, *parameters), **lost, name=name, note=note)(handler)
        return handler

    return declare


def _names(request: Request) -> tuple[str, str | None, str, str | None]:
    """Return entry, chain, ligand and residue of the instance that the path names."""
    path = request.path_params
    return path["pdb_id"], path.get("chain"), path["ligand"], RESID.of(request)


@_file_of_ligand("svg", _SVG, CONTEXT)
def get_exposed_svg(request: Request, job: Job) -> Response:
    """Depiction with exposure colours."""
    if CONTEXT.of(request) == HEADLINE_FIRST[0]:
        return _file(request, job, "svg_exposed_path")
    return _drawn(request, job, "exposed", "exposed", instance_atoms, recoloured)


@_file_of_ligand("svg-plain", _SVG)
def get_plain_svg(request: Request, job: Job) -> Response:
    """Plain depiction."""
    return _file(request, job, "svg_plain_path")


@_file_of_ligand("svg-interactions", _SVG, CONTEXT)
def get_interactions_svg(request: Request, job: Job) -> Response:
    """Ligand among the residues in contact with it."""
    return _drawn(request, job, "plain", "interactions", _contacts, interactions_svg)


def _contacts(reader: JobTables, stem: str) -> Sequence[Row]:
    return reader.rows(tables.CONTACTS, "WHERE stem = ?", [stem])


def _drawn(
    request: Request,
    job: Job,
    style: str,
    made: str,
    read: Callable[[JobTables, str], Sequence[Row]],
    draw: Callable[[Depiction, Sequence[Row], str], str],
) -> Response:
    """Return a drawing in a context, made from a depiction of a ligand and its rows of a table."""
    row = structures.find_instance(job.tables, *_names(request))
    artifact = structures.instance_file(job.folder, row, f"svg_{style}_path")
    try:
        drawing = draw(load_depiction(artifact.path), read(job.tables, str(row["stem"])), CONTEXT.of(request))
    except ValueError:
        raise FileNotFound("The ligand has no depiction of a known form and size.") from None
    name = f"{artifact.name.removesuffix(f'_{style}.svg')}_{made}.svg"
    headers = {"Content-Disposition": disposition(name, inline=True), "Content-Security-Policy": FILE_POLICY}
    return made_answer(request, drawing.encode(), artifact.media_type, headers, artifact.modified)


@_file_of_ligand("svg-exits", _SVG)
def get_exits_svg(request: Request, job: Job) -> Response:
    """Depiction with numbered arrows where a linker can leave."""
    return _file(request, job, "svg_exits_path")


@_file_of_ligand("sdf", _SDF)
def get_ligand_sdf(request: Request, job: Job) -> Response:
    """Ligand with its bonds."""
    return _file(request, job, "sdf_path")


def _file(request: Request, job: Job, column: str) -> Response:
    row = structures.find_instance(job.tables, *_names(request))
    return file_answer(request, structures.instance_file(job.folder, row, column), inline=True)


@ROUTES.get("/api/pdb/{job_id}/{name}", _PDB, (RESID,), errors=("FILE_NOT_FOUND",))
def get_complex_pdb(request: Request, job: Job) -> Response:
    """Cleaned complex, by the name `<pdb>_<chain>_<ligand>[_<residue>].pdb`."""
    name = str(request.path_params["name"])
    if not name.lower().endswith(".pdb"):
        raise FileNotFound("The name must end in .pdb, such as 1hpv_A_478.pdb.")
    row = structures.find_by_name(job.tables, name[: -len(".pdb")], RESID.of(request))
    return file_answer(request, structures.complex_file(job.folder, row), inline=True)


@ROUTES.get("/api/protein/{job_id}/{pdb_id}/{chain}", _PDB, (_PREFERRED,), errors=("FILE_NOT_FOUND",))
def get_protein(request: Request, job: Job) -> Response:
    """Polymer of one chain."""
    pdb_id, chain = request.path_params["pdb_id"], request.path_params["chain"]
    text, name, file = structures.protein_text(job.tables, pdb_id, chain, _PREFERRED.of(request))
    headers = {"Content-Disposition": disposition(f"{same_entry(pdb_id)}_{name}_protein.pdb", inline=True)}
    return made_answer(request, text.encode(), "chemical/x-pdb", headers, file.modified)


@ROUTES.get(
    "/api/ligand_props/{job_id}/{ligand}",
    LigandPropsAnswer | ErrorAnswer,
    (_SMILES, PDB_ID.optional, CHAIN.optional, RESID),
)
def get_ligand_props(request: Request, job: Job) -> Response:
    """Descriptors of a component."""
    ligand = str(request.path_params["ligand"])
    row = structures.metadata_row(job.tables, ligand, _SMILES.of(request))
    pdb_id, chain, resid = (parameter.of(request) for parameter in (PDB_ID.optional, CHAIN.optional, RESID))
    if row is not None and (pdb_id or chain or resid):
        row = row if structures.instance_rows(job.tables, pdb_id, chain, str(row["Ligand"]), resid) else None
    if row is None:
        raise NotFound(f"The job has no ligand {ligand[:64]}.", ligand=ligand[:64], http_status=200)
    return tagged(request, {"ok": True, "job_id": job.record.job_id, **row, "links": structures.links_of(row)})


@ROUTES.get(f"/api/ligand_chain/{_ANY}", LigandChainAnswer)
def get_ligand_chain(request: Request, job: Job) -> Response:
    """Chain of a ligand."""
    rows = structures.instance_rows(job.tables, request.path_params["pdb_id"], ligand=request.path_params["ligand"])
    return tagged(request, LigandChainAnswer(chain=min((str(row["Chain"]) for row in rows), default=None)))


@ROUTES.get(f"/api/sasa_overlay/{_ONE}", list[OverlayAtom], (RESID, CONTEXT), listing=True)
def list_overlay_atoms(request: Request, job: Job) -> Response:
    """Atoms with exposure and colours."""
    return tagged(request, _atoms(request, job, overlay))


@ROUTES.get(f"/api/sasa_atommap/{_ONE}", list[MappedAtom], (RESID, CONTEXT), listing=True)
def list_mapped_atoms(request: Request, job: Job) -> Response:
    """Exposure by atom of the SDF."""
    return tagged(request, _atoms(request, job, atom_map))


def _atoms(request: Request, job: Job, form: Callable[[Sequence[Row], str], Sequence[Any]]) -> Sequence[Any]:
    names, surroundings = _names(request), CONTEXT.of(request)
    rows = structures.instance_rows(job.tables, *names)
    return form(instance_atoms(job.tables, str(rows[0]["stem"])), surroundings) if rows else []
