"""Write the atoms of partner chains and symmetry mates around a ligand of a finished job, for a viewer."""

import argparse
import json
import sys
from pathlib import Path

from tethermap.instance.partners import NoPartnersError, partners_of
from tethermap.run.exit_status import NO_INPUTS

if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m scripts.partner_atoms", description=__doc__)
    parser.add_argument("job", type=Path, help="the job folder")
    parser.add_argument("--stem", required=True, help="the ligand, as Results_Display.csv names it")
    arguments = parser.parse_args()
    try:
        sys.stdout.write(json.dumps(partners_of(arguments.job, arguments.stem)))
    except NoPartnersError as error:
        sys.stderr.write(f"{error.message}\n")
        sys.exit(NO_INPUTS)
