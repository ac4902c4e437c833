"""Answers about one ligand: exposure, descriptors."""

from typing import Annotated, Literal

from pydantic import Field, SkipValidation, WithJsonSchema
from typing_extensions import TypedDict

from service.http.answer import Answer, Count, Number, Success, Yes, row_type
from tethermap.base import tables
from tethermap.base.contexts import HEADLINE_FIRST


class MeasuredLigand(Answer):
    """A ligand that has been measured."""

    chain: str = Field(validation_alias="Chain")
    residue_id: str = Field(validation_alias="Residue_ID")
    ligand: str = Field(validation_alias="Warhead")


class SasaAvailableAnswer(Success):
    """Ligands of an entry that have been measured."""

    pdb_id: str
    available: list[MeasuredLigand]


class MeasuredAtom(TypedDict):
    """Exposure of an atom."""

    atom_name: str
    element: str
    atom_id: Count | None
    x: Number
    y: Number
    z: Number
    exposure: Number | None
    exposure_a2: Number | None
    sasa_free: Number | None
    relative_sasa: Number | None
    rdkit_atom_index: Count | None


class SasaRange(Answer):
    """Range of the atoms' exposed areas."""

    min: Number | None
    max: Number | None
    p95: Number | None


class SasaTotals(Answer):
    """Areas of the whole ligand, and its buried fraction."""

    sasa_bound: Number | None
    sasa_free: Number | None
    buried_fraction: Number | None


class SasaMethod(Answer):
    """Method of the SASA calculation."""

    algorithm: str
    slices: Count
    probe_radius: Number | None
    radii: str
    engine: str
    context: Annotated[str, WithJsonSchema({"enum": list(HEADLINE_FIRST)})]


class LigandExposure(Answer):
    """Exposure of one ligand by atom."""

    key: str
    pdb_id: str
    chain: str
    residue_id: str
    ligand: str
    stats: SasaRange
    totals: SasaTotals
    method: SasaMethod
    atoms: Annotated[list[MeasuredAtom], SkipValidation]


class SasaAtomsAnswer(LigandExposure, Success):
    """Exposure of one ligand by atom."""


class MissingLigand(Answer):
    """Ligand of a request that can't be answered, with the reason."""

    index: Count
    key: str | None
    reason: str


class SasaBulkAnswer(Success):
    """Exposure of many ligands."""

    results: dict[str, LigandExposure]
    missing: list[MissingLigand]


class SasaResidueAnswer(Success):
    """Residues of a chain that contain a ligand."""

    pdb_id: str
    chain: str = Field(validation_alias="Chain")
    ligand: str = Field(validation_alias="Warhead")
    residue_id: str = Field(validation_alias="Residue_ID")
    resid: str
    residues: list[str]
    source: str = "Resolved_SASA_Summary.csv"


LigandPropsAnswer = row_type("LigandPropsAnswer", tables.LIGAND_METADATA, ok=Yes, job_id=str, links=dict[str, str])


class LigandChainAnswer(Answer):
    """Chain of a ligand."""

    chain: str | None


class OverlayAtom(TypedDict):
    """Atom with exposure and colour, for a viewer."""

    atom_id: Count | None
    atom_name: str
    x: Number
    y: Number
    z: Number
    exposure: Number | None
    bucket: Literal["low", "medium", "high"]
    color: Annotated[list[Number], Field(min_length=3, max_length=3)]


class MappedAtom(TypedDict):
    """Exposure of an atom, by its index (from 0) in the SDF."""

    atomIndex: Count
    exposure: Number | None
