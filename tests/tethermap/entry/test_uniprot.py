"""UniProt numbers against another reader's view of the same items, and mutations."""

import gzip
from pathlib import Path

import pytest
from gemmi import cif

from tethermap.entry.reader import read_entry


def expected(path: Path) -> dict[tuple[str, str], str]:
    """Return the numbers by chain and residue in the file: SIFTS items of its atoms, else its segments.

    A segment whose length differs from that of UniProt's part has a gap somewhere, so it has no numbers.
    """
    block = cif.read_string(gzip.decompress(path.read_bytes()).decode("utf-8", "replace")).sole_block()
    tags = ["auth_asym_id", "auth_seq_id", "pdbx_PDB_ins_code"]
    atoms = block.find("_atom_site.", tags + [f"?pdbx_sifts_xref_db_{name}" for name in ("acc", "num", "name")])
    if atoms.has_column(4):
        rows = ([row.str(place) for place in range(6)] for row in atoms)
        return {(c, n + code.strip(".?")): f"{acc}:{to}" for c, n, code, acc, to, db in rows if db == "UNP" and to}
    names = {row.str(0): row for row in block.find("_struct_ref.", ["id", "db_name", "?pdbx_db_accession"])}
    tags = ["ref_id", "pdbx_strand_id", "seq_align_beg", "seq_align_end", "db_align_beg", "db_align_end"]
    tags += ["pdbx_db_accession"]
    numbers: dict[tuple[str, str], str] = {}
    places = ["pdb_strand_id", "seq_id", "pdb_seq_num", "pdb_ins_code"]
    scheme = [[row.str(place) for place in range(4)] for row in block.find("_pdbx_poly_seq_scheme.", places)]
    for row in block.find("_struct_ref_seq.", tags):
        first, last, db_first, db_last = (int(row[place]) for place in range(2, 6))
        reference = names[row.str(0)]
        if reference.str(1) == "UNP" and last - first == db_last - db_first:
            code = row.str(6) if row.str(6).strip("?.") else reference.str(2)
            for chain, place, number, letter in scheme:
                if chain == row.str(1) and first <= int(place) <= last:
                    numbers[chain, number + letter.strip(".?")] = f"{code}:{int(place) - first + db_first}"
    return numbers


def test_uniprot_numbers_of_a_hundred_entries_match_their_files(mirror: Path) -> None:
    """Trypsin and thrombin (1GBT, 1A4W) are numbered after chymotrypsin by their authors, with insertion codes."""
    compared = residues = 0
    for path in sorted(mirror.glob("*.cif.gz")):
        if compared == 100:
            break
        if not (wanted := expected(path)):
            continue
        references = read_entry(path, path.name[:4]).references
        numbers = {key: number for key in wanted if (number := references.of(*key))}
        assert numbers == {key: wanted[key] for key in numbers}, path.name
        compared, residues = compared + 1, residues + len(numbers)
    assert compared == 100
    assert residues > 40_000


@pytest.mark.parametrize("entry_id", ["4zau", "1gbt", "1a4w"])
def test_residues_that_were_observed_have_numbers(entry_id: str, mirror: Path) -> None:
    path = mirror / f"{entry_id}.cif.gz"
    references = read_entry(path, entry_id).references
    wanted = expected(path)
    assert sum(bool(references.of(*key)) for key in wanted) > 0.8 * len(wanted)  # the others were not observed


@pytest.mark.parametrize("entry_id", ["4zau", "4hhb", "1fbl"])
def test_both_formats_have_the_same_numbers_and_mutations(entry_id: str, mirror: Path) -> None:
    both = [read_entry(mirror / f"{entry_id}.{end}.gz", entry_id) for end in ("cif", "pdb")]
    chains = {segment.chain for segment in both[0].references.stated.segments}
    residues = {(chain, str(number)) for chain in chains for number in range(1, 1100)}
    numbers = [{key: found for key in residues if (found := entry.references.of(*key))} for entry in both]
    assert numbers[0] == numbers[1]
    assert numbers[0]
    mutations = [{one.name for one in entry.references.stated.mutations} for entry in both]
    assert mutations[0] == mutations[1]


@pytest.mark.parametrize(("entry_id", "name"), [("5ug8", "T790M"), ("4twp", "T315I"), ("2itz", "L858R")])
def test_mutations_have_the_names_of_the_literature(entry_id: str, name: str, mirror: Path) -> None:
    references = read_entry(next(mirror.glob(f"{entry_id}.*")), entry_id).references
    assert name in {mutation.name for mutation in references.stated.mutations}
