"""Components of the dictionary that are close to a molecule."""

from tests.tools.components import Known
from tethermap.components.index import ComponentIndex
from tethermap.extras.degraders.similar import closest_components
from tethermap.molecule.dictionary import dictionary_smiles

ENTRIES = {"IRE": ["2itz", "4wkq"], "AQ4": ["1m17"], "STI": ["1iep"], "HOH": ["1m17"], "4PX": ["0xxx"]}


def test_component_itself_comes_first_then_similar_ones_of_the_source(index: ComponentIndex, known: Known) -> None:
    same, other = closest_components(dictionary_smiles(known("IRE"), neutral=True), index, ENTRIES, 6)
    assert (same["ligand"], same["name"], same["relation"], same["differs"]) == ("IRE", "Gefitinib", "same", 0)
    assert same["entries"] == ["2itz", "4wkq"]
    assert (other["ligand"], other["relation"]) == ("AQ4", "similar")  # erlotinib, the same anilinoquinazoline
    assert str(other["svg"]).startswith("<svg")


def test_atoms_that_differ_are_counted(index: ComponentIndex) -> None:
    """Desmethyl-gefitinib lacks one atom of it: it is a part of the ligand."""
    smiles = "Oc1cc2ncnc(Nc3ccc(F)c(Cl)c3)c2cc1OCCCN1CCOCC1"
    (hit, *_) = closest_components(smiles, index, {"IRE": []}, 6)
    assert (hit["ligand"], hit["relation"], hit["differs"]) == ("IRE", "contains", 1)


def test_component_is_found_by_its_names_in_any_case(index: ComponentIndex) -> None:
    assert [index.named(name) for name in ("gefitinib", "ire")] == ["IRE", "IRE"]


def test_formulas_are_those_of_the_components(index: ComponentIndex) -> None:
    formulas = dict(index.formulas(["IRE", "HOH", "HEM", "A1CEA", "no code"]))
    assert len(formulas) == 4
    assert formulas == {code: component.formula for code in formulas if (component := index.get(code))}
