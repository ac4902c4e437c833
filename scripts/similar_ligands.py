"""Print the ligands of finished jobs that are most similar to a molecule, as JSON."""

import argparse
import json
import sys
from pathlib import Path

from tethermap.extras.degraders.similar import closest
from tethermap.extras.protac.on_demand import NoMoleculeError
from tethermap.run.exit_status import NO_MOLECULE

if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m scripts.similar_ligands", description=__doc__)
    parser.add_argument("jobs", type=Path, nargs="*", help="folders of finished jobs")
    parser.add_argument("--smiles", required=True, help="the molecule")
    parser.add_argument("--most", type=int, default=20, help="maximum number of ligands")
    given = parser.parse_args()
    try:
        sys.stdout.write(json.dumps(closest(given.smiles, given.jobs, given.most)))
    except NoMoleculeError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(NO_MOLECULE)
