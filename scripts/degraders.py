"""Make degraders from two halves and the list of linkers, find halves, or list the requirements of a half."""

import argparse
import json
import math
import sys
from collections.abc import Sequence
from itertools import islice

from rdkit import Chem

from tethermap.drawing.canvas import draw
from tethermap.drawing.card import card
from tethermap.extras.degraders import build
from tethermap.extras.degraders.build import Part, degrader_rows
from tethermap.extras.degraders.ends import to_make
from tethermap.extras.degraders.join import degraders, read_linkers
from tethermap.extras.degraders.split import halves_in
from tethermap.extras.protac.on_demand import NoInputsError, RequestedAnchor
from tethermap.extras.protac.programs import FORMATS, LINKER_CLASSES, MOST_MADE
from tethermap.molecule.layout2d import molecule_layout
from tethermap.run.start import job_folder


def make(first: Part, second: Part, given: argparse.Namespace) -> str:
    """Return the degraders of two halves as JSON, CSV or SDF; with `counted`, inside JSON with their total and numbers.

    Parameters
    ----------
    first, second : Part
        The halves.
    given : argparse.Namespace
        Arguments of the script.
    """
    longest = given.most_atoms or math.inf
    possible = degraders(first.end, second.end, read_linkers(given.linkers), longest, frozenset(given.numbers))
    found = list(islice(possible, MOST_MADE + 1))
    made = found[:MOST_MADE]
    page = made if given.numbers else made[given.skip : given.skip + given.most]
    rows = list(degrader_rows(first, second, page))
    total, truncated, numbers = len(made), len(found) > MOST_MADE, [one.number for one in made]
    if given.format != "json":
        file = build.as_csv(rows) if given.format == "csv" else build.as_sdf(zip(page, rows, strict=True))
        counts = {"total": total, "truncated": truncated, "numbers": numbers}
        return json.dumps(counts | {"file": file}) if given.counted else file
    body: dict[str, object] = {"a": first.description, "b": second.description, "count": len(rows), "total": total}
    body |= {"degraders": rows, "truncated": truncated}
    if given.counted:
        body["numbers"] = numbers
    if given.pictures:
        blocks = [block for part in (first, second) for block in to_make(part.end)]
        blocks += [str(row["smiles"]) for row in rows[: given.pictures]]
        body["pictures"] = {smiles: _picture(smiles) for smiles in blocks}
    return json.dumps(body) + "\n"


def _picture(smiles: str) -> str:
    """Return the depiction of a molecule."""
    mol = Chem.MolFromSmiles(smiles)
    drawing = draw(mol, molecule_layout(mol), coloured=True)
    return card(smiles, "molecule", drawing.box(0.0), [drawing.body])


def _part(given: argparse.Namespace, letter: str) -> Part:
    smiles, job, stem, anchor = (getattr(given, f"{letter}_{name}") for name in ("smiles", "job", "stem", "anchor"))
    requested, second = RequestedAnchor(job, stem, anchor), letter == "b"
    return build.part_of_smiles(smiles, second) if smiles else build.part_of_exit(requested, second)


def arguments_of(argv: Sequence[str]) -> argparse.Namespace:
    """Return the arguments of the script."""
    parser = argparse.ArgumentParser(prog="python -m scripts.degraders", description=__doc__)
    for letter, name in (("a", "target"), ("b", "recruiter")):
        parser.add_argument(f"--{letter}-job", type=job_folder, help=f"finished job of the {name}'s half")
        parser.add_argument(f"--{letter}-stem", default="", help="its ligand, as Exit_Vectors.csv names it")
        parser.add_argument(f"--{letter}-anchor", default="", help="its anchor_atom there, one with a rank")
        parser.add_argument(f"--{letter}-smiles", default="", help="the half as SMILES with [*], instead of a job")
    linkers = "class of linkers; may be repeated (default: all)"
    parser.add_argument("--linkers", action="append", default=[], choices=LINKER_CLASSES, help=linkers)
    parser.add_argument("--format", choices=FORMATS, default="json")
    parser.add_argument("--counted", action="store_true", help="print JSON with the total and numbers of all molecules")
    parser.add_argument("--numbers", type=json.loads, default=(), help="list of the numbers to make, not a part")
    parser.add_argument("--most", type=int, default=1000, help="maximum number of molecules")
    parser.add_argument("--skip", type=int, default=0, help="number of molecules to skip")
    parser.add_argument("--pictures", type=int, default=0, help="number of molecules to draw")
    parser.add_argument("--most-atoms", type=int, help="maximum number of atoms between the halves")
    parser.add_argument("--handles", action="store_true", help="list only the needs of the target's half at its exits")
    parser.add_argument("--split", default="", help="SMILES of a degrader to split into halves, instead of two ligands")
    given = parser.parse_args(argv)
    halves = [letter for letter in "ab" if getattr(given, f"{letter}_job") or getattr(given, f"{letter}_smiles")]
    if given.split or given.handles:
        if not (given.a_job or (given.split and given.b_job)):
            parser.error("give the job with --a-job")
    elif len(halves) < 2:
        parser.error("give both halves: --a-job or --a-smiles, and --b-job or --b-smiles")
    return given


if __name__ == "__main__":
    arguments = arguments_of(sys.argv[1:])
    try:
        jobs = [job for job in (arguments.a_job, arguments.b_job) if job]
        if arguments.split:
            answer = json.dumps({"halves": [list(halves_in(job, arguments.split)) for job in jobs]}) + "\n"
        elif arguments.handles:
            handles = build.handles_of(arguments.a_job, arguments.a_stem, arguments.a_anchor)
            answer = json.dumps({"handles": handles}) + "\n"
        else:
            answer = make(_part(arguments, "a"), _part(arguments, "b"), arguments)
    except NoInputsError as error:
        sys.stderr.write(f"{error.message}\n")
        sys.exit(error.status)
    sys.stdout.write(answer)
