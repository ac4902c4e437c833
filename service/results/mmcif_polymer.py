"""Takes a chain's polymer out of a complex that is too large for the PDB format."""

from collections.abc import Sequence

from service.results.tables import pick_chain


def polymer_of_mmcif(lines: Sequence[str], asked: str) -> tuple[str, list[str]] | None:
    """Return the polymer of one chain of an mmCIF file as the lines of a PDB file.

    Parameters
    ----------
    lines : sequence of str
        The file.
    asked : str
        The author chain, as a client gave it.

    Returns
    -------
    tuple of str and list of str, or None
        The chain's name and the lines; None when there is no such polymer. A name that doesn't fit the format is
        replaced, with a REMARK.
    """
    import gemmi

    document = gemmi.cif.read_string("\n".join(lines))
    structure = gemmi.make_structure_from_block(document[0]) if document else gemmi.Structure()
    structure.merge_chain_parts()
    polymers = {chain.name: chain.get_polymer() for model in structure for chain in model if chain.get_polymer()}
    chain = pick_chain(list(polymers), asked)
    if chain is None:
        return None
    name = chain if len(chain) <= 2 else "A"
    head = [] if name == chain else [f"REMARK   6 chain {name} is {chain}"]
    taken = gemmi.Chain(name)
    taken.append_residues(list(polymers[chain]))
    alone, model = gemmi.Structure(), gemmi.Model(1)
    model.add_chain(taken)
    alone.add_model(model)
    alone.setup_entities()
    options = gemmi.PdbWriteOptions(minimal=True, cryst1_record=False)
    return chain, [*head, *alone.make_pdb_string(options).splitlines(), "END"]
