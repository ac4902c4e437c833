"""Kept ligands do not depend on the format of an entry, nor on the order and the names of its chains."""

import gzip
import random
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import gemmi
import pytest

from tests.tools.cleaning import ANY_TARGET, Find, clean_file
from tests.tools.small_entry import atom_line, carbons, cif_of, strand, write_entry
from tethermap.complex.clean import CleanedEntry
from tethermap.entry.target_query import TargetQuery

Decisions = Counter[tuple[str, str, bool]]

KEPT = {
    "5kds": ["THR+ALA+PRO+GLY+GLY+A2G+NAG+SIA"],
    "8pn3": [n * "ALA+" + "THR+THR+THR+THR+PRO+ALA+PRO+ALA" + 4 * "+A2G" for n in (2, 3)],
    "1sfi": ["GLY+ARG+CYS+THR+LYS+SER+ILE+PRO+PRO+ILE+CYS+PHE+PRO+ASP"],
    "4zhl": ["CYS+PRO+ALA+TYR+SER+ARG+TYR+ILE+GLY+CYS"],
    "193d": [2 * "HQU+DSN+ALA+NCY+CPC+" + "NBU"],
    "1pfe": ["DSN+ALA+N2C+NCY+MVA+DSN+ALA+NCY+N2C+MVA+QUI+QUI"],
    "7cnz": ["PEX"] * 4,
    "5ugo": ["2PN"],
    "3of4": ["FAD", "FMN", "FMN"],
    "1fdo": ["MGD", "MGD", "SF4"],
    "5nj4": 4 * ["BCB"] + 2 * ["BPB"] + 4 * ["HEC"] + ["MQ7", "NS5"],
    "6rqf": 2 * ["BCR"] + 2 * ["CLA"] + 2 * ["FES"] + 4 * ["HEC"] + 4 * ["HEM"] + 3 * ["PL9"],
    "2hw3": ["GLC+FRU"],
    "3bep": [],
}
"""Components kept from entries with a short chain, copies, only cofactors, or a dye on DNA.

The two sucroses of 2HW3 are in sites without a residue in common, one of them on the surface.
"""

LARGE = {"5nj4", "6rqf"}
"""Photosynthetic complexes, which are compared with their PDB copies only: they take seconds."""

ASKED_FOR = {
    "2p1q": "GLN+VAL+VAL+GLY+TRP+PRO+PRO+VAL+ARG+ASN+TYR+ARG+LYS",
    "3pqr": "ILE+LEU+GLU+ASN+LEU+LYS+ASP+VAL+GLY+LEU+PHE",
    "4e43": "ASN+LEU+LEU+GLN+LYS+LYS",
    "5a2j": "ALA+PRO+ASP+THR+ARG+PRO",
}
"""Open unmodified peptides, by entry: of the degron on its ligase, of a G protein, of an epitope."""


def decisions(cleaned: CleanedEntry) -> Decisions:
    rows = cleaned.ligand_rows
    return Counter(("+".join(sorted(str(r["components"]).split("+"))), str(r["kind"]), bool(r["kept"])) for r in rows)


def test_component_codes_in_lower_case_have_the_same_kind(archive: Path, find: Find, tmp_path: Path) -> None:
    path = tmp_path / "4cup.cif"
    path.write_text(gzip.decompress((archive / "4cup.cif.gz").read_bytes()).decode().replace("MOH", "moh"))
    _, cleaned = clean_file(path, find)
    assert Counter((row["components"], row["kind"]) for row in cleaned.ligand_rows) == {
        ("moh", "additive"): 3, ("ZYB", "ligand"): 1,
    }  # fmt: skip


def rewritten(path: Path, folder: Path, *, pdb: bool, seed: int) -> Path:
    """Return a copy of an entry with its chains in another order under other names, without its BIRD records."""
    structure = gemmi.read_structure(str(path), merge_chain_parts=False)
    structure.setup_entities()
    structure.merge_chain_parts()
    del structure[1:]
    structure.raw_remarks = []
    names = [chain.name for chain in structure[0]]
    mixed = random.Random(seed)
    shuffled = mixed.sample(names, len(names))
    chains = [structure[0][name].clone() for name in mixed.sample(names, len(names))]
    for name in names:
        structure[0].remove_chain(name)
    for chain in chains:
        structure[0].add_chain(chain)
    for old in names:
        structure.rename_chain(old, f"_{old}")
    for old, new in zip(names, shuffled, strict=True):
        structure.rename_chain(f"_{old}", new)
    target = folder / f"{path.name[:4]}.{'pdb' if pdb else 'cif'}"
    if pdb:
        target.write_text(structure.make_pdb_string())
    else:
        structure.make_mmcif_document().write_file(str(target))
    return target


@pytest.mark.parametrize("entry_id", sorted(KEPT))
def test_decisions_do_not_depend_on_format_or_chains(entry_id: str, mirror: Path, find: Find, tmp_path: Path) -> None:
    path = mirror / f"{entry_id}.cif.gz"
    _, deposited = clean_file(path, find)
    kept = sorted(one.instance.component_names for one in deposited.kept)
    if entry_id != "1pfe":  # a residue has alternates of two components
        assert kept == sorted(KEPT[entry_id])
    for pdb in (True,) if entry_id in LARGE else (False, True):
        _, cleaned = clean_file(rewritten(path, tmp_path, pdb=pdb, seed=len(kept)), find)
        assert decisions(cleaned) == decisions(deposited), pdb


@pytest.mark.parametrize("entry_id", [*ASKED_FOR, "5kds", "8pn3", "1sfi", "4zhl", "193d"])
def test_requested_peptides_are_whole_and_added_to_the_default_ligands(entry_id: str, mirror: Path, find: Find) -> None:
    path = next(mirror.glob(f"{entry_id}.*"))
    both = ANY_TARGET, replace(ANY_TARGET, kinds=frozenset({"ligand", "peptide"}))
    kept, more = (Counter(one.instance.component_names for one in clean_file(path, find, s)[1].kept) for s in both)
    assert more - kept == Counter(filter(None, [ASKED_FOR.get(entry_id)]))
    assert not kept - more


@pytest.mark.parametrize("form", ["cif", "pdb"])
def test_nucleotide_between_named_polymerase_and_template_is_kept(form: str, mirror: Path, find: Find) -> None:
    """2PN in 5UGO is buried by the DNA as much as by the target."""
    settings = replace(ANY_TARGET, target=TargetQuery("DNA polymerase beta"))
    _, cleaned = clean_file(mirror / f"5ugo.{form}.gz", find, settings)
    (kept,) = cleaned.kept
    assert (cleaned.entry_row["target_chains"], kept.instance.name.comp_id) == ("A", "2PN")
    assert "nucleic_acid_beside" in kept.instance.flags


UP = (0.0, 0.0, 1.5)


def link_line(*ends: tuple[str, str, str, int], altlocs: str = "  ") -> str:
    """Return a LINK record; each end is an atom's name, component, chain and number."""
    pairs = [(*end, label) for end, label in zip(ends, altlocs, strict=True)]
    halves = [f" {name:<3}{label}{comp_id:>3} {chain}{number:4d} " for name, comp_id, chain, number, label in pairs]
    return f"LINK        {halves[0]}               {halves[1]}    1555   1555  1.43\n"


def linked_sugar(comp_id: str, residue: str, atom: str, *, altlocs: str = "  ") -> tuple[str, list[str]]:
    """Return the LINK and the lines of a strand of 30 residues, the first of which carries six atoms of a sugar."""
    lines = [line.replace("ALA A   1", f"{residue} A   1") for line in strand("A", 1, length=30)]
    held = atom_line(890, atom, residue, "A", 1, (1.2, 1.7, 3.0), element=atom[0], record="ATOM", altloc=altlocs[0])
    sugar = carbons(comp_id, "A", 99, (1.2, 1.7, 4.43), UP, 6, altloc=altlocs[1])
    return link_line((atom, residue, "A", 1), ("C1", comp_id, "A", 99), altlocs=altlocs), [*lines, held, *sugar]


def both_formats(path: Path) -> list[Path]:
    """Return a PDB file and an mmCIF file of the same entry."""
    return [path, cif_of(path, path.parent)]


@pytest.mark.parametrize("comp_id", ["BGC", "NAG", "G2F"])
@pytest.mark.parametrize(
    ("residue", "atom", "kind"),
    [
        *((*end, "glycan") for end in (("ASN", "ND2"), ("SER", "OG"), ("THR", "OG1"), ("TRP", "CD1"))),
        *((*end, "ligand") for end in (("ASP", "OD1"), ("GLU", "OE1"), ("TYR", "OH"), ("CYS", "SG"), ("HIS", "ND1"))),
    ],
)
def test_sugar_on_a_catalytic_residue_is_an_inhibitor(
    comp_id: str, residue: str, atom: str, kind: str, find: Find, tmp_path: Path
) -> None:
    """Like in 1W3L and 5A3H; a glycan is bonded to Asn, Ser, Thr or Trp."""
    header, lines = linked_sugar(comp_id, residue, atom)
    for path in both_formats(write_entry(tmp_path, lines, header=header)):
        _, cleaned = clean_file(path, find)
        (row,) = cleaned.ligand_rows
        assert (row["kind"], row["kept"]) == (kind, kind == "ligand"), path.suffix


@pytest.mark.parametrize("declared", [True, False])
@pytest.mark.parametrize(("residue", "atom"), [("NLN", "ND2"), ("OLS", "OG"), ("OLT", "OG1")])
@pytest.mark.parametrize("comp_id", ["0YB", "UYB"])
def test_sugars_by_names_of_glycam_are_glycans(
    comp_id: str, residue: str, atom: str, declared: bool, find: Find, tmp_path: Path
) -> None:
    """The dictionary's 0YB is a drug; it has no UYB."""
    header, lines = linked_sugar(comp_id, residue, atom)
    _, cleaned = clean_file(write_entry(tmp_path, lines, header=header if declared else ""), find)
    assert [row["kind"] for row in cleaned.ligand_rows if row["ligand"] == comp_id] == ["glycan"]


@pytest.mark.parametrize(("altlocs", "kind"), [("AB", "ligand"), ("AA", "glycan"), (" A", "glycan")])
def test_link_between_alternates_is_not_a_bond(altlocs: str, kind: str, find: Find, tmp_path: Path) -> None:
    header, lines = linked_sugar("G2F", "ASN", "ND2", altlocs=altlocs)
    for path in both_formats(write_entry(tmp_path, lines, header=header)):
        _, cleaned = clean_file(path, find)
        assert {row["kind"] for row in cleaned.ligand_rows} == {kind}, path.suffix


@pytest.mark.parametrize("own_files", [False, True])
@pytest.mark.parametrize("comp_id", ["UNX", "UNL", "DUM"])
def test_unknown_atom_next_to_a_ligand_is_not_part_of_it(
    comp_id: str, own_files: bool, find: Find, tmp_path: Path
) -> None:
    """As in 1R9L and 3GR4, which draw unknown atoms at bonding distance."""
    ligand = carbons("LIG", "A", 99, (1.2, 1.7, 5.0), UP, 4)
    unknown = [atom_line(950, "UNK", comp_id, "A", 100, (1.2, 3.2, 5.0), element="X")]
    for path in both_formats(write_entry(tmp_path, strand("A", 1, length=30), ligand, unknown)):
        _, cleaned = clean_file(path, find, replace(ANY_TARGET, own_files=own_files))
        told = {(row["ligand"], row["components"], row["kind"], row["kept"]) for row in cleaned.ligand_rows}
        assert told == {("LIG", "LIG", "ligand", True), (comp_id, comp_id, "unknown", False)}, path.suffix


@pytest.mark.parametrize(
    ("comp_id", "element", "kind"), [("OW", "O", "unknown"), ("WT", "C", "unknown"), ("Z2+", "ZN", "ion")]
)
def test_single_atom_of_a_component_without_definition_is_no_ligand(
    comp_id: str, element: str, kind: str, find: Find, tmp_path: Path
) -> None:
    assert find(comp_id) is None
    atom = [atom_line(950, element, comp_id, "A", 100, (4.6, 1.7, 5.0), element=element)]
    path = write_entry(tmp_path, strand("A", 1, length=30), atom)
    _, cleaned = clean_file(path, find, replace(ANY_TARGET, own_files=True))
    assert [(row["ligand"], row["kind"], row["kept"]) for row in cleaned.ligand_rows] == [(comp_id, kind, False)]


@pytest.mark.parametrize("mark", ["9999.000", "?", ".", "nan", ""])
def test_atoms_without_coordinates_are_missing(mark: str, find: Find, tmp_path: Path) -> None:
    """A side chain's atom, one of a ligand, and all of another ligand."""
    unknown = (9999.0, 9999.0, 9999.0)
    protein = strand("A", 1, length=30)
    protein[4] = atom_line(5, "CB", "ALA", "A", 1, unknown, element="C", record="ATOM")
    ligand = [*carbons("LIG", "A", 99, (4.6, 1.7, 5.0), UP, 3), *carbons("LIG", "A", 99, unknown, UP, 1, start=903)]
    ligand[3] = ligand[3].replace("C1", "C4")
    path = write_entry(tmp_path, protein, ligand, carbons("LIG", "A", 100, unknown, (0.0, 0.0, 0.0), 4, start=910))
    cif = cif_of(path, tmp_path)
    cif.write_text(re.sub(r"\b9999(\.0*)?(?=\s)", mark or "?", cif.read_text()))
    path.write_text(path.read_text().replace("9999.000", f"{mark:>8}"))
    for file in (path, cif):
        entry, cleaned = clean_file(file, find)
        assert len(entry.atoms) == 149 + 3 + 4, file.suffix
        assert [(row["residue"], row["reason"]) for row in cleaned.ligand_rows] == [
            ("99", "kept"),
            ("100", "no_heavy_atoms"),
        ]
        assert cleaned.kept[0].instance.atoms.name == ("C1", "C2", "C3")


@pytest.mark.parametrize("chain", [" ", "M"])
@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("DPPC", "PCF"),
        ("DPPE", "PEF"),
        ("POPC", "POV"),
        ("POPE", "6OU"),
        ("PLPC", "CPL"),
        ("CHL1", "CLR"),
        ("DPP ", "DPP"),
    ],
)
def test_lipids_by_names_of_charmm_are_those_of_the_dictionary(
    name: str, code: str, chain: str, find: Find, tmp_path: Path
) -> None:
    """Their first three letters are other components: DPP is an amino acid, CHL a chlorophyll."""
    lines = [
        line.replace(f"XXX {chain}", f"{name}{chain}") for line in carbons("XXX", chain, 99, (1.2, 1.7, 5.0), UP, 9)
    ]
    _, cleaned = clean_file(write_entry(tmp_path, strand("A", 1, length=30), lines), find)
    assert [row["ligand"] for row in cleaned.ligand_rows] == [code]


@pytest.mark.parametrize(("comp_id", "name"), [("STP", "APOL"), ("STP", "POL"), ("MMB", "BJ")])
def test_particles_of_programs_are_not_ligands(comp_id: str, name: str, find: Find, tmp_path: Path) -> None:
    """Spheres of fpocket's pockets and beads of LightDock's membranes; the same codes are real components too."""
    ligand = carbons("LIG", "A", 99, (1.2, 1.7, 5.0), UP, 4)
    places = [(1.2 + 0.7 * k, 3.2, 5.0) for k in range(6)]
    beads = [atom_line(950 + k, name, comp_id, "C", 1, xyz, element="C") for k, xyz in enumerate(places)]
    path = write_entry(tmp_path, strand("A", 1, length=30), ligand, beads)
    _, cleaned = clean_file(path, find, replace(ANY_TARGET, own_files=True))
    rows = {(row["ligand"], row["components"], row["kind"], row["kept"]) for row in cleaned.ligand_rows}
    assert rows == {("LIG", "LIG", "ligand", True), (comp_id, comp_id, "unknown", False)}


@pytest.mark.parametrize(
    ("codes", "kept"),
    [
        *((("GTP", "SAH"), {"GTP", "SAH"}), (("GTP", "SAH", "LIG"), {"LIG"})),  # the first as in 3EVD
        (("GTP", "GOL"), {"GTP"}),
    ],
)
def test_cofactors_are_kept_without_ligand(codes: tuple[str, ...], kept: set[str], find: Find, tmp_path: Path) -> None:
    along, starts = (1.5, 0.0, 0.0), [(12.0 * k, 1.7, 4.5) for k in range(len(codes))]
    parts = [carbons(c, "A", 99 + k, starts[k], along, 4, start=900 + 10 * k) for k, c in enumerate(codes)]
    for path in both_formats(write_entry(tmp_path, strand("A", 1, length=30), *parts)):
        _, cleaned = clean_file(path, find)
        assert {row["ligand"] for row in cleaned.ligand_rows} == set(codes)
        assert {one.instance.name.comp_id for one in cleaned.kept} == kept, path.suffix
        cofactors = {"GTP", "SAH"} & kept
        assert {one.instance.name.comp_id for one in cleaned.kept if "cofactor" in one.instance.flags} == cofactors


def test_tether_between_two_polymers_is_a_cross_link(find: Find, tmp_path: Path) -> None:
    """As in 6W13, where it joins a cysteine and a guanine."""
    tether = carbons("LIG", "A", 99, (1.2, 1.7, 4.8), UP, 4, start=950)
    polymers = []
    for name, start, far, z in (("A", 1, 0.0, 3.0), ("B", 301, 14.1, 11.1)):
        lines = strand(name, start, (0.0, 0.0, far), length=30)
        sulfur = atom_line(980 + start, "SG", "CYS", name, 1, (1.2, 1.7, z), element="S", record="ATOM")
        polymers.append([*(line.replace(f"ALA {name}   1", f"CYS {name}   1") for line in lines), sulfur])
    links = [(("SG", "CYS", "A", 1), ("C1", "LIG", "A", 99)), (("SG", "CYS", "B", 1), ("C4", "LIG", "A", 99))]
    for count, kind in ((1, "ligand"), (2, "modified_residue")):
        header = "".join(link_line(*link) for link in links[:count])
        path = write_entry(tmp_path, *polymers[:count], tether, header=header)
        for one in both_formats(path):
            _, cleaned = clean_file(one, find)
            assert [(row["kind"], row["kept"]) for row in cleaned.ligand_rows] == [(kind, count == 1)], one.suffix
