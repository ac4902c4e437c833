"""Words for the ranking of exits, for linker designers.

The classes are those of `tethermap.exits.prior.PRIOR`; this module imports nothing of the
chemistry, so that pages can use it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tethermap.base.reference import rows_of
from tethermap.base.tables import split_cell

CLASSES = rows_of("exit_classes")

CHEMISTRY: Mapping[str, str] = {row["chem_class"]: row["change"] for row in CLASSES}
"""The usual reaction for a candidate of each class."""

OF_ACID, OF_CARBAMATE = "make an amide or ester with the linker", "make another carbamate or a urea with the linker"
"""The usual reaction at a carbonyl carbon: of an acid, ester or amide; between two O or N."""

AMINE = "sp3 C, amine leaves"
"""The class of amines on a carbon chain, which the linker's amine replaces."""

ACYL_LEAVES = "amide N, acyl leaves"
"""The class of amides whose acyl group is replaced."""

UNUSUAL = "other"
"""The class without a known reaction: a candidate may be open and is still not recommended."""

OPEN_FROM = 0.1
"""Room and way out from which an exit counts as open. House rule."""

MOSTLY = 0.5
"""Least share of the copies in which a good answer is open."""

HEAD_HEIGHT, LINE_HEIGHT = 58.0, 19.0
"""Height of the title and of each line below a drawing of exits, in pixels."""

ROOM = ((0.35, "wide open"), (0.2, "open"), (OPEN_FROM, "tight"), (0.0, "blocked"))
WAY = ((0.6, "clear"), (0.25, "partly clear"), (OPEN_FROM, "narrow"), (0.0, "blocked"))
PRIOR = ((0.8, "routine"), (0.5, "common"), (0.3, "possible"), (0.0, "unusual"))
LOST = ((80.0, "much buried contact"), (30.0, "some buried contact"), (0.05, "little buried contact"), (0.0, "nothing"))
"""Lower bounds of the score's terms and their words, best or largest first."""

FULL_ROOM = 0.55
"""Room of an atom that nothing is near to."""


NOT_RECOMMENDED: Mapping[str, str] = {
    "no_way_out": "most copies show no open way out",
    "unusual_group": "linkers are not usually built on such a group",
    "cofactor": "a cofactor or an analogue of one",
    "fragment": "a fragment of fewer than 12 heavy atoms",
}
"""Reasons why an answer follows the recommended ones in the order over ligands."""

GRADES, GRADE_WEIGHT = "ABCD", 0.3
"""Grades of evidence, and the penalty of each below A in the order over ligands; D is last. House rule."""

SMALLEST_LIGAND = 12
"""Ligands of fewer heavy atoms are fragments. House rule."""

MUCH_GIVEN_UP = 40.0
"""Buried surface of a leaving group, in square angstroms, from which a sentence names the contacts that are lost.
House rule."""

NAMED_RESIDUES = 4
"""Maximum number of residues in such a sentence."""

NAMED_ATOMS = 4
"""Atoms of a leaving group that a sentence names one by one."""


@dataclass(frozen=True, slots=True)
class Action:
    """A change of a ligand that makes room for a linker.

    Parameters
    ----------
    anchor : str
        Name of the atom that the linker is bonded to.
    leaving : sequence of str
        Names of the atoms that leave; none if a hydrogen does.
    chem_class : str
        Its class, a key of `CHEMISTRY`.
    kind : str
        ``H``, ``cut`` or ``unseen``.
    area_lost : float
        Buried surface of the leaving atoms, in square angstroms.
    hbonds_lost : int
        N and O of the protein within the reach of hydrogen bonds of N and O that leave.
    residues : sequence of str
        Residues that the leaving atoms touch, as ``ILE A 10``.
    frees_link : bool
        Whether the group that is bound to the protein leaves.
    reaction : str
        Usual reaction at this exit, empty for that of its class.
    leaving_name : str
        Name of the group that leaves, empty if it has none.
    """

    anchor: str
    leaving: Sequence[str]
    chem_class: str
    kind: str = "H"
    area_lost: float = 0.0
    hbonds_lost: int = 0
    residues: Sequence[str] = ()
    frees_link: bool = False
    reaction: str = ""
    leaving_name: str = ""


def action_sentence(made: Action, not_recommended: Sequence[str] = ()) -> str:
    """Describe an exit: the change, its cost, and the reason if it is not recommended.

    Parameters
    ----------
    not_recommended : sequence of str
        Codes of `NOT_RECOMMENDED`.

    >>> print(action_sentence(Action("C23", ["O25", "C26"], "methyl on sulfonyl", "cut")))
    Attach at C23, in place of O25, C26: lengthen the sulfone's methyl.
    >>> print(action_sentence(Action("N3B", ["PG"], "other", "cut"), ["unusual_group"]))
    Open at N3B, in place of PG, but linkers are not usually built on such a group.
    >>> print(action_sentence(Action("CAN", ["NBE", "CAO"], "sp3 C, amine leaves", "cut", leaving_name="morpholine")))
    Replace the morpholine (at CAN) with the linker's amine.
    >>> print(action_sentence(Action("C1", ["C2"], "sp3 C, C leaves", "cut", 50.4, 1, ["ILE A 10"])))
    Attach at C1, in place of C2: rebuild the carbon branch with the linker on it. This gives up 50 Å² of buried \
surface, a polar contact, contacts with Ile 10.
    """
    unseen = made.kind == "unseen"
    leaving = f"the {made.leaving_name}" if made.leaving_name else listed(made.leaving)
    attachment = f"{made.anchor}, in place of {leaving}" if leaving and not unseen else made.anchor
    blocked = "no_way_out" in not_recommended
    if made.chem_class == UNUSUAL and not blocked:
        sentences = [f"Open at {attachment}, but {CHEMISTRY[UNUSUAL]}."]
    else:
        start = "No good way out; the least bad is" if blocked else "Attach at"
        chemistry = made.reaction or CHEMISTRY.get(made.chem_class, made.chem_class)
        sentences = [f"{start} {attachment}: {chemistry}."]
        if made.leaving_name and not blocked:
            with_it = " with the linker's amine" if made.chem_class == AMINE else f": {chemistry}"
            sentences = [f"Replace the {made.leaving_name} (at {made.anchor}){with_it}."]
    if unseen:
        sentences.append(f"The end beyond {made.anchor} was not modelled, which usually means it is in solvent.")
    if made.frees_link:
        sentences.append("This removes the bond to the protein and gives the reversible parent.")
    if made.area_lost >= MUCH_GIVEN_UP:
        sentences.append(f"This gives up {_given_up(made)}.")
    sentences += [f"Not recommended: {NOT_RECOMMENDED[code]}." for code in not_recommended if code in OF_LIGANDS]
    return " ".join(sentences)


def listed(atoms: Sequence[str]) -> str:
    """Return the names of a few atoms, of more than `NAMED_ATOMS` the first and their number."""
    return ", ".join(atoms) if len(atoms) <= NAMED_ATOMS else f"the {len(atoms)} atoms from {atoms[0]} on"


OF_LIGANDS = ("cofactor", "fragment")
"""Codes of `NOT_RECOMMENDED` that apply to a ligand with any exit."""


def _given_up(made: Action) -> str:
    parts = [f"{made.area_lost:.0f} Å² of buried surface"]
    if made.hbonds_lost:
        parts.append("a polar contact" if made.hbonds_lost == 1 else f"{made.hbonds_lost} polar contacts")
    if made.residues:
        split = [residue.split() for residue in made.residues]
        named = list(dict.fromkeys(f"{words[0].capitalize()} {words[-1]}" for words in split))
        more = f" and {len(named) - NAMED_RESIDUES} more" if len(named) > NAMED_RESIDUES else ""
        parts.append(f"contacts with {', '.join(named[:NAMED_RESIDUES])}{more}")
    return ", ".join(parts)


def link_order(*, frees_link: bool, is_open: bool) -> int:
    """Return the sort key of an exit of a covalently bound ligand that precedes its score.

    A cut that removes the bond to the protein follows the other open exits and precedes the closed ones.

    >>> [link_order(frees_link=freed, is_open=opened) for opened in (True, False) for freed in (False, True)]
    [0, 1, 2, 3]
    """
    return 2 * (not is_open) + frees_link


def is_advised(answer: Mapping[str, float | str | None]) -> bool:
    """Return whether an answer's sentence recommends its site, rather than giving a reason against it.

    Parameters
    ----------
    answer : mapping
        A row of `tethermap.base.tables.EXIT_ANSWERS`.

    >>> seen = {"kind": "observed", "chem_class": "", "n_open": 1, "n_copies": 3}
    >>> is_advised(seen), is_advised({**seen, "kind": "H"}), is_advised({**seen, "kind": "H", "n_open": 2})
    (True, False, True)
    """
    if answer["kind"] == "observed":
        return True
    in_most = float(answer["n_open"] or 0) >= MOSTLY * float(answer["n_copies"] or 0)
    return in_most and answer["chem_class"] != UNUSUAL and not answer.get("not_recommended")


def copies_noun(answer: Mapping[str, float | str | None]) -> str:
    """Return the noun for the samples of an answer: copies in crystals, docked poses, or samples of a prediction.

    Parameters
    ----------
    answer : mapping
        A row of `tethermap.base.tables.EXIT_ANSWERS`.

    >>> copies_noun({"n_copies": 40, "evidence_reasons": "docked"}), copies_noun({"n_copies": 1})
    ('poses', 'copy')
    """
    reasons = split_cell(answer.get("evidence_reasons"))
    noun = "sample" if "predicted" in reasons else "pose" if "docked" in reasons else "copy"
    return noun if answer["n_copies"] == 1 else {"copy": "copies"}.get(noun, f"{noun}s")


_CONCENTRATIONS = ((1e6, "mM"), (1e3, "µM"), (1.0, "nM"), (1e-3, "pM"), (1e-6, "fM"))
"""Units by their size in nmol/L."""


def affinity_text(row: Mapping[str, float | str | None]) -> str:
    """Return a ligand's measured affinity in words, empty if a job has none.

    Parameters
    ----------
    row : mapping
        A row with the columns `tethermap.base.tables.AFFINITY_CELLS`.

    >>> measured = {"affinity_type": "Kd", "relation": "=", "value_nM": 105000.0, "affinity_word": "weak"}
    >>> affinity_text({**measured, "source": "PDBbind"})
    'Kd = 105 µM, weak (PDBbind)'
    """
    value = float(row.get("value_nM") or 0)
    if not value:
        return ""
    factor, unit = next((one for one in _CONCENTRATIONS if value >= one[0]), _CONCENTRATIONS[-1])
    text = f"{row['affinity_type']} {row['relation']} {value / factor:.3g} {unit}"
    word = f", {row['affinity_word']}" if row["affinity_word"] else ""
    several = f", median of {row['spread']} nM" if row.get("spread") else ""
    return f"{text}{several}{word} ({str(row['source']).replace(';', ', ')})"


def published_text(row: Mapping[str, float | str | None]) -> str:
    """Return how many published degraders leave at an exit in words, empty if none or if a job has no table of them.

    Parameters
    ----------
    row : mapping
        A row with the columns `tethermap.base.tables.PUBLISHED_CELLS`.

    >>> found = {"published": 43, "published_best": "DC50 = 5.9 nM, BTK, CRBN"}
    >>> published_text({**found, "published_reference": "Example 2020"})
    '43 published degraders leave here; best: DC50 = 5.9 nM, BTK, CRBN (Example 2020)'
    """
    count = int(row.get("published") or 0)
    if not count:
        return ""
    noun = "degrader leaves" if count == 1 else "degraders leave"
    reference = f" ({row['published_reference']})" if row["published_reference"] else ""
    best = f"; best: {row['published_best']}{reference}" if row["published_best"] else ""
    return f"{count} published {noun} here{best}"


def seen_action(anchor: str, linker: str, others: Sequence[str]) -> str:
    """Describe the observed linker exit of a degrader in one sentence.

    Parameters
    ----------
    anchor, linker : str
        Names of the atoms on either side of the bond.
    others : sequence of str
        Other bonds that the authors may have cut, each as two names.

    >>> seen_action("CBT", "CBD", ["CCA-CBC"])
    'Seen in a crystal: the linker leaves CBT by CBD (or CCA-CBC: the structure does not decide between them).'
    """
    alternatives = f" (or {', '.join(others)}: the structure does not decide between them)" if others else ""
    return f"Seen in a crystal: the linker leaves {anchor} by {linker}{alternatives}."


def in_words(value: float, scale: tuple[tuple[float, str], ...]) -> str:
    """Return the word for a value on one of this module's scales; the last word below all bounds.

    >>> in_words(0.25, ROOM)
    'open'
    """
    return next((word for bound, word in scale if value >= bound), scale[-1][1])
