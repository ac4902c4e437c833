"""Names of a structure in mmCIF text: gemmi writes some without the quotes that they need."""

import gemmi
from gemmi import cif

from tethermap.formats.cif_repair import columns_of


def quote_names(block: cif.Block, structure: gemmi.Structure) -> None:
    """Put quotes around unquoted names of a structure's chains and entities in a block.

    Parameters
    ----------
    block : gemmi.cif.Block
        As gemmi made it of the structure.
    structure : gemmi.Structure
        Structure with one model.
    """
    chains = structure[0]
    names = {chain.name for chain in chains} | {part.subchain_id() for chain in chains for part in chain.subchains()}
    names |= {name for entity in structure.entities for name in (entity.name, *entity.subchains)}
    quoted = {name: text for name in names if name and (text := cif.quote(name)) != name}
    if not quoted:
        return
    for _, column in columns_of(block):
        for place, value in enumerate(column):
            if value in quoted:
                column[place] = quoted[value]
