"""Finds the files of one ligand instance, and takes a chain's polymer out of a cleaned complex."""

import contextlib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from service.errors import FileNotFound, InvalidPath
from service.jobs.artifacts import Artifact, resolve_artifact
from service.results.mmcif_polymer import polymer_of_mmcif
from service.results.tables import INSTANCE_COLUMNS, OF_STEMS, JobTables, matching, number, pick_chain
from tethermap.base import tables
from tethermap.base.links import ligand_links
from tethermap.base.tables import Row
from tethermap.entry.polymer_lines import polymer_lines

_RESIDUE = re.compile(r"-?[0-9]{1,5}[A-Za-z]?")
_HEADER = ("HEADER", "TITLE ", "EXPDTA", "REMARK", "CRYST1", "ORIGX", "SCALE", "MODRES", "DBREF")


def instance_rows(
    reader: JobTables,
    pdb_id: str | None,
    chain: str | None = None,
    ligand: str | None = None,
    residue: str | None = None,
) -> list[Row]:
    """Return the rows of Results_Display of the requested instances, lowest residue first; None for any."""
    table = tables.RESULTS_TABLE
    rows = reader.rows(table, names=_NAMES) if pdb_id is None else reader.of_entries(table, [pdb_id], _NAMES)
    return matching(rows, pdb_id, chain, ligand, residue)


def find_instance(reader: JobTables, pdb_id: str, chain: str | None, ligand: str, residue: str | None) -> Row:
    """Return the requested instance: without a chain the most exposed, else the one of the lowest residue.

    Raises
    ------
    FileNotFound
        If there is none.
    """
    rows = instance_rows(reader, pdb_id, chain, ligand, residue)
    if not rows:
        within = f" in chain {chain}" if chain else ""
        raise FileNotFound(f"The job has no ligand {ligand[:64]} of {pdb_id[:64]}{within}.")
    if chain is None:
        return max(rows, key=lambda row: number(row, "SASA_in_complex_A2") or 0.0)
    return rows[0]


def instance_file(job: Path, row: Row, column: str) -> Artifact:
    """Return the file that a column of Results_Display names.

    Raises
    ------
    FileNotFound
        If the instance has none.
    """
    lacking = FileNotFound(f"The ligand {row['stem']} has no file of this kind ({column.removesuffix('_path')}).")
    if not row.get(column):
        raise lacking
    try:
        return resolve_artifact(job, str(row[column]))
    except InvalidPath:
        raise lacking from None


def complex_file(job: Path, row: Row) -> Artifact:
    """Return the cleaned complex of an instance: PDB, or mmCIF if there is no PDB file."""
    return instance_file(job, row, "pdb_path" if row.get("pdb_path") else "cif_path")


_FILES = ("pdb_path", "cif_path", "sdf_path", "svg_plain_path", "svg_exposed_path", "svg_exits_path")
_NAMES = (*INSTANCE_COLUMNS, "components", "SASA_in_complex_A2", *_FILES)


def files_of_instances(reader: JobTables, stems: Sequence[str]) -> list[Artifact]:
    """Return the existing files of the given instances.

    Parameters
    ----------
    reader : JobTables
        Result tables of the job.
    stems : sequence of str
        File names of the instances, without suffixes.

    Raises
    ------
    FileNotFound
        If the job has not all of these instances.
    """
    found = reader.rows(tables.RESULTS_TABLE, f"WHERE {OF_STEMS}", [list(stems)], _NAMES)
    rows = {str(row["stem"]): row for row in found}
    unknown = [stem for stem in stems if stem not in rows]
    if unknown:
        raise FileNotFound(f"The job has no ligand {unknown[0][:64]}.", stem=unknown[0][:64])
    files = {}
    for stem in stems:
        for column in _FILES:
            with contextlib.suppress(FileNotFound):
                artifact = instance_file(reader.folder, rows[stem], column)
                files[artifact.relative] = artifact
    return list(files.values())


def find_by_name(reader: JobTables, name: str, residue: str | None) -> Row:
    """Return the instance that a file name ``<pdb>_<chain>_<ligand>[_<residue>]`` means.

    A PDB id may contain ``_``, so names are read from the right.

    Raises
    ------
    FileNotFound
        If there is none.
    """
    rows = reader.rows(tables.RESULTS_TABLE, names=_NAMES)
    exact = [row for row in rows if str(row["stem"]).lower() == name.lower()]
    if exact and residue is None:
        return next((row for row in exact if row["stem"] == name), exact[0])
    parts = name.split("_")
    readings: list[tuple[str, str, str, str | None]] = []
    if len(parts) > 3 and _RESIDUE.fullmatch(parts[-1]) and residue in (None, parts[-1]):
        readings.append(("_".join(parts[:-3]), parts[-3], parts[-2], parts[-1]))
    if len(parts) > 2:
        readings.append(("_".join(parts[:-2]), parts[-2], parts[-1], residue))
    for reading in readings:
        if matches := matching(rows, *reading):
            return matches[0]
    raise FileNotFound("The job has no such ligand.")


def protein_text(reader: JobTables, pdb_id: str, chain: str, ligand: str | None) -> tuple[str, str, Artifact]:
    """Return a chain's polymer as PDB text, modified residues included, the chain's name, and the complex.

    Parameters
    ----------
    pdb_id, chain : str
        The entry and its author chain.
    ligand : str or None
        A component whose complex is preferred, when the chain is in it.

    Raises
    ------
    FileNotFound
        If no complex of the job contains the chain.
    """
    rows = instance_rows(reader, pdb_id)
    wanted = {str(row["stem"]) for row in instance_rows(reader, pdb_id, ligand=ligand)} if ligand else set()
    own = {str(row["stem"]) for row in rows if row["Chain"] == chain}
    for row in sorted(rows, key=lambda row: (row["stem"] not in wanted, row["stem"] not in own)):
        file = complex_file(reader.folder, row)
        lines = file.path.read_text(encoding="utf-8", errors="replace").splitlines()
        if file.name.lower().endswith(".cif"):
            chain_polymer = polymer_of_mmcif(lines, chain)
        else:
            renamed = reader.rows(tables.NAME_MAP, "WHERE stem = ? AND what = 'chain'", [row["stem"]])
            names = {str(item["name_in_pdb"]): str(item["name"]) for item in renamed}
            chain_polymer = polymer_of(lines, names, chain)
        if chain_polymer is not None:
            name, polymer = chain_polymer
            return "".join(f"{line}\n" for line in polymer), name, file
    raise FileNotFound("No cleaned complex of the job contains this chain.")


def polymer_of(lines: Sequence[str], names: Mapping[str, str], asked: str) -> tuple[str, list[str]] | None:
    """Return the polymer of one chain of a PDB file: the part before the chain's TER record.

    Parameters
    ----------
    lines : sequence of str
        The file.
    names : mapping of str to str
        Chain name in the file → true name, where they differ.
    asked : str
        The chain, as a client gave it.

    Returns
    -------
    tuple of str and list of str, or None
        The chain's true name and the lines of a PDB file; None when there is no such polymer.
    """
    polymers = polymer_lines(lines)
    short_names = {names.get(name, name): name for name in polymers}
    chain = pick_chain(list(short_names), asked)
    if chain is None:
        return None
    head = [line for line in lines if line.startswith(_HEADER)]
    sequence = [line for line in lines if line.startswith("SEQRES") and line[10:12].strip() == short_names[chain]]
    return chain, [*head, *sequence, *polymers[short_names[chain]], "END"]


def metadata_row(reader: JobTables, ligand: str, smiles: str | None) -> Row | None:
    """Return the row of a component, by its code or by its SMILES in a table."""
    rows = reader.rows(tables.LIGAND_METADATA, "WHERE Ligand = ? LIMIT 1", [ligand.upper()])
    if not rows and smiles:
        written = "WHERE ? IN (SMILES, Canonical_SMILES, Parent_SMILES) LIMIT 1"
        rows = reader.rows(tables.LIGAND_METADATA, written, [smiles])
    return rows[0] if rows else None


def links_of(metadata: Row) -> dict[str, str]:
    """Return pages of public databases on a component, by the name of the database."""
    known = metadata.get("source") == "dictionary"
    return ligand_links(str(metadata.get("Ligand")), str(metadata.get("InChIKey") or ""), in_dictionary=known)
