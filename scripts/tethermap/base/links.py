"""Addresses of public services: those of the PDB's archives, and pages about a ligand by its code or InChIKey."""

import os
import re
from typing import NamedTuple, Self

_CODE = re.compile(r"[A-Z0-9]{1,5}")
_KEY = re.compile(r"[A-Z]{14}-[A-Z]{10}-[A-Z]")


class Addresses(NamedTuple):
    """Addresses of RCSB and PDBe; each can be set through the environment. Reports are in the same folder as the files.

    Parameters
    ----------
    reports : tuple of str
        Patterns of the addresses of an entry's report, in order, with ``{middle}``, ``{id}`` and ``{ending}``.
    """

    search: str
    data: str
    files: str
    pdbe_files: str
    reports: tuple[str, ...]

    @classmethod
    def from_environment(cls) -> Self:
        """Return the public addresses, overridden by ``TETHERMAP_RCSB_SEARCH_URL`` and so on."""
        named = {
            "TETHERMAP_RCSB_SEARCH_URL": "https://search.rcsb.org/rcsbsearch/v2/query",
            "TETHERMAP_RCSB_DATA_URL": "https://data.rcsb.org",
            "TETHERMAP_RCSB_FILES_URL": "https://files.rcsb.org/download",
            "TETHERMAP_PDBE_FILES_URL": "https://www.ebi.ac.uk/pdbe/entry-files/download",
        }
        search, data, files, pdbe = (os.environ.get(name, "").rstrip("/") or default for name, default in named.items())
        host = files.removesuffix("/download")
        tree = f"{host}/pub/pdb/validation_reports/{{middle}}/{{id}}/{{id}}_validation.{{ending}}.gz"
        return cls(search, data, files, pdbe, (tree, f"{host}/validation/download/{{id}}_validation.{{ending}}.gz"))


def ligand_links(comp_id: str, inchikey: str, *, in_dictionary: bool = True) -> dict[str, str]:
    """Return addresses by the name of the database.

    Parameters
    ----------
    comp_id : str
        Code of the component; those of a group, joined by ``+``, have no page.
    inchikey : str
        InChIKey of the ligand; empty if unknown. ChEMBL and PubChem are searched for it: they may not know it.
    in_dictionary : bool
        Whether the code is that of the wwPDB's dictionary, not a user's own.

    Examples
    --------
    >>> ligand_links("YY3", "")["RCSB PDB"]
    'https://www.rcsb.org/ligand/YY3'
    """
    links = {}
    if in_dictionary and _CODE.fullmatch(comp_id):
        links["RCSB PDB"] = f"https://www.rcsb.org/ligand/{comp_id}"
        links["PDBe"] = f"https://www.ebi.ac.uk/pdbe-srv/pdbechem/chemicalCompound/show/{comp_id}"
    if _KEY.fullmatch(inchikey):
        links["ChEMBL"] = f"https://www.ebi.ac.uk/chembl/g/#search_results/all/query={inchikey}"
        links["PubChem"] = f"https://pubchem.ncbi.nlm.nih.gov/#query={inchikey}"
    return links
