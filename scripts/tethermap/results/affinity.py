"""Affinities of the ligands of a job: found by place in the PDB or by molecule and protein, never by name."""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from statistics import median

from tethermap.base.errors import UserError
from tethermap.base.packed import DAMAGED
from tethermap.base.tables import JOINED, Row, Value, by_key
from tethermap.molecule.inchi import inchikey_of_component
from tethermap.results import measurement
from tethermap.results.measurement import FORMATS, TYPES, Format, Measurement, Wanted, molecule_of_key, opened_text

_HEAD = 200
"""Maximum number of lines to detect a format; the first ligand of Binding MOAD is below its class and family."""

_RELATIONS = ("=", "~", "<", ">")
"""For each type, only values with the first available relation are used: a limit is not a value."""

_DIGITS = 3
"""Significant digits to which equal values are one: lists repeat each other, and repeat a value for each chain."""

WEAK_NM = 10_000.0
"""A ligand is weak above this concentration, in nmol/L. House rule."""

KCAL_PER_LOG = 1.37
"""Free energy of binding per decade of affinity at 300 K, in kcal/mol: ligand efficiency as in Hopkins, Groom and Alex
2004, Drug Discovery Today 9:430."""


@dataclass(frozen=True, slots=True)
class AffinityQuery:
    """One ligand instance, as affinities are looked up for it.

    Parameters
    ----------
    stem : str
        Name of the instance.
    names : mapping
        Its cells of `tables.AFFINITY`: entry, chain, ligand, residue.
    components : str
        Its components joined by ``+``.
    chains : frozenset of str
        Author names of its target chains, and its own if that is not a polymer's.
    inchikey : str
        InChIKey of its neutral parent.
    accessions : frozenset of str
        UniProt accessions of target residues that touch it.
    """

    stem: str
    names: Mapping[str, Value]
    components: str
    chains: frozenset[str]
    inchikey: str
    accessions: frozenset[str]

    def has_place(self, one: Measurement) -> bool:
        """Return whether a measurement names this entry and component, and chain and residue if it has them.

        If the entry does not have the component, because it was remediated since, the molecule must be the same.
        """
        return (
            one.entry_id == self.names["pdb_id"]
            and (self.is_molecule(one) if one.inchikey else self.has_component(one))
            and one.chain in ("", *self.chains, *([self.names["Chain"]] if one.residue else []))
            and one.residue in ("", self.names["Residue_ID"])
        )

    def has_component(self, one: Measurement) -> bool:
        """Return whether a measurement names one of its components."""
        return not {*one.comp_id.replace("&", " ").replace("/", " ").split()}.isdisjoint(self.components.split("+"))

    def is_molecule(self, one: Measurement) -> bool:
        """Return whether a measurement is of this molecule, in any protonation."""
        return bool(self.inchikey) and molecule_of_key(one.inchikey) == molecule_of_key(self.inchikey)


class Affinities:
    """Affinities of all ligands of a job.

    Parameters
    ----------
    files : sequence of str
        The user's tables.
    ligands : sequence of AffinityQuery
        Instances of the job.
    heavy : mapping of str to int
        Heavy atoms of each whole ligand by its components.
    """

    def __init__(self, files: Sequence[str], ligands: Sequence[AffinityQuery], heavy: Mapping[str, int]) -> None:
        self._ligands = {ligand.stem: ligand for ligand in ligands}
        self._heavy = heavy
        self._found: dict[str, tuple[str, list[Measurement]]] = {}
        places: dict[str, list[Measurement]] = defaultdict(list)
        pairs: dict[str, list[Measurement]] = defaultdict(list)
        by_entry = by_key((ligand.names["pdb_id"], ligand) for ligand in ligands)
        for one in measurements(files, ligands):
            if one.inchikey:
                pairs[molecule_of_key(one.inchikey)].append(one)
            if own := by_entry.get(one.entry_id):
                known = any(ligand.has_component(one) for ligand in own)
                key = "" if known or one.inchikey else inchikey_of_component(one.comp_id)
                places[one.entry_id].append(replace(one, inchikey=key))
        copies: dict[tuple[Value, str], list[AffinityQuery]] = defaultdict(list)
        for ligand in ligands:
            if by_place := [one for one in places[str(ligand.names["pdb_id"])] if ligand.has_place(one)]:
                self._found[ligand.stem] = "entry", by_place
                copies[ligand.names["pdb_id"], ligand.components].append(ligand)
        for ligand in ligands:
            if ligand.stem in self._found:
                continue
            same = copies.get((ligand.names["pdb_id"], ligand.components), [])
            copy = next((one for one in same if not one.accessions.isdisjoint(ligand.accessions)), None)
            if copy is not None:  # lists name one chain of a protein; its copies have others
                self._found[ligand.stem] = self._found[copy.stem]
            elif ligand.inchikey:
                same_molecule = pairs.get(molecule_of_key(ligand.inchikey), ())
                if found := [one for one in same_molecule if not ligand.accessions.isdisjoint(one.accessions)]:
                    self._found[ligand.stem] = "inchikey", found

    def cells(self, stems: Iterable[str]) -> dict[str, Value]:
        """Return the cells of the first type, over all values of the given copies of one ligand."""
        found = [one for stem in stems for one in self._found.get(stem, ("", []))[1]]
        if not found:
            return {}
        heavy = next((self._heavy.get(self._ligands[stem].components) for stem in stems if stem in self._found), None)
        return next(summaries(found, heavy))

    def rows(self) -> Iterator[Row]:
        """Yield the rows of `tables.AFFINITY`: one for each instance and type."""
        for stem, (matched_by, found) in self._found.items():
            ligand = self._ligands[stem]
            for cells in summaries(found, self._heavy.get(ligand.components)):
                yield {**ligand.names, **cells, "matched_by": matched_by, "stem": stem}


def summaries(found: Iterable[Measurement], heavy: int | None) -> Iterator[dict[str, Value]]:
    """Yield the cells of each type of measurement in the order of `TYPES`: the median of its distinct values.

    Parameters
    ----------
    heavy : int or None
        Heavy atoms of the ligand.
    """
    by_type = by_key((one.affinity_type, one) for one in found)
    for affinity_type in (name for name in TYPES if name in by_type):
        of_type = by_type[affinity_type]
        relation = next(sign for sign in _RELATIONS if any(one.relation == sign for one in of_type))
        used = [one for one in of_type if one.relation == relation]
        values = sorted({f"{one.value_nM:.{_DIGITS}g}": one.value_nM for one in used}.values())
        value = median(values)
        p_value = 9 - math.log10(value)
        yield {
            "affinity_type": affinity_type,
            "relation": relation,
            "value_nM": value,
            "p_value": p_value,
            "source": JOINED.join(dict.fromkeys(one.source for one in used)),
            "n_values": len(values),
            "spread": f"{values[0]:g}-{values[-1]:g}" if len(values) > 1 else "",
            "ligand_efficiency": KCAL_PER_LOG * p_value / heavy if heavy else None,
            "affinity_word": "weak" if relation != "<" and value > WEAK_NM else "",
        }


def measurements(files: Sequence[str], ligands: Sequence[AffinityQuery]) -> Iterator[Measurement]:
    """Yield the measurements of the given tables that may belong to the given ligands.

    Raises
    ------
    UserError
        If a file has no known format.
    """
    wanted = Wanted(
        {str(ligand.names["pdb_id"]) for ligand in ligands},
        {molecule_of_key(ligand.inchikey) for ligand in ligands if ligand.inchikey},
        {accession for ligand in ligands for accession in ligand.accessions},
    )
    read = formats_of(files)
    targets: dict[str, str] = {}
    for name in [name for name, format_ in read.items() if format_ is None]:
        with opened_text(Path(name)) as lines:
            targets |= measurement.mapped_targets(lines)
    for name, format_ in read.items():
        if format_ is not None:
            with opened_text(Path(name)) as lines:
                yield from format_.read(lines, replace(wanted, targets=targets), name)


def formats_of(files: Sequence[str]) -> dict[str, Format | None]:
    """Return the format of each of the user's tables; None for a mapping of targets.

    Raises
    ------
    UserError
        If a file is damaged or has no known format.
    """
    found: dict[str, Format | None] = {}
    for name in files:
        try:
            with opened_text(Path(name)) as lines:
                head = list(islice(lines, _HEAD))
        except DAMAGED as error:
            raise UserError(f"{Path(name).name} of source.affinity can't be read ({error}).") from None
        found[name] = (
            None if measurement.is_mapping(head) else next((one for one in FORMATS if one.recognises(head)), None)
        )
        if found[name] is None and not measurement.is_mapping(head):
            known = ", ".join(one.name for one in FORMATS)
            raise UserError(
                f"{Path(name).name} of source.affinity is no table of a known format: give a {known}"
                " with the columns that scripts/README.md names."
            )
    return found
