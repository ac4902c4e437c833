"""A chain's polymer out of a cleaned complex, checked against gemmi."""

import gemmi
import pytest

from service.build_examples import SHIPPED
from service.results.mmcif_polymer import polymer_of_mmcif
from service.results.structures import polymer_of

COMPLEXES = ["exam1hpv/TARGET_RESULTS/WAR_PDB/1hpv_A_478_200.pdb", "exam1gbt/TARGET_RESULTS/WAR_PDB/1gbt_A_GBS_704.pdb"]


def atoms_of(model: gemmi.Model, chain: str) -> list[tuple[object, ...]]:
    """Return the atoms of a chain's polymer as plain values."""
    return [
        (str(residue.seqid), residue.name, atom.name, atom.element.name, *(round(v, 3) for v in atom.pos.tolist()))
        for residue in model[chain].get_polymer()
        for atom in residue
    ]


@pytest.mark.parametrize("name", COMPLEXES)
@pytest.mark.parametrize("form", ["pdb", "mmcif"])
def test_polymer_is_that_of_an_independent_reader(name: str, form: str) -> None:
    structure = gemmi.read_structure(str(SHIPPED / name))
    structure.setup_entities()
    for chain in {chain.name for chain in structure[0]}:
        if form == "pdb":
            found = polymer_of((SHIPPED / name).read_text().splitlines(), {}, chain)
        else:
            found = polymer_of_mmcif(structure.make_mmcif_document().as_string().splitlines(), chain.lower())
        assert found is not None
        true_name, lines = found
        assert true_name == chain
        again = gemmi.read_pdb_string("\n".join(lines))
        again.setup_entities()
        assert [one.name for one in again[0]] == [chain]
        assert atoms_of(again[0], chain) == atoms_of(structure[0], chain)


def test_long_chain_names_are_reported_in_a_remark() -> None:
    structure = gemmi.read_structure(str(SHIPPED / COMPLEXES[0]))
    structure[0]["B"].name = "LONG"
    structure.setup_entities()
    found = polymer_of_mmcif(structure.make_mmcif_document().as_string().splitlines(), "LONG")
    assert found is not None
    assert found[1][0] == "REMARK   6 chain A is LONG"
    assert polymer_of_mmcif([], "A") is None


def test_shortened_chain_names_are_found_by_their_true_names() -> None:
    lines = (SHIPPED / COMPLEXES[0]).read_text().splitlines()
    found = polymer_of(lines, {"B": "BBB"}, "bbb")
    assert found is not None
    assert found[0] == "BBB"
    assert polymer_of(lines, {"B": "BBB"}, "B") is None
