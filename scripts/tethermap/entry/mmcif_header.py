"""Read the metadata of an entry from an mmCIF block."""

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache

import gemmi

from tethermap.base.identifiers import accession, unique
from tethermap.base.tables import by_key
from tethermap.entry.model import PREDICTED, EntryMetadata, LigandName, PolymerEntity

WATER = frozenset({"HOH", "DOD", "WAT", "H2O"})
"""Codes of water."""

UNIPROT_NAMES = frozenset({"UNP", "SWS", "TREMBL", "TRE", "UNIPROT", "SP", "TR"})
"""Names under which entries of different ages refer to UniProt."""

Row = dict[str, str]


def from_mmcif(block: gemmi.cif.Block, *, entry_id: str = "") -> EntryMetadata:
    """Return the metadata of a parsed mmCIF block; odd content leaves fields empty.

    Parameters
    ----------
    block : gemmi.cif.Block
        The entry's data block, with or without atoms.
    entry_id : str
        Id to use instead of the block's own.
    """
    own_id = (_value(block, "_entry.id") or block.name).lower()
    revision, release_date, revision_date = _revisions(block)
    successors = _replacements(block, own_id)
    citations = sorted(rows_in(block, "_citation.", "id", "title"), key=lambda row: row["id"].lower() != "primary")
    names = {row["id"]: row for row in rows_in(block, "_chem_comp.", "id", "name", "pdbx_synonyms")}
    status = _value(block, "_pdbx_database_status.status_code").upper()
    return EntryMetadata(
        entry_id=entry_id or own_id,
        title=tidy(_value(block, "_struct.title")) or tidy(_value(block, "_citation.title")),
        citation=tidy(citations[0]["title"]) if citations else "",
        methods=unique(row["method"].upper() for row in rows_in(block, "_exptl.", "method"))
        or ((PREDICTED,) if any(name.startswith("_ma_") for name in block.get_mmcif_category_names()) else ()),
        resolution=_resolution(block),
        release_date=release_date,
        revision_date=revision_date,
        revision=revision,
        keywords="; ".join(unique(tidy(_value(block, f"_struct_keywords.{tag}")) for tag in ("pdbx_keywords", "text"))),
        entities=tuple(_entities(block)),
        ligands=tuple(_ligands(block, names)),
        withdrawn=bool(successors) or status == "OBS",
        successors=successors,
    )


def tidy(text: str) -> str:
    """Return a text on one line with single blanks."""
    return " ".join(text.split())


def split_names(text: str) -> list[str]:
    """Return the parts of a list of names joined by commas or semicolons.

    A comma between two digits is part of a name.
    """
    return [tidy(part) for part in re.split(r";|(?<!\d),|,(?!\d)", text) if part.strip()]


def iso_date(text: str) -> str:
    """Return the text if it begins with an ISO date, else an empty text.

    >>> iso_date("2019-05-01T00:00:00")
    '2019-05-01'
    """
    return match[0] if (match := re.match(r"\d{4}-\d{2}-\d{2}", text)) else ""


def positive(text: str) -> float | None:
    """Return a positive finite number, else None."""
    try:
        number = float(text.partition("(")[0])
    except ValueError:
        return None
    return number if 0 < number < 1e6 else None


def rows_in(block: gemmi.cif.Block, category: str, *tags: str) -> Iterator[Row]:
    """Yield the rows of a category that has the first tag; other missing tags, ``?`` and ``.`` are empty texts."""
    for row in block.find(category, [tags[0], *(f"?{tag}" for tag in tags[1:])]):
        yield {tag: _text(row[i]) if row.has(i) else "" for i, tag in enumerate(tags)}


def _text(raw: str) -> str:
    return "" if raw in ("?", ".") else str(gemmi.cif.as_string(raw)).strip()


def _value(block: gemmi.cif.Block, tag: str) -> str:
    """Return the first value of a tag, empty if it is missing."""
    return next(map(_text, block.find_values(tag)), "")


def _resolution(block: gemmi.cif.Block) -> float | None:
    """Return the best resolution of the refinement, else of the map, else of the data."""
    for tag in ("_refine.ls_d_res_high", "_em_3d_reconstruction.resolution", "_reflns.d_resolution_high"):
        values = map(positive, map(_text, block.find_values(tag)))
        if resolutions := [number for number in values if number is not None]:
            return min(resolutions)
    return None


def _revisions(block: gemmi.cif.Block) -> tuple[str, str, str]:
    """Return number of the last revision, date of the first release, date of the last revision."""
    tags = ("revision_date", "major_revision", "minor_revision", "data_content_type")
    rows = (row.values() for row in rows_in(block, "_pdbx_audit_revision_history.", *tags))
    of_model = [values for *values, content in rows if content in ("", "Structure model")]
    numbered = [values for values in of_model if values[1].isdecimal() and values[2].isdecimal()]
    if history := [(iso_date(date), int(major), int(minor)) for date, major, minor in numbered]:
        dates = [date for date, _, _ in history if date]
        last = max(history, key=lambda item: item[1:])
        return f"{last[1]}.{last[2]}", min(dates, default=""), last[0]
    earlier = rows_in(block, "_database_PDB_rev.", "num", "date")
    if old := [(int(row["num"]), iso_date(row["date"])) for row in earlier if row["num"].isdecimal()]:
        return str(max(old)[0]), min(old)[1], max(old)[1]
    return "", "", ""


def _replacements(block: gemmi.cif.Block, own_id: str) -> tuple[str, ...]:
    """Return the entries that replace this one."""
    rows = rows_in(block, "_pdbx_database_PDB_obs_spr.", "id", "pdb_id", "replace_pdb_id")
    own = (row for row in rows if row["id"].upper() == "OBSLTE" and own_id in row["replace_pdb_id"].lower().split())
    return unique(name for row in own for name in row["pdb_id"].lower().split() if name != own_id)


def _entities(block: gemmi.cif.Block) -> Iterator[PolymerEntity]:
    rows = rows_in(block, "_entity.", "id", "type", "pdbx_description", "pdbx_fragment")
    described = {row["id"]: row for row in rows}
    tags = ("entity_id", "type", "pdbx_strand_id", "pdbx_seq_one_letter_code_can")
    polymers = list(rows_in(block, "_entity_poly.", *tags))
    if not polymers:
        polymers = [{"entity_id": key} for key, row in described.items() if row["type"].lower() == "polymer"]
    labels = _grouped(block, "_struct_asym.", "entity_id", "id")
    strands = {}
    if not all(row.get("pdbx_strand_id") for row in polymers):
        strands = _grouped(block, "_pdbx_poly_seq_scheme.", "entity_id", "pdb_strand_id")
        strands = strands or _grouped(block, "_atom_site.", "label_entity_id", "auth_asym_id")
    facts = _facts(block)
    for row in polymers:
        key = row["entity_id"]
        description = described.get(key, {})
        fragment = tidy(description.get("pdbx_fragment", ""))
        authors = unique(part.strip() for part in row.get("pdbx_strand_id", "").split(","))
        yield PolymerEntity(
            entity_id=key,
            kind=row.get("type", ""),
            label_asym_ids=unique(labels.get(key, ())),
            auth_asym_ids=authors or unique(strands.get(key, ())) or unique(labels.get(key, ())),
            description=tidy(description.get("pdbx_description", "")),
            names=unique([*facts["name", key], *facts["entry_name", key], fragment]),
            genes=unique(facts["gene", key]),
            uniprot=unique(facts["accession", key]),
            organisms=unique(facts["organism", key]),
            sequence=_sequence(block, key, row.get("pdbx_seq_one_letter_code_can", "")),
        )


def _grouped(block: gemmi.cif.Block, category: str, key: str, value: str) -> dict[str, list[str]]:
    """Return a dictionary from the values of one tag to the values of another."""
    return by_key((row[key], row[value]) for row in rows_in(block, category, key, value))


def _facts(block: gemmi.cif.Block) -> defaultdict[tuple[str, str], list[str]]:
    """Return names, genes, organisms, UniProt accessions and UniProt entry names, by kind and entity."""
    facts: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for category in ("_entity_name_com.", "_entity_name_sys."):
        for row in rows_in(block, category, "entity_id", "name"):
            facts["name", row["entity_id"]] += split_names(row["name"])
    tags = ("entity_id", "pdbx_gene_src_gene", "pdbx_gene_src_scientific_name", "gene_src_common_name")
    for row in rows_in(block, "_entity_src_gen.", *tags):
        facts["gene", row["entity_id"]] += split_names(row["pdbx_gene_src_gene"])
        name = row["pdbx_gene_src_scientific_name"] or row["gene_src_common_name"]
        facts["organism", row["entity_id"]].append(tidy(name))
    others = {"_entity_src_nat.": "pdbx_organism_scientific", "_pdbx_entity_src_syn.": "organism_scientific"}
    for category, tag in others.items():
        for row in rows_in(block, category, "entity_id", tag):
            facts["organism", row["entity_id"]].append(tidy(row[tag]))
    for row in rows_in(block, "_struct_ref.", "entity_id", "db_name", "db_code", "pdbx_db_accession"):
        if row["db_name"].upper() in UNIPROT_NAMES:
            code = accession(row["db_code"])
            facts["accession", row["entity_id"]].append(accession(row["pdbx_db_accession"]) or code)
            facts["entry_name", row["entity_id"]] += [] if code else [row["db_code"]]
    for row in rows_in(block, "_pdbx_sifts_unp_segments.", "entity_id", "unp_acc", "best_mapping"):
        if row["best_mapping"].lower() != "n":
            facts["accession", row["entity_id"]].append(accession(row["unp_acc"]))
    return facts


def _sequence(block: gemmi.cif.Block, entity_id: str, one_letter: str) -> str:
    """Return the one-letter sequence, from the list of residues if it is not given."""
    if one_letter:
        return "".join(one_letter.split()).upper()
    residues: dict[str, str] = {}
    for row in rows_in(block, "_entity_poly_seq.", "entity_id", "num", "mon_id"):
        if row["entity_id"] == entity_id:
            residues.setdefault(row["num"], row["mon_id"])
    return "".join(parent_letter(name) for name in residues.values())


@lru_cache(maxsize=1024)
def parent_letter(comp_id: str) -> str:
    """Return the one-letter code of a residue, of its parent when it is modified, else ``X``."""
    return gemmi.find_tabulated_residue(comp_id).one_letter_code.strip().upper() or "X"


def _ligands(block: gemmi.cif.Block, names: dict[str, Row]) -> Iterator[LigandName]:
    """Yield the components of non-polymer and branched entities but water, each once."""
    codes = [row["comp_id"] for row in rows_in(block, "_pdbx_entity_nonpoly.", "comp_id")]
    codes += [row["mon_id"] for row in rows_in(block, "_pdbx_nonpoly_scheme.", "mon_id")] if not codes else []
    codes += [row["comp_id"] for row in rows_in(block, "_pdbx_entity_branch_list.", "comp_id")]
    codes += [row["mon_id"] for row in rows_in(block, "_pdbx_branch_scheme.", "mon_id")]
    if not codes:
        rows = rows_in(block, "_chem_comp.", "id", "type")
        codes = [row["id"] for row in rows if "linking" not in row["type"].lower()]
    for code in unique(codes):
        if code.upper() not in WATER:
            row = names.get(code, {})
            yield LigandName(code, tidy(row.get("name", "")), tidy(row.get("pdbx_synonyms", "")))
