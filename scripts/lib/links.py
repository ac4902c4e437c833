"""Where more is told of a ligand: pages of public databases by its code or its InChIKey."""

from __future__ import annotations

import re

_CODE = re.compile(r"[A-Z0-9]{1,5}")
_KEY = re.compile(r"[A-Z]{14}-[A-Z]{10}-[A-Z]")


def ligand_links(comp_id: str, inchikey: str, *, in_dictionary: bool = True) -> dict[str, str]:
    """Return addresses by the name of the database.

    Parameters
    ----------
    comp_id : str
        Code of the component; those of a group, joined by ``+``, have no page.
    inchikey : str
        Of the ligand, empty where it has none. ChEMBL and PubChem are searched for it: they may not know it.
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
