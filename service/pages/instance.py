"""One ligand instance as the results page shows it: numbers, atoms, contacts, exits, files."""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any
from urllib.parse import quote

from service.addresses import address, serves
from service.pages.depiction import exits_drawing, exposed_drawing
from service.pages.exits import SHOWN, exit_sites, reason_without_sites
from service.pages.fit import fit_of
from service.pages.places import copy_view
from service.pages.texts import TEXTS
from service.results.answers import answers_of_copy, several
from service.results.exposure import instance_atoms, relative
from service.results.job import Job
from service.results.structures import links_of, metadata_row
from service.results.tables import number
from tethermap.base import layout, tables
from tethermap.base.contexts import CONTEXT_WORDS, CONTEXTS, area_column
from tethermap.base.identifiers import plain_name
from tethermap.base.reasons import FLAGS
from tethermap.base.tables import Row, Value
from tethermap.drawing.card import TARGET_RADIUS
from tethermap.drawing.exposed import LARGEST_DISC, SMALLEST_DISC
from tethermap.drawing.interactions import STROKES
from tethermap.drawing.ramp import STOPS, UNKNOWN

_T = TEXTS.ligand

_HEADLINE_PROPERTIES = (
    *("MW", "LogP", "TPSA", "HBD", "HBA", "Rotatable_Bonds", "Ring_Count", "Fraction_CSP3", "Formal_Charge"),
    *("Chiral_Atoms", "QED", "SA_Score"),
)
_ALERTS = ("Lipinski_Pass", "Veber_Pass", "Egan_Pass", "Ghose_Pass", "Muegge_Pass", "PAINS_Hits", "Brenk_Hits")
_IDENTITY = (
    *("Ligand", "Common_Name", "Name", "Synonyms", "Formula", "Type", "SMILES", "SMILES_pH74", "Canonical_SMILES"),
    *("InChI", "InChIKey", "Parent_SMILES"),
)
_OF_CONTACTS = (
    *("ligand_atom", "partner_chain", "partner_residue", "partner_component", "partner_atom", "distance_A", "type"),
    *("context", "partner_copy"),
)
_OF_ATOM = {"index": "sdf_index", "name": "exact_atom", "element": "element"}
_MOST_SCORES = 12


def instance_view(job: Job, row: Row, context: str) -> dict[str, Any]:
    """Return everything that the page shows of one instance.

    Parameters
    ----------
    job : Job
        The job.
    row : mapping
        The instance, with the areas of all contexts.
    context : str
        One of `tethermap.base.contexts.CONTEXTS`.
    """
    stem = str(row["stem"])
    atoms = instance_atoms(job.tables, stem)
    drawing = exposed_drawing(job.folder, row, atoms, context)
    contexts = _contexts(row)
    exit_rows = job.tables.rows(tables.EXIT_VECTORS, "WHERE stem = ?", [stem], SHOWN)
    sites = exit_sites(exit_rows)
    contacts = job.tables.rows(tables.CONTACTS, "WHERE stem = ?", [stem], _OF_CONTACTS)
    metadata = metadata_row(job.tables, str(row["components"] or row["Warhead"]), None) or {}
    answer = copy_view(answers_of_copy(job.tables, row), row, exit_rows)
    first = [site for site in sites if not site["needs_handle"]][:_FIRST_SITES] or sites[:1]  # C-H exits are folded
    scored = f"WHERE stem = ? AND name <> '' LIMIT {_MOST_SCORES}"
    return {
        "row": row,
        "stem": stem,
        "name": plain_name(str(metadata.get("Common_Name") or metadata.get("Name") or "")),
        "links": links_of(metadata) if metadata else {},
        "context": context,
        "contexts": contexts,
        "contexts_differ": len({round(one["area"], 1) for one in contexts if one["area"] is not None}) > 1,
        "drawing": drawing,
        "exits_drawing": exits_drawing(job.folder, row) if sites else None,
        "amid": _amid_address(job, row) if drawing else "",
        "closed_here": _closed_here(sites, context),
        "sites": sites,
        "first_sites": first,
        "more_sites": [site for site in sites if site not in first],
        "answer": answer,
        "fit": fit_of(row),
        "no_sites": reason_without_sites(exit_rows),
        "bridge": bridge(row, contacts),
        "contacts": _strongest_first(contacts),
        "pocket": pocket_strip(contacts),
        "kinds": {kind: stroke.words for kind, stroke in STROKES.items()},
        "flags": [(flag.replace("_", " "), FLAGS.get(flag, "")) for flag in several(row, "flags")],
        "files": _files(job.base, row),
        "degrader_files": _degrader_files(job, stem),
        "handles": f"{job.base}/handles?stem={quote(stem)}&anchor=" if _working(job, "handles") else "",
        "design": address(f"/degraders?a_job={job.base.rpartition('/')[2]}&a_stem={quote(stem)}&a_anchor=")
        if serves("/degraders")
        else "",
        "degrader_archives": _degrader_archives(job, stem, sites, answer["observed"]),
        "properties": _properties(metadata),
        "scores": job.tables.rows(tables.POSES, scored, [stem]),
        "data": {**_data(job, row, atoms, sites, contacts), "seen": _seen(answer["observed"])},
    }


def bridge(row: Row, contacts: Sequence[Row]) -> dict[str, Any] | None:
    """Return the coverage of a ligand between the target and other proteins, as in a degrader.

    Parameters
    ----------
    row : mapping
        The instance, with the areas of all contexts.
    contacts : sequence of mapping
        Contacts of the ligand.

    Returns
    -------
    dict or None ``area``, covered in addition to the target's area, in square angstroms, its ``percent`` of the free
    area, and the other ``chains``; None if that is less than `_BRIDGED` of the ligand.
    """
    free, target, assembly = (number(row, area_column(name)) for name in ("free", "target", "assembly"))
    chains = sorted({str(contact["partner_chain"]) for contact in contacts if contact["context"] == "assembly"})
    if not free or target is None or assembly is None or not chains or target - assembly < _BRIDGED * free:
        return None
    return {"area": target - assembly, "percent": round(100 * (target - assembly) / free), "chains": chains}


_BRIDGED = 0.15
"""Share of a ligand's free area that other chains must cover; MZ1 between VHL and BRD4 (5T35): 0.37. A house rule."""


def _contexts(row: Row) -> list[dict[str, Any]]:
    free = number(row, "SASA_free_A2")
    shown = []
    for key, (name, _, says, _) in CONTEXT_WORDS.items():
        bound = number(row, area_column(key))
        share = None if bound is None or not free else round(100 * bound / free)
        shown.append({"key": key, "name": name, "says": says, "area": bound, "percent": share})
    return shown


def _files(base: str, row: Row) -> list[dict[str, Any]]:
    """Return the files of an instance with their kind and format."""
    files = []
    for column, what in _T.file_kinds.items():
        if path := str(row.get(column) or ""):
            form = "mmCIF" if column == "cif_path" else column[:3].upper()
            files.append({"what": what, "form": form, "name": path.rpartition("/")[2], "url": file_address(base, path)})
    return files


_OF_INPUTS = ("site_rank", "anchor_atom", *_T.degrader_files)


def _degrader_files(job: Job, stem: str) -> list[dict[str, Any]]:
    """Return the inputs for programs that model degraders, by exit site; none when the job has none."""
    inputs = []
    for row in job.tables.rows(tables.PROTAC_INPUTS, "WHERE stem = ?", [stem], _OF_INPUTS):
        files = [
            {"says": says, "url": file_address(job.base, f"{layout.PROTAC_FOLDER}/{row[column]}")}
            for column, says in _T.degrader_files.items()
            if row.get(column)
        ]
        if files:
            inputs.append({"site": row.get("site_rank"), "atom": row.get("anchor_atom"), "files": files})
    return inputs


def _degrader_archives(
    job: Job, stem: str, sites: Sequence[Mapping[str, Any]], observed: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return the addresses of inputs on demand for the anchor that a degrader shows, else for the best of each site."""
    if not _working(job, "protac-inputs"):
        return []
    seen = [str(one["row"]["anchor_atom"]) for one in observed if one["row"]["side"] == "target"]
    anchors = {_T.as_seen: seen[0]} if any(seen) else {str(site["site_rank"]): site["atom"] for site in sites}
    base = f"{job.base}/protac-inputs?stem={quote(stem)}&anchor="
    return [{"site": site, "atom": atom, "url": base + quote(atom)} for site, atom in anchors.items()]


def _working(job: Job, route: str) -> bool:
    """Return whether a route of jobs is served and this job has the working files that it needs."""
    return serves(f"/api/jobs/{{job_id}}/{route}") and _has_shards(job)


def _has_shards(job: Job) -> bool:
    return (job.folder / layout.SHARDS).is_dir()


def _closed_here(sites: Sequence[Mapping[str, Any]], context: str) -> str:
    """Return the sites that are closed in the chosen context and open in the context of the target."""
    shut = [str(site["site_rank"]) for site in sites if site["open"] and context in site["closed_in"]]
    if not shut:
        return ""
    return str(_T.closes.plain(n=len(shut), neighbours=CONTEXT_WORDS[context].added, exits=", ".join(shut)))


_FIRST_SITES = 3
"""Sites of a ligand that are unfolded."""


def _amid_address(job: Job, row: Row) -> str:
    """Return the address of the drawing of an instance with its residues."""
    names = (job.record.job_id, *(str(row[name]) for name in ("pdb_id", "Chain", "Warhead")))
    path = "/".join(quote(name, safe="") for name in names)
    return address(f"/api/svg-interactions/{path}?resid={quote(str(row['Residue_ID']))}")


_NUMBERED = 5
"""Sites that are marked in 3D, as in the depiction."""


def _strongest_first(contacts: Sequence[Row]) -> list[Row]:
    """Return contacts by kind, the nearest first."""
    return sorted(contacts, key=lambda row: (_STRENGTH.get(str(row["type"]), 99), number(row, "distance_A") or 99.0))


def pocket_strip(contacts: Sequence[Row]) -> dict[str, list[dict[str, Any]]]:
    """Return the residues that a ligand touches by chain, in the order of their numbers; symmetry mates are left out.

    Parameters
    ----------
    contacts : sequence of mapping
        Contacts of the ligand.

    Returns
    -------
    dict of str to list of dict
        ``name`` (Asp), ``residue`` (25), ``atom`` and ``type`` of its strongest contact, and ``after_gap``: whether
        residues are missing before it.
    """
    chains: dict[str, dict[str, dict[str, Any]]] = {}
    for row in _strongest_first(contacts):
        residue = str(row["partner_residue"])
        if not row.get("partner_copy"):
            strongest = {"name": str(row["partner_component"]).capitalize(), "residue": residue, "after_gap": False}
            strongest |= {"atom": row["ligand_atom"], "type": row["type"]}
            chains.setdefault(str(row["partner_chain"]), {}).setdefault(residue, strongest)
    strips = {}
    for chain, residues in sorted(chains.items()):
        strips[chain] = sorted(residues.values(), key=lambda one: (_number_of(one["residue"]), one["residue"]))
        for before, one in pairwise(strips[chain]):
            one["after_gap"] = _number_of(one["residue"]) - _number_of(before["residue"]) > 1
    return strips


def _number_of(residue: str) -> int:
    """Return the number of a residue id without its insertion code."""
    number_text = re.match(r"-?\d+", residue)
    return int(number_text.group()) if number_text else 0


_STRENGTH = {kind: place for place, kind in enumerate(STROKES)}


def _properties(metadata: Row) -> dict[str, Any]:
    """Return the properties of a component in three groups: descriptors, rules and alerts, other."""
    known = {name: value for name, value in metadata.items() if value not in (None, "")}
    shown = {*_HEADLINE_PROPERTIES, *_ALERTS, *_IDENTITY}
    return {
        "identity": known,
        "main": [(name.replace("_", " "), _text(known[name])) for name in _HEADLINE_PROPERTIES if name in known],
        "alerts": [
            (_T.alert_names.get(name, name.removesuffix("_Pass")), _text(value), value not in (True, "none"))
            for name in _ALERTS
            if (value := known.get(name)) is not None
        ],
        "rest": [(name.replace("_", " "), _text(value)) for name, value in known.items() if name not in shown],
    }


def _text(value: Value) -> str:
    if isinstance(value, bool):
        return str(_T.passes if value else _T.fails)
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def _seen(observed: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the exits that a degrader shows, for the 3D view."""
    rows = [one["row"] for one in observed if one["row"]["sdf_index"] is not None]
    return [{"index": row["sdf_index"], "vector": [number(row, f"vector_{axis}") for axis in "xyz"]} for row in rows]


def _data(
    job: Job, row: Row, atoms: Sequence[Row], sites: Sequence[Mapping[str, Any]], contacts: Sequence[Row]
) -> dict[str, Any]:
    """Return the data of an instance for scripts: addresses of files, atoms, exits."""
    base = job.base
    partners = f"/results/{base.rpartition('/')[2]}/partners/{quote(str(row['stem']))}"
    index = {str(atom["exact_atom"]): atom["sdf_index"] for atom in atoms}
    chains = [str(item["partner_chain"]) for item in contacts if item.get("context") == "chain"]
    return {
        "stem": row["stem"],
        "structure": structure_of(base, row),
        "ligand": {"url": file_address(base, str(row.get("sdf_path") or "")), "format": "sdf"},
        "nearest_chain": chains[0] if chains else str(row["Chain"]),
        "ramp": {"stops": STOPS, "unknown": UNKNOWN},
        "discs": {"smallest": SMALLEST_DISC, "largest": LARGEST_DISC, "target": TARGET_RADIUS},
        "atoms": [
            {
                **{key: atom[name] for key, name in _OF_ATOM.items()},
                "free": number(atom, "SASA_free_A2"),
                "area": {key: number(atom, area_column(key)) for key in CONTEXTS},
                "share": {key: relative(atom, area_column(key)) for key in CONTEXTS},
            }
            for atom in atoms
        ],
        "added": {key: words.added for key, words in CONTEXT_WORDS.items()},
        "exits": [
            {
                **{name: site[name] for name in ("index", "vector", "closed_in")},
                "rank": site["site_rank"],
                "leaving": [index[name] for name in site["leaving_atoms"] if name in index],
            }
            for site in sites[:_NUMBERED]
        ],
        "partners": address(partners) if _has_shards(job) else None,
        "contacts": [
            {name: item[name] for name in ("ligand_atom", "partner_chain", "partner_residue", "partner_atom", "type")}
            for item in contacts
            if item["type"] != "hydrophobic" and not item.get("partner_copy")
        ],
    }


def structure_of(base: str, row: Row) -> dict[str, str | None]:
    """Return address and format of an instance's complex: PDB if there is one, else mmCIF."""
    form = "pdb" if row.get("pdb_path") else "cif"
    return {"url": file_address(base, str(row.get(f"{form}_path") or "")), "format": form}


def file_address(base: str, path: str) -> str | None:
    """Return the address of a file of a job; None without a path."""
    return f"{base}/files/{quote(path, safe='/')}" if path else None
