"""Measure the exposure of every ligand atom of one shard, in each context."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from scripts.lib import layout
from scripts.lib.complex.contacts import ligand_contacts
from scripts.lib.complex.viewer import chimerax_script, pymol_script
from scripts.lib.exposure.radii import PolymerRadii, RadiusTable
from scripts.lib.exposure.rows import Method, atom_rows, summary_row
from scripts.lib.exposure.sasa import Exposure, Sasa
from scripts.lib.instance.model import Instance
from scripts.lib.instance.store import read_instances
from scripts.lib.logs import logged_to
from scripts.lib.molecule.depict import exposed_svg
from scripts.lib.molecule.finder import component_finder
from scripts.lib.molecule.record import LigandMolecule
from scripts.lib.molecule.store import read_molecules
from scripts.lib.progress import ShardProgress
from scripts.lib.reference import RADII
from scripts.lib.result_files import ResultFiles, listed_files
from scripts.lib.tables import CONTACTS, SASA_ATOMS, SASA_SUMMARY, table_writer


def main(
    instances: Path,
    neighbourhoods: Path,
    molecules: Path,
    summary: Path,
    atoms: Path,
    contacts: Path,
    files: Path,
    job: Path,
    progress: Path,
    *,
    config: Mapping[str, Any],
) -> None:
    """Write the exposure tables of a shard and the ligand files that show it."""
    target_name = config["target_name"]
    method = Method(config["sasa"]["probe_radius"], config["sasa"]["slices"])
    sasa = Sasa(method.probe_radius, method.slices)
    radii = RadiusTable(RADII)
    polymer_radii = PolymerRadii(radii, component_finder(config))
    done = ShardProgress(progress, "measure_sasa")
    with (
        table_writer(summary, SASA_SUMMARY) as write_summary,
        table_writer(atoms, SASA_ATOMS) as write_atom,
        table_writer(contacts, CONTACTS) as write_contact,
        listed_files(job, files) as results,
    ):
        entry = ""
        pairs = zip(read_instances(instances, neighbourhoods), read_molecules(molecules), strict=True)
        for (instance, neighbourhood), molecule in pairs:
            if entry and instance.entry_id != entry:
                done.entry(entry)
            entry = instance.entry_id
            own = np.array([radii.of_atom(molecule.mol.GetAtomWithIdx(k)) for k in range(molecule.n_heavy)])
            around = polymer_radii.of_all(neighbourhood.comp_id, neighbourhood.atom_name, neighbourhood.element)
            xyz = instance.atoms.xyz[molecule.atom_index]
            exposure = sasa.exposure(xyz, own, neighbourhood, around)
            write_summary(summary_row(target_name, instance, molecule, exposure, method))
            for row in atom_rows(target_name, instance, molecule, exposure, own):
                write_atom(row)
            for row in ligand_contacts(instance, molecule, neighbourhood):
                write_contact(row)
            _write_files(instance, molecule, exposure, results)
        if entry:
            done.entry(entry)


def _write_files(instance: Instance, molecule: LigandMolecule, exposure: Exposure, results: ResultFiles) -> None:
    """Write the exposed depiction and the viewer scripts of one ligand."""
    stem = instance.stem
    structure = "pdb" if "mmcif_only" not in instance.flags else "cif"
    names = [instance.atoms.name[i] for i in molecule.atom_index.tolist()]
    contents = {
        layout.ligand_svg(stem, "exposed"): exposed_svg(molecule, instance, exposure.relative, exposure.headline),
        layout.viewer_script(stem, "pml"): pymol_script(instance, structure, names, exposure.relative),
        layout.viewer_script(stem, "cxc"): chimerax_script(instance, structure, names, exposure.relative),
    }
    for path, content in contents.items():
        results.write(path, content)


if __name__ == "__main__":
    from snakemake.iocontainers import Snakemake

    snakemake: Snakemake
    with logged_to(snakemake.log[0]):
        main(
            instances=Path(snakemake.input.instances),
            neighbourhoods=Path(snakemake.input.neighbourhoods),
            molecules=Path(snakemake.input.molecules),
            summary=Path(snakemake.output.summary),
            atoms=Path(snakemake.output.atoms),
            contacts=Path(snakemake.output.contacts),
            files=Path(snakemake.output.files),
            job=Path(),
            progress=Path(snakemake.params.progress),
            config=snakemake.params.config,
        )
