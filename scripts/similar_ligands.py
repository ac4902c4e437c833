"""Print the ligands of finished jobs and of the dictionary that are closest to a molecule, as JSON."""

import argparse
import json
import sys
from pathlib import Path

from tethermap.components.finder import ensured_index
from tethermap.components.index import ComponentIndex
from tethermap.extras.degraders.similar import closest, closest_components
from tethermap.extras.protac.on_demand import NoMoleculeError, molecule_of
from tethermap.molecule.dictionary import dictionary_smiles
from tethermap.run.exit_status import NO_MOLECULE
from tethermap.sources.suggestions import entries_of_components


def smiles_of(text: str, index: ComponentIndex) -> str:
    """Return the SMILES that a text is, or that of the component of this name."""
    code = index.named(text)
    component = index.get(code) if code else None
    return dictionary_smiles(component, neutral=True) if component else text


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m scripts.similar_ligands", description=__doc__)
    parser.add_argument("jobs", type=Path, nargs="*", help="folders of finished jobs")
    parser.add_argument("--smiles", help="the molecule")
    parser.add_argument("--name", help="name of the molecule in the dictionary, instead of its SMILES")
    parser.add_argument("--index", type=Path, help="index of a source: compare components of its entries only")
    parser.add_argument("--most", type=int, default=20, help="maximum number of ligands")
    parser.add_argument("--components", type=int, default=6, help="maximum number of components of the dictionary")
    arguments = parser.parse_args()
    index = ComponentIndex(ensured_index())
    smiles = arguments.smiles or smiles_of(arguments.name, index)
    try:
        molecule_of(smiles, "This")
        entries = entries_of_components(arguments.index) if arguments.index else None
        found = {
            "ligands": closest(smiles, arguments.jobs, arguments.most),
            "components": closest_components(smiles, index, entries, arguments.components),
        }
    except NoMoleculeError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(NO_MOLECULE)
    sys.stdout.write(json.dumps(found))
