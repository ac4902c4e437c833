"""Make inputs for programs that model degraders, for a ranked anchor of a finished job or a pair of them."""

import argparse
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path

from tethermap.base.atomic import replacing, write_text
from tethermap.extras.protac.on_demand import NoInputsError, RequestedAnchor, inputs_of_anchor
from tethermap.extras.protac.programs import tools
from tethermap.extras.protac.round_trip import OpenBabel, open_babel
from tethermap.run.start import job_folder


def main(
    requested: RequestedAnchor,
    wanted: Sequence[str],
    output: Path,
    *,
    degrader: str = "",
    other: RequestedAnchor | None = None,
    babel: OpenBabel | None = None,
) -> None:
    """Write the files for an anchor, or for two.

    Parameters
    ----------
    requested, wanted, degrader, other, babel
        As for `inputs_of_anchor`.
    output : Path
        A folder, or one ZIP file by that extension.
    """
    files = inputs_of_anchor(requested, wanted, degrader=degrader, other=other, babel=babel)
    if output.suffix != ".zip":
        for path, text in files.items():
            write_text(output / path, text)
        return
    with replacing(output) as temporary, zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, text in files.items():
            archive.writestr(zipfile.ZipInfo(path), text)


def installed_open_babel() -> OpenBabel:
    """Return Open Babel.

    Raises
    ------
    NoInputsError
        If it is not installed.
    """
    found = open_babel()
    if found is None:
        raise NoInputsError("Open Babel is not installed: install the package openbabel, or omit the option.")
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m scripts.protac_inputs", description=__doc__)
    parser.add_argument("job", type=job_folder, help="the job folder")
    parser.add_argument("--stem", required=True, help="the ligand, as Exit_Vectors.csv names it")
    parser.add_argument("--anchor", required=True, help="its anchor_atom there, one with a rank")
    parser.add_argument("--tool", action="append", choices=tools(), help="may be repeated (default: all)")
    parser.add_argument("--degrader", default="", help="SMILES of the degrader, if known")
    parser.add_argument("--other-job", type=job_folder, help="job of the other half; with --other-stem, --other-anchor")
    parser.add_argument("--other-stem", default="")
    parser.add_argument("--other-anchor", default="")
    conversion = "convert heads with PRosettaC's method and report the resulting anchors"
    parser.add_argument("--open-babel", action="store_true", help=conversion)
    parser.add_argument("--output", type=Path, help="a folder, or a file *.zip (default: the folder <stem>_<anchor>)")
    arguments = parser.parse_args()
    try:
        babel = installed_open_babel() if arguments.open_babel else None
        requested = RequestedAnchor(arguments.job, arguments.stem, arguments.anchor)
        output = arguments.output or Path(f"{arguments.stem}_{arguments.anchor}".replace("/", "_"))
        second = RequestedAnchor(arguments.other_job, arguments.other_stem, arguments.other_anchor)
        other = second if arguments.other_job else None
        main(requested, arguments.tool or (), output, degrader=arguments.degrader, other=other, babel=babel)
    except NoInputsError as error:
        sys.stderr.write(f"{error.message}\n")
        sys.exit(error.status)
    except OSError as error:
        sys.exit(f"The inputs can't be written: {error}")
