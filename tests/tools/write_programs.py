"""Write one complex with the programs of the field: ``python -m tests.tools.write_programs FOLDER``.

EGFR with gefitinib (2ITY, code LIG); the files are in ``tests/data/program_files.tar.xz``. It needs packages that the
set-up does not install: ``pip install openmm mdtraj MDAnalysis openbabel-wheel`` and PDBFixer from its repository.
"""

# mypy: disable-error-code="import-not-found, import-untyped, no-untyped-call, attr-defined, no-any-return, arg-type"
from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

SMILES = "COc1cc2ncnc(Nc3ccc(F)c(Cl)c3)c2cc1OCCCN1CCOCC1"


def write_all(complex_pdb: Path, folder: Path) -> None:
    """Write the files of each program into a folder; a pair has a separate folder.

    Parameters
    ----------
    complex_pdb : Path
        The complex as PDB, its ligand LIG in chain A.
    """
    text = complex_pdb.read_text()
    protein = "".join(line for line in text.splitlines(keepends=True) if " LIG " not in line)
    ligand = "".join(line for line in text.splitlines(keepends=True) if line[17:20] == "LIG") + "END\n"
    mol = _molecule(ligand)
    for name, write in _WRITERS.items():
        what = name.partition("-")[2]
        made = folder / name
        made.mkdir(parents=True)
        if "ligand" in what:
            (made / "x_protein.pdb").write_text(protein)
        (made.parent / "ligand.pdb").write_text(ligand)
        (made.parent / "ligand.sdf").write_text(_sdf(mol))
        write(complex_pdb, made, mol)
    for left in ("ligand.pdb", "ligand.sdf"):
        (folder / left).unlink()


def _molecule(ligand: str) -> Any:
    from rdkit import Chem
    from rdkit.Chem import AllChem

    read = Chem.MolFromPDBBlock(ligand, proximityBonding=True)
    mol = AllChem.AssignBondOrdersFromTemplate(Chem.MolFromSmiles(SMILES), read)
    mol.SetProp("_Name", "gefitinib")
    return Chem.AddHs(mol, addCoords=True, addResidueInfo=True)


def _sdf(mol: Any) -> str:
    from rdkit import Chem

    return Chem.MolToMolBlock(mol) + "$$$$\n"


def _openmm(ending: str, **options: Any) -> Callable[..., None]:
    def write(source: Path, folder: Path, _: Any) -> None:
        from openmm import app

        read = app.PDBFile(str(source))
        with (folder / f"x.{ending}").open("w") as file:
            (app.PDBFile if ending == "pdb" else app.PDBxFile).writeFile(read.topology, read.positions, file, **options)

    return write


def _pdbfixer(ending: str, *, hydrogens: bool = False) -> Callable[..., None]:
    def write(source: Path, folder: Path, _: Any) -> None:
        from openmm import app
        from pdbfixer import PDBFixer

        fixer = PDBFixer(filename=str(source))
        fixer.findMissingResidues()
        fixer.missingResidues = {}
        fixer.findMissingAtoms()
        fixer.addMissingAtoms(seed=1)
        if hydrogens:
            fixer.addMissingHydrogens(7.4)
        with (folder / f"x.{ending}").open("w") as file:
            (app.PDBFile if ending == "pdb" else app.PDBxFile).writeFile(fixer.topology, fixer.positions, file)

    return write


def _mdtraj(ending: str, **options: Any) -> Callable[..., None]:
    def write(source: Path, folder: Path, _: Any) -> None:
        import mdtraj

        mdtraj.load(str(source)).save(str(folder / f"x.{ending}"), **options)

    return write


def _mdanalysis(
    ending: str, *, elements: bool = True, frames: int = 1, ligand: bool = False, **options: Any
) -> Callable[..., None]:
    def write(source: Path, folder: Path, mol: Any) -> None:
        import MDAnalysis

        universe = (
            MDAnalysis.Universe(mol)
            if ligand
            else MDAnalysis.Universe(str(source), guess_bonds=True, to_guess=("masses", "types", "elements"))
        )
        if not elements:
            universe.del_TopologyAttr("elements")
        with MDAnalysis.Writer(
            str(folder / f"x{'_ligand' if ligand else ''}.{ending}"), multiframe=frames > 1, **options
        ) as writer:
            for _ in range(frames):
                writer.write(universe.atoms)

    return write


def _biopython(ending: str) -> Callable[..., None]:
    def write(source: Path, folder: Path, _: Any) -> None:
        from Bio.PDB import MMCIFIO, PDBIO, PDBParser

        made = PDBIO() if ending == "pdb" else MMCIFIO()
        made.set_structure(PDBParser(QUIET=True).get_structure("x", str(source)))
        made.save(str(folder / f"x.{ending}"))

    return write


def _biotite(ending: str, *, ligand: bool = False, bonds: bool = False) -> Callable[..., None]:
    def write(source: Path, folder: Path, mol: Any) -> None:
        from biotite.interface import rdkit as converter
        from biotite.structure import filter_amino_acids, io
        from biotite.structure.io import pdbx

        atoms = (
            converter.from_mol(mol, conformer_id=0)
            if ligand
            else io.load_structure(str(source), extra_fields=["b_factor", "occupancy"])
        )
        if bonds:
            import biotite.structure as struc

            whole = converter.from_mol(mol, conformer_id=0)
            whole = whole[whole.element != "H"]
            whole.set_annotation("res_name", ["LIG"] * len(whole))
            whole.chain_id[:] = "A"
            whole.res_id[:] = 1001
            whole.hetero[:] = True
            protein = io.load_structure(str(source))
            protein = protein[filter_amino_acids(protein)]
            protein.bonds = struc.connect_via_residue_names(protein)
            atoms = protein + whole
            file = pdbx.CIFFile() if ending == "cif" else pdbx.BinaryCIFFile()
            pdbx.set_structure(file, atoms, include_bonds=True)
            file.write(str(folder / f"x.{ending}"))
            return
        io.save_structure(str(folder / f"x{'_ligand' if ligand else ''}.{ending}"), atoms)

    return write


def _gemmi(ending: str) -> Callable[..., None]:
    def write(source: Path, folder: Path, _: Any) -> None:
        import gemmi

        structure = gemmi.read_structure(str(source))
        structure.setup_entities()
        if ending == "pdb":
            structure.write_pdb(str(folder / "x.pdb"))
        elif ending == "minimal.pdb":
            structure.write_minimal_pdb(str(folder / "x.pdb"))
        elif ending == "cif":
            structure.make_mmcif_document().write_file(str(folder / "x.cif"))
        elif ending == "aligned.cif":
            structure.make_mmcif_document().write_file(str(folder / "x.cif"), gemmi.cif.Style.Aligned)
        else:
            (folder / "x.json").write_text(structure.make_mmcif_document().as_json(mmjson=True))

    return write


def _rdkit(
    ending: str, *, ligand: bool = True, hydrogens: bool = True, v3000: bool = False, kekulize: bool = True
) -> Callable[..., None]:
    def write(source: Path, folder: Path, mol: Any) -> None:
        from rdkit import Chem

        if not ligand:
            protein = Chem.MolFromPDBBlock(
                "".join(line for line in source.read_text().splitlines(keepends=True) if " LIG " not in line),
                sanitize=False,
            )
            mol = Chem.CombineMols(protein, Chem.RemoveHs(mol))
            mol.UpdatePropertyCache(strict=False)
        mol = mol if hydrogens else Chem.RemoveHs(mol)
        path = str(folder / f"x{'_ligand' if ligand else ''}.{ending}")
        if ending == "pdb":
            Chem.MolToPDBFile(mol, path)
        elif ending == "mae":
            with Chem.MaeWriter(path) as writer:
                writer.write(mol)
        elif ending == "sdf":
            with Chem.SDWriter(path) as writer:
                writer.SetForceV3000(v3000)
                writer.SetKekulize(kekulize)
                writer.write(mol)
        elif ending == "xyz":
            Chem.MolToXYZFile(mol, path)
        else:
            Chem.MolToMolFile(mol, path, forceV3000=v3000)

    return write


def _babel(
    ending: str, *, ligand: bool = False, hydrogens: str = "", options: tuple[str, ...] = ()
) -> Callable[..., None]:
    def write(source: Path, folder: Path, _: Any) -> None:
        from openbabel import pybel

        given = folder.parent / "ligand.sdf" if ligand else source
        mol = next(pybel.readfile("sdf" if ligand else "pdb", str(given)))
        if hydrogens == "polar":
            mol.OBMol.DeleteNonPolarHydrogens()
        elif hydrogens == "none":
            mol.removeh()
        mol.write(
            ending, str(folder / f"x{'_ligand' if ligand else ''}.{ending}"), overwrite=True, opt=dict.fromkeys(options)
        )

    return write


_WRITERS: dict[str, Callable[..., None]] = {
    "openmm-pdb": _openmm("pdb"),
    "openmm-pdb-ids": _openmm("pdb", keepIds=True),
    "openmm-cif": _openmm("cif"),
    "openmm-cif-ids": _openmm("cif", keepIds=True),
    "pdbfixer-pdb": _pdbfixer("pdb"),
    "pdbfixer-cif": _pdbfixer("cif"),
    "pdbfixer-hydrogens": _pdbfixer("pdb", hydrogens=True),
    "mdtraj-pdb": _mdtraj("pdb"),
    "mdtraj-pdb-no-ter": _mdtraj("pdb", ter=False),
    "mdtraj-pdb-gz": _mdtraj("pdb.gz"),
    "mdtraj-cif": _mdtraj("cif"),
    "mdtraj-gro": _mdtraj("gro"),
    "mdanalysis-pdb": _mdanalysis("pdb"),
    "mdanalysis-pdb-elements-unknown": _mdanalysis("pdb", elements=False),
    "mdanalysis-pdb-bonds": _mdanalysis("pdb", bonds="all"),
    "mdanalysis-pdb-frames": _mdanalysis("pdb", frames=3),
    "mdanalysis-gro": _mdanalysis("gro"),
    "mdanalysis-xyz": _mdanalysis("xyz"),
    "mdanalysis-crd": _mdanalysis("crd"),
    "mdanalysis-ligand-pdb": _mdanalysis("pdb", ligand=True),
    "biopython-pdb": _biopython("pdb"),
    "biopython-cif": _biopython("cif"),
    "biotite-pdb": _biotite("pdb"),
    "biotite-cif": _biotite("cif"),
    "biotite-bcif": _biotite("bcif"),
    "biotite-cif-bonds": _biotite("cif", bonds=True),
    "biotite-bcif-bonds": _biotite("bcif", bonds=True),
    "biotite-gro": _biotite("gro"),
    "biotite-ligand-sdf": _biotite("sdf", ligand=True),
    "biotite-ligand-mol": _biotite("mol", ligand=True),
    "biotite-ligand-pdbqt": _biotite("pdbqt", ligand=True),
    "gemmi-pdb": _gemmi("pdb"),
    "gemmi-minimal-pdb": _gemmi("minimal.pdb"),
    "gemmi-cif": _gemmi("cif"),
    "gemmi-cif-aligned": _gemmi("aligned.cif"),
    "gemmi-mmjson": _gemmi("json"),
    "rdkit-pdb": _rdkit("pdb", ligand=False),
    "rdkit-mae": _rdkit("mae", ligand=False),
    "rdkit-ligand-pdb": _rdkit("pdb"),
    "rdkit-ligand-pdb-heavy": _rdkit("pdb", hydrogens=False),
    "rdkit-ligand-sdf": _rdkit("sdf"),
    "rdkit-ligand-sdf-heavy": _rdkit("sdf", hydrogens=False),
    "rdkit-ligand-sdf-aromatic": _rdkit("sdf", kekulize=False),
    "rdkit-ligand-v3000": _rdkit("sdf", v3000=True),
    "rdkit-ligand-mol": _rdkit("mol"),
    "rdkit-ligand-mae": _rdkit("mae"),
    "rdkit-ligand-mae-heavy": _rdkit("mae", hydrogens=False),
    "openbabel-pdb": _babel("pdb"),
    "openbabel-mcif": _babel("mcif"),
    "openbabel-cif": _babel("cif"),
    "openbabel-mol2": _babel("mol2"),
    "openbabel-gro": _babel("gro"),
    "openbabel-ligand-sdf": _babel("sdf", ligand=True),
    "openbabel-ligand-mol": _babel("mol", ligand=True),
    "openbabel-ligand-mol2": _babel("mol2", ligand=True),
    "openbabel-ligand-mol2-polar": _babel("mol2", ligand=True, hydrogens="polar"),
    "openbabel-ligand-mol2-heavy": _babel("mol2", ligand=True, hydrogens="none"),
    "openbabel-ligand-pdb": _babel("pdb", ligand=True),
    "openbabel-ligand-pdbqt": _babel("pdbqt", ligand=True),
    "openbabel-ligand-cml": _babel("cml", ligand=True),
    "openbabel-ligand-xyz": _babel("xyz", ligand=True),
    "openbabel-ligand-cif": _babel("cif", ligand=True),
}
"""Files of each program, by the name of its folder; folders with ``ligand`` also contain the protein."""


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.tools.write_programs", description=__doc__)
    parser.add_argument("complex", type=Path, help="the complex, a PDB file")
    parser.add_argument("folder", type=Path, help="new folder for the files")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    write_all(given.complex, given.folder)
