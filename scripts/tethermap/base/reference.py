"""Location of the reference tables that are shipped with the pipeline."""

import csv
from pathlib import Path

from tethermap.base.root import ROOT

REFERENCE = ROOT / "data" / "reference"

CITATIONS = REFERENCE / "citations.csv"
ADDITIVES = REFERENCE / "additives.csv"
CODES = REFERENCE / "codes.csv"
COFACTORS = REFERENCE / "cofactors.csv"
RADII = REFERENCE / "radii.csv"
E3_LIGASES = REFERENCE / "e3_ligases.csv"
LINKERS = REFERENCE / "linkers.csv"
REACTIONS = REFERENCE / "reactions.csv"
EXIT_CLASSES = REFERENCE / "exit_classes.csv"
LEAVING_GROUPS = REFERENCE / "leaving_groups.csv"
FIT_LIMITS = REFERENCE / "fit_limits.csv"
FIT_VALUES = REFERENCE / "fit_values.csv"
LIGAND_ROLES = REFERENCE / "ligand_roles.csv"
POLYMER_ROLES = REFERENCE / "polymer_roles.csv"
PROTONATION = REFERENCE / "protonation.csv"
WARHEADS = REFERENCE / "warheads.csv"
COLUMNS = REFERENCE / "columns.csv"
TABLE_COLUMNS = REFERENCE / "tables.csv"
UNSUPPORTED_FORMATS = REFERENCE / "unsupported_formats.csv"


def rows_of(path: Path) -> list[dict[str, str]]:
    """Return the rows of a reference table.

    >>> [row["chem_class"] for row in rows_of(EXIT_CLASSES)][:2]
    ['amine N-H', 'amine N, alkyl leaves']
    """
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))
