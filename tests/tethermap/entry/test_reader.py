"""Reading entries of all ages, and rejecting other files."""

from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path

import gemmi
import numpy as np
import pytest

from tests.tools.small_entry import atom_line, carbons, strand, write_entry
from tethermap.base.column_words import column_words
from tethermap.entry.atoms import WATER, Atoms
from tethermap.entry.reader import Entry, EntryError, parse_file, read_entry


def read(folder: Path, content: str) -> Entry:
    """Return the entry of a file with this content."""
    path = folder / "1abc.pdb"
    path.write_text(content, encoding="utf-8")
    return read_entry(path, "1abc")


def test_file_of_1995_is_read_without_its_line_numbers(archive: Path) -> None:
    """1HPV has the entry id in columns 73-76, where later files have segment and element."""
    entry = read_entry(archive / "1hpv.ent.gz", "1hpv")
    ligand = entry.atoms.comp_id == b"478"
    assert ligand.sum() == 35
    assert set(entry.atoms.element[ligand].tolist()) == {b"C", b"N", b"O", b"S"}
    assert set(entry.atoms.auth_asym_id[ligand].tolist()) == {b""}


def test_only_anisotropic_displacements_are_skipped(archive: Path) -> None:
    whole = gemmi.read_structure(str(archive / "4cup.cif.gz"))
    assert any(site.atom.aniso.nonzero() for site in whole[0].all())
    entry = read_entry(archive / "4cup.cif.gz", "4cup")
    assert not any(site.atom.aniso.nonzero() for site in entry.structure[0].all())
    assert entry.atoms.xyz.tolist() == [site.atom.pos.tolist() for site in whole[0].all()]


def test_only_the_first_model_is_read(mirror: Path) -> None:
    entry = read_entry(mirror / "193d.cif.gz", "193d")
    assert (entry.n_models, len(entry.atoms)) == (4, 656)


def test_capsid_in_a_separate_frame_is_not_in_the_crystal(mirror: Path) -> None:
    assert read_entry(mirror / "2hwe.cif.gz", "2hwe").in_crystal_frame is False


def test_two_copies_under_one_number_are_two_residues(tmp_path: Path) -> None:
    copies = [carbons("LIG", "A", 1, (x, 0.0, 0.0), (1.5, 0.0, 0.0), 2) for x in (0.0, 20.0)]
    assert read_entry(write_entry(tmp_path, *copies), "1abc").atoms.starts.tolist() == [0, 2]


def test_conect_records_are_of_het_groups_with_unique_serial_numbers(tmp_path: Path) -> None:
    """A ligand written by RDKit after a protein without new serial numbers; two others have the same ones."""
    parts = [carbons("UNL", "A", 1, (0.0, 20.0, 0.0), (1.5, 0.0, 0.0), 3, start=1)]
    parts += [carbons("LIG", "B", at, (0.0, 20.0 + 10 * at, 0.0), (1.5, 0.0, 0.0), 2, start=50) for at in (1, 2)]
    records = [f"CONECT{line}\n" for line in ("    1    2    2", "    2    1    1    3", "    3    2", "   50   51")]
    entry = read_entry(write_entry(tmp_path, strand("P", 1), *parts, records), "1abc")
    first = entry.atoms.comp_id.tolist().index(b"UNL")
    assert entry.conect == {first: ((first + 1, 2),), first + 1: ((first + 2, 1),)}


ATOM = "HETATM    1  C1  LIG A   1    {x:>8}   0.000   0.000{occupancy:>6} 10.00          {element:>2}\n"
CARBON = ATOM.format(x="1.000", occupancy="1.00", element="C")


@pytest.mark.parametrize(
    ("x", "occupancy"),
    [
        *((x, "1.00") for x in ("1.TM", "1-.000", "1.5 0.00", "1.2.3", "1.00-", "1. 2")),
        ("1.000", "1.TM"),
    ],
)
def test_lines_with_invalid_numbers_are_refused(tmp_path: Path, x: str, occupancy: str) -> None:
    with pytest.raises(EntryError, match="1 coordinate lines do not keep to the columns"):
        read(tmp_path, ATOM.format(x=x, occupancy=occupancy, element="C") + "END\n")


@pytest.mark.parametrize(("x", "occupancy"), [("1.000", "1.00"), ("-1.000", "0.5"), ("1.", ""), (".5", "1")])
def test_numbers_of_other_programs_are_read(tmp_path: Path, x: str, occupancy: str) -> None:
    whole, _, decimals = x.partition(".")
    text = ATOM.format(x=f"{whole}.{decimals:<3}", occupancy=occupancy, element="C") + "END\n"
    assert read(tmp_path, text).atoms.xyz[0].tolist() == [float(x), 0.0, 0.0]


@pytest.mark.parametrize(
    ("written", "element"), [("C", "C"), ("A", "C"), ("<s", "C"), ("N ", "N"), ("CL", "Cl"), ("Br", "Br"), ("X", "X")]
)
def test_missing_element_is_derived_from_the_name(tmp_path: Path, written: str, element: str) -> None:
    text = ATOM.format(x="1.000", occupancy="1.00", element=written) + "END\n"
    assert read(tmp_path, text).atoms.element.tolist() == [element.encode()]


@pytest.mark.parametrize(
    ("symbol", "name", "reason"),
    [
        *((symbol, "C1", f"{symbol} is no element") for symbol in ("HETATM", "CARBON", "Car")),
        *(("C", name, "outside ASCII") for name in ("C\u03b1", "\u540d\u524d")),
    ],
)
def test_word_as_element_and_name_beyond_ascii_are_refused(tmp_path: Path, symbol: str, name: str, reason: str) -> None:
    with pytest.raises(EntryError, match=reason):
        read(tmp_path, mmcif(f"1 {symbol} '{name}' . LIG A 1 1.0 2.0 3.0\n"))


@pytest.mark.parametrize(
    ("symbol", "name", "element"),
    [
        *(("CL", "CL1", "Cl"), ("Zn2+", "ZN", "Zn"), ("Se", "X1", "Se")),
        *(("O1-", "O12", "O"), ("'N1+'", "NAA", "N"), ("K1+", "K", "K"), ("N+", "N1", "N")),
    ],
)
def test_element_of_two_letters_or_with_oxidation_state_is_read(
    tmp_path: Path, symbol: str, name: str, element: str
) -> None:
    entry = read(tmp_path, mmcif(f"1 {symbol} {name} . LIG A 1 1.0 2.0 3.0\n"))
    assert entry.atoms.element.tolist() == [element.encode()]


def test_zero_byte_is_refused_with_its_position(tmp_path: Path) -> None:
    """gemmi would read no more of the line, and pass over the next one."""
    with pytest.raises(EntryError, match="a zero byte in line 2"):
        read(tmp_path, f"HEADER\nREMARK \0\n{CARBON}END\n")


def test_header_with_characters_outside_ascii_is_read(tmp_path: Path) -> None:
    """gemmi keeps bytes and cuts them to columns, half a character at the end."""
    entry = read(tmp_path, f"HEADER\nTITLE     \u540d\u524d\nSEQRES   1 A    2  ALA \u540d\u524d\n{CARBON}END\n")
    assert entry.metadata.title == "\u540d\u524d"
    for structure in (entry.structure, parse_file(tmp_path / "1abc.pdb", "1abc").structure):
        assert "??" in structure.make_pdb_string()


@pytest.mark.parametrize("x", ["1.TM", "inf", "1.0.0", "1e400"])
def test_coordinate_of_an_mmcif_file_must_be_a_number(tmp_path: Path, x: str) -> None:
    with pytest.raises(EntryError, match="file_unreadable"):
        read(tmp_path, mmcif(f"1 C C1 . LIG A 1 {x} 2.0 3.0\n2 C C2 . LIG A 1 1.0 2.0 3.0\n"))


@pytest.mark.parametrize(("charge", "is_read"), [("-9", True), ("2", True), ("?", True), ("10", False), ("-80", False)])
def test_charge_that_does_not_fit_pdb_files_is_refused(tmp_path: Path, charge: str, is_read: bool) -> None:
    refused = pytest.raises(EntryError, match="charges of 1 atoms are missing or out of range")
    with nullcontext() if is_read else refused:
        text = mmcif(f"1 C C1 . LIG A 1 1.0 2.0 3.0 {charge}\n", tags=("pdbx_formal_charge",))
        assert read(tmp_path, text).structure.make_pdb_string()


@pytest.mark.parametrize(
    ("charge", "expected"),
    [("1-", -1), ("'2+'", 2), ("-1.0", -1), ("1.", 1), ("+1", 1), ("'-1'", -1), ("0.5", 0), ("none", 0)],
)
def test_charge_of_another_form_is_read_or_unknown(tmp_path: Path, charge: str, expected: int) -> None:
    atoms = "".join(f"{k} C C{k} . LIG A 1 1.0 2.0 {3 * k} {value}\n" for k, value in enumerate((charge, "-1"), 1))
    assert read(tmp_path, mmcif(atoms, tags=("pdbx_formal_charge",))).atoms.charge.tolist() == [expected, -1]


@pytest.mark.parametrize(("value", "b"), [("12.50", [12.5]), ("0.00", [0.0]), ("", [None])])
def test_blank_b_factor_of_a_pdb_file_is_unknown(tmp_path: Path, value: str, b: list[float | None]) -> None:
    """gemmi reads zero."""
    atoms = read(tmp_path, CARBON.replace(" 10.00", value.rjust(6))).atoms
    assert [None if np.isnan(number) else number for number in atoms.b_iso.tolist()] == b


@pytest.mark.parametrize(("columns", "occupancy"), [("      ", 1.0), ("  0.00", 0.0), ("  0.50", 0.5)])
def test_blank_occupancy_of_a_pdb_file_is_one(tmp_path: Path, columns: str, occupancy: float) -> None:
    """As by default in mmCIF; gemmi reads zero if an element follows, and programs write neither."""
    assert read(tmp_path, CARBON[:54] + columns + CARBON[60:]).atoms.occupancy.tolist() == [occupancy]
    if columns.isspace():
        assert read(tmp_path, CARBON[:54] + "\n").atoms.occupancy.tolist() == [1.0]


@pytest.mark.parametrize("value", ["?", "."])
@pytest.mark.parametrize("tags", [("B_iso_or_equiv",), ()])
def test_missing_b_factor_of_an_mmcif_file_is_unknown(tmp_path: Path, value: str, tags: tuple[str, ...]) -> None:
    """gemmi reads 20."""
    entry = read(tmp_path, mmcif(f"1 C C1 . LIG A 1 1.0 2.0 3.0 {value if tags else ''}\n", tags=tags))
    assert np.isnan(entry.atoms.b_iso).all()


def test_words_of_columns_name_the_value_of_a_missing_number(tmp_path: Path) -> None:
    atoms = read(tmp_path, mmcif("1 C C1 . LIG A 1 1.0 2.0 3.0 ? ?\n", tags=("occupancy", "B_iso_or_equiv"))).atoms
    assert atoms.occupancy.tolist() == [1.0]
    assert np.isnan(atoms.b_iso).all()
    assert "`?`, `.` and blanks in the file count as 1" in column_words()["occupancy"].meaning
    assert all("no number in the file" in column_words()[name].meaning for name in ("mean_B", "B_iso"))


def mmcif(atoms: str, header: str = "", tags: Sequence[str] = ()) -> str:
    """Return an mmCIF file of atoms."""
    sites = "id type_symbol label_atom_id label_alt_id label_comp_id label_asym_id label_seq_id Cartn_x Cartn_y Cartn_z"
    return "".join([f"data_1ABC\n{header}loop_\n", *(f"_atom_site.{tag}\n" for tag in (*sites.split(), *tags)), atoms])


def test_uniprot_numbers_of_missing_entities_are_skipped(tmp_path: Path) -> None:
    """gemmi refuses the file, for example after another program has removed its entities."""
    items = {"entity_id": 7, "asym_id": "A", "seq_id": 1, "seq_id_ordinal": 1, "observed": "y"}
    items |= {"unp_res": "M", "unp_num": 5, "unp_acc": "P00533"}
    header = "".join(f"_pdbx_sifts_xref_db.{item} {value}\n" for item, value in items.items())
    assert len(read(tmp_path, mmcif("1 C C1 . LIG A 1 1.0 2.0 3.0\n", header)).atoms) == 1


@pytest.mark.parametrize(
    "cell",
    ["10 10 10 -1e308 90 90", "10 10 10 190 90 90", "-10 10 10 90 90 90", "10 10 10 10 10 90", "1e9 9 9 90 90 90"],
)
def test_impossible_cell_is_ignored(tmp_path: Path, cell: str) -> None:
    tags = ("length_a", "length_b", "length_c", "angle_alpha", "angle_beta", "angle_gamma")
    header = "".join(f"_cell.{tag} {value}\n" for tag, value in zip(tags, cell.split(), strict=True))
    assert not read(tmp_path, mmcif("1 C C1 . LIG A 1 1.0 2.0 3.0\n", header)).structure.cell.is_crystal()


@pytest.mark.parametrize(
    ("atoms", "name"),
    [
        (("OW  O", "HW1 H", "HW2 H"), "HOH"),
        (("O   O",), "HOH"),
        (("OH2 O", "H1  H", "H2  H", "LP  X"), "HOH"),
        (("O1  O", "C1  C", "C2  C"), "SOL"),  # L-sorbose
    ],
)
def test_water_with_the_name_of_a_water_model_is_water(tmp_path: Path, atoms: tuple[str, ...], name: str) -> None:
    line = "HETATM{:5d}  {:<3s} SOL W   1    {:8.3f}   0.000   0.000  1.00 10.00          {:>2s}\n"
    text = "".join(line.format(i + 1, *atom.split()[:1], 1.5 * i, atom[-1]) for i, atom in enumerate(atoms))
    found = read(tmp_path, text).atoms
    assert set(found.comp_id.tolist()) == {name.encode()}
    assert set(found.entity_type == WATER) == {name == "HOH"}


def numbered_models(numbers: str) -> str:
    """Return an mmCIF file in the format of the wwPDB with one atom in each of several models."""
    tags = ["group_PDB", "id", "type_symbol", "label_atom_id", "label_comp_id", "label_asym_id", "label_seq_id"]
    tags += ["Cartn_x", "Cartn_y", "Cartn_z", "occupancy", "B_iso_or_equiv"]
    tags += ["label_alt_id", "label_entity_id", "auth_seq_id", "auth_asym_id", "pdbx_PDB_model_num"]
    width, models = max(map(len, numbers.split())), enumerate(numbers.split(), 1)
    rows = [f"HETATM {k} C C{k} LIG A . {k}.0 0.0 0.0 1.0 9.0 . 1 1 A {n:<{width}} " for k, n in models]
    return "\n".join(["data_X", "# ", "loop_", *(f"_atom_site.{tag} " for tag in tags), *rows, "# ", ""])


@pytest.mark.parametrize(
    ("numbers", "models", "names"),
    [
        ("1 1", 1, [b"C1", b"C2"]),
        ("1 1 2 2 3", 3, [b"C1", b"C2"]),
        ("8 8 9 9 10 10 11", 4, [b"C1", b"C2"]),
        ("1 2 1 2", 2, [b"C1", b"C3"]),
        ("1 1 3 3", 2, [b"C1", b"C2"]),
        ("1 2 3 1", 3, [b"C1", b"C4"]),
    ],
)
def test_only_atoms_of_the_first_model_are_read(tmp_path: Path, numbers: str, models: int, names: list[bytes]) -> None:
    entry = read(tmp_path, numbered_models(numbers))
    assert entry.n_models == models
    assert entry.atoms.name.tolist() == names


def test_displacements_of_a_pdb_file_are_not_read(tmp_path: Path) -> None:
    text = f"{CARBON}ANISOU    1  C1  LIG A   1      100    200    300     10     20     30       C\nEND\n"
    (site,) = read(tmp_path, text).structure[0].all()
    assert not site.atom.aniso.nonzero()


def test_numbers_have_insertion_codes_and_deuterium_and_unknown_elements_distinct_symbols() -> None:
    numbers = {"Zn": "  -1 ", "N": "   5 ", "H": "   5 ", "Cl": "   5B", "D": "   5B", "X": "   5B"}
    lines = [atom_line(1, one, "LIG", "A", 1, (0.0, 0.0, 0.0), element=one) for one in numbers]
    parts = zip(lines, numbers.values(), strict=True)
    atoms = Atoms.of(gemmi.read_pdb_string("".join(f"{line[:22]}{number}{line[27:]}" for line, number in parts)))
    assert atoms.residue_ids.tolist() == ["-1", "5", "5B"]
    assert atoms.element.tolist() == [b"Zn", b"N", b"H", b"Cl", b"D", b"X"]
    assert np.flatnonzero(atoms.heavy).tolist() == [0, 1, 3, 5]


def test_subchains_with_long_names_are_those_of_entities_and_assemblies(archive: Path, tmp_path: Path) -> None:
    block = gemmi.cif.read(str(archive / "4cup.cif.gz")).sole_block()
    for tag in ("_atom_site.label_asym_id", "_struct_asym.id"):
        names = block.find_values(tag)
        for row, name in enumerate(list(names)):
            names[row] = f"Subchain{name}"
    block.find_values("_pdbx_struct_assembly_gen.asym_id_list")[0] = "SubchainA,SubchainB"
    block.write_file(str(tmp_path / "1abc.cif"))
    structure = read_entry(tmp_path / "1abc.cif", "1abc").structure
    own = dict.fromkeys(residue.subchain for chain in structure[0] for residue in chain)
    assert len(own) == 6
    assert sorted(own) == sorted(name for entity in structure.entities for name in entity.subchains)
    assert structure.assemblies[0].generators[0].subchains == list(own)[:2]
