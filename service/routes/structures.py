"""Helpers for viewers: one file or list of one ligand, by its names in the path."""

from collections.abc import Callable, Sequence
from pathlib import Path
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
from service.results.tables import JobTables
from service.routes.shared import in_thread, job_of, shared_of
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


def _asked(request: Request) -> structures.Asked:
    """Return the instance that the path names."""
    path = request.path_params
    return structures.Asked(path["pdb_id"], path.get("chain"), path["ligand"], RESID.of(request))


@_file_of_ligand("svg", _SVG, CONTEXT)
async def get_exposed_svg(request: Request) -> Response:
    """Depiction with exposure colours."""
    if CONTEXT.of(request) == HEADLINE_FIRST[0]:
        return await _file(request, "svg_exposed_path")
    return await _drawn(request, "exposed", "exposed", instance_atoms, recoloured)


@_file_of_ligand("svg-plain", _SVG)
async def get_plain_svg(request: Request) -> Response:
    """Plain depiction."""
    return await _file(request, "svg_plain_path")


@_file_of_ligand("svg-interactions", _SVG, CONTEXT)
async def get_interactions_svg(request: Request) -> Response:
    """Ligand among the residues in contact with it."""
    return await _drawn(request, "plain", "interactions", _contacts, interactions_svg)


def _contacts(reader: JobTables, job: Path, stem: str) -> Sequence[Row]:
    return reader.rows(job, tables.CONTACTS, "WHERE stem = ?", [stem])


async def _drawn(
    request: Request,
    style: str,
    made: str,
    read: Callable[[JobTables, Path, str], Sequence[Row]],
    draw: Callable[[Depiction, Sequence[Row], str], str],
) -> Response:
    """Return a drawing in a context, made from a depiction of a ligand and its rows of a table."""
    shared = shared_of(request)
    job = job_of(request)
    row = await in_thread(structures.find_instance, shared.tables, job.folder, _asked(request))
    artifact = await in_thread(structures.instance_file, job.folder, row, f"svg_{style}_path")

    def drawing() -> str:
        try:
            rows = read(shared.tables, job.folder, str(row["stem"]))
            return draw(load_depiction(artifact.path), rows, CONTEXT.of(request))
        except ValueError:
            raise FileNotFound("The ligand has no depiction of a known form and size.") from None

    name = f"{artifact.name.removesuffix(f'_{style}.svg')}_{made}.svg"
    headers = {"Content-Disposition": disposition(name, inline=True), "Content-Security-Policy": FILE_POLICY}
    return made_answer(request, (await in_thread(drawing)).encode(), artifact.media_type, headers, artifact.modified)


@_file_of_ligand("svg-exits", _SVG)
async def get_exits_svg(request: Request) -> Response:
    """Depiction with numbered arrows where a linker can leave."""
    return await _file(request, "svg_exits_path")


@_file_of_ligand("sdf", _SDF)
async def get_ligand_sdf(request: Request) -> Response:
    """Ligand with its bonds."""
    return await _file(request, "sdf_path")


async def _file(request: Request, column: str) -> Response:
    job = job_of(request)
    row = await in_thread(structures.find_instance, shared_of(request).tables, job.folder, _asked(request))
    return await file_answer(request, await in_thread(structures.instance_file, job.folder, row, column), inline=True)


@ROUTES.get("/api/pdb/{job_id}/{name}", _PDB, (RESID,), errors=("FILE_NOT_FOUND",))
async def get_complex_pdb(request: Request) -> Response:
    """Cleaned complex, by the name `<pdb>_<chain>_<ligand>[_<residue>].pdb`."""
    shared = shared_of(request)
    job = job_of(request)
    name = str(request.path_params["name"])
    if not name.lower().endswith(".pdb"):
        raise FileNotFound("The name must end in .pdb, such as 1hpv_A_478.pdb.")
    stem = name[: -len(".pdb")]
    row = await in_thread(structures.find_by_name, shared.tables, job.folder, stem, RESID.of(request))
    return await file_answer(request, await in_thread(structures.complex_file, job.folder, row), inline=True)


@ROUTES.get("/api/protein/{job_id}/{pdb_id}/{chain}", _PDB, (_PREFERRED,), errors=("FILE_NOT_FOUND",))
async def get_protein(request: Request) -> Response:
    """Polymer of one chain."""
    job = job_of(request)
    pdb_id, chain = request.path_params["pdb_id"], request.path_params["chain"]
    ligand = _PREFERRED.of(request)
    text, name, file = await in_thread(
        structures.protein_text, shared_of(request).tables, job.folder, pdb_id, chain, ligand
    )
    headers = {"Content-Disposition": disposition(structures.file_name(pdb_id, name), inline=True)}
    return made_answer(request, text.encode(), "chemical/x-pdb", headers, file.modified)


@ROUTES.get(
    "/api/ligand_props/{job_id}/{ligand}",
    LigandPropsAnswer | ErrorAnswer,
    (_SMILES, PDB_ID.optional, CHAIN.optional, RESID),
)
async def get_ligand_props(request: Request) -> Response:
    """Descriptors of a component."""
    job = job_of(request)
    cache = shared_of(request).tables
    ligand = str(request.path_params["ligand"])
    row = await in_thread(structures.metadata_row, cache, job.folder, ligand, _SMILES.of(request))
    pdb_id = PDB_ID.optional.of(request)
    if row is not None and pdb_id is not None:
        asked = structures.Asked(pdb_id, CHAIN.optional.of(request), str(row["Ligand"]), RESID.of(request))
        row = row if await in_thread(structures.instance_rows, cache, job.folder, asked) else None
    if row is None:
        raise NotFound(f"The job has no ligand {ligand[:64]}.", details={"ligand": ligand[:64]}, status=200)
    return tagged(request, {"ok": True, "job_id": job.record.job_id, **row, "links": structures.links_of(row)})


@ROUTES.get(f"/api/ligand_chain/{_ANY}", LigandChainAnswer)
async def get_ligand_chain(request: Request) -> Response:
    """Chain of a ligand."""
    job = job_of(request)
    path = request.path_params
    chains = await in_thread(
        structures.chains_of, shared_of(request).tables, job.folder, path["pdb_id"], path["ligand"]
    )
    return tagged(request, LigandChainAnswer(chain=chains[0] if chains else None))


@ROUTES.get(f"/api/sasa_overlay/{_ONE}", list[OverlayAtom], (RESID, CONTEXT), listing=True)
async def list_overlay_atoms(request: Request) -> Response:
    """Atoms with exposure and colours."""
    return tagged(request, await _atoms(request, overlay))


@ROUTES.get(f"/api/sasa_atommap/{_ONE}", list[MappedAtom], (RESID, CONTEXT), listing=True)
async def list_mapped_atoms(request: Request) -> Response:
    """Exposure by atom of the SDF."""
    return tagged(request, await _atoms(request, atom_map))


async def _atoms(request: Request, form: Callable[[Sequence[Row], str], Sequence[Any]]) -> Sequence[Any]:
    reader, folder = shared_of(request).tables, job_of(request).folder
    asked, surroundings = _asked(request), CONTEXT.of(request)

    def read() -> Sequence[Any]:
        rows = structures.instance_rows(reader, folder, asked)
        return form(instance_atoms(reader, folder, str(rows[0]["stem"])), surroundings) if rows else []

    return await in_thread(read)
