"""The entries of a folder in the data API's format, and their files in the file servers' format."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gemmi

from tethermap.base.layout import walk
from tethermap.base.packed import unpacked
from tethermap.entry.metadata import EntryMetadata, LigandName, PolymerEntity, metadata_of
from tethermap.sources.mirror import choose_files
from tethermap.sources.own.sniff import StructureFile

Json = dict[str, Any]


@dataclass
class Document:
    """One entry: its file, its object of the data API, its searchable text."""

    file: StructureFile
    data: Json
    text: str

    def mmcif(self) -> bytes:
        """Return its mmCIF file, made from the PDB file when there is no other."""
        content = unpacked(self.file.path.read_bytes())
        if self.file.is_mmcif:
            return content
        text = content.decode("utf-8", "replace")
        old = text[72:76] == text[62:66]
        structure = gemmi.read_pdb_string(text, max_line_length=72 if old else 0)
        structure.name = self.file.entry_id.upper()
        structure.setup_entities()
        return structure.make_mmcif_document().as_string().encode()


def load_documents(folder: Path) -> dict[str, Document]:
    """Return the documents of all entries of a folder by lower-case id."""
    documents = {}
    for file in choose_files(walk(folder))[0]:
        content = unpacked(file.path.read_bytes())
        metadata = metadata_of(content, is_mmcif=file.is_mmcif, entry_id=file.entry_id)
        data = entry_object(metadata, content.count(b"\nATOM") or 1)
        documents[file.entry_id] = Document(file, data, _text(metadata))
    return documents


def entry_object(metadata: EntryMetadata, atoms: int) -> Json:
    """Return the object of an entry with its entities below it; unknown values are omitted."""
    upper = metadata.entry_id.upper()
    entities, ligands = enumerate(metadata.entities, 1), enumerate(metadata.ligands, len(metadata.entities) + 1)
    entry: Json = _without_nothing(
        {
            "rcsb_id": upper,
            "entry": {"id": upper},
            "struct": {"title": metadata.title},
            "exptl": [{"method": method} for method in metadata.methods],
            "rcsb_entry_info": {
                "structure_determination_methodology": "experimental",
                "resolution_combined": [metadata.resolution] if metadata.resolution else None,
                "deposited_atom_count": atoms,
            },
            "rcsb_accession_info": {
                "initial_release_date": _moment(metadata.release_date),
                "revision_date": _moment(metadata.revision_date),
            },
            "rcsb_entry_container_identifiers": {"entry_id": upper},
            "polymer_entities": [_polymer(upper, str(number), entity) for number, entity in entities],
            "nonpolymer_entities": [_nonpolymer(upper, str(number), ligand) for number, ligand in ligands],
        }
    )
    return entry


def _polymer(entry_id: str, number: str, entity: PolymerEntity) -> Json:
    return {
        "rcsb_id": f"{entry_id}_{number}",
        "rcsb_polymer_entity": {"pdbx_description": entity.description},
        "entity_poly": {"pdbx_seq_one_letter_code_can": entity.sequence, "rcsb_entity_polymer_type": "Protein"},
        "rcsb_entity_source_organism": [
            {
                "pdbx_src_id": position,
                "ncbi_scientific_name": name,
                "scientific_name": name,
                "rcsb_gene_name": [{"value": gene, "provenance_source": "UniProt"} for gene in entity.genes],
            }
            for position, name in enumerate(entity.organisms or ("",), 1)
        ],
        "rcsb_polymer_entity_container_identifiers": {
            "entry_id": entry_id,
            "entity_id": number,
            "auth_asym_ids": list(entity.auth_asym_ids),
            "uniprot_ids": list(entity.uniprot),
            "reference_sequence_identifiers": [
                {"database_name": "UniProt", "database_accession": name, "provenance_source": "SIFTS"}
                for name in entity.uniprot
            ],
        },
    }


def _nonpolymer(entry_id: str, number: str, ligand: LigandName) -> Json:
    return {
        "rcsb_id": f"{entry_id}_{number}",
        "pdbx_entity_nonpoly": {"comp_id": ligand.comp_id, "entity_id": number, "name": ligand.name},
        "rcsb_nonpolymer_entity_container_identifiers": {"entry_id": entry_id, "entity_id": number},
    }


def _moment(date: str) -> str | None:
    return f"{date}T00:00:00Z" if date else None


def _without_nothing(value: Any) -> Any:
    """Return a value without parts that are None, empty or an empty text, like the REST service."""
    if isinstance(value, dict):
        cleaned = {key: _without_nothing(item) for key, item in value.items()}
        return {key: item for key, item in cleaned.items() if item not in (None, "", [], {})}
    return [_without_nothing(item) for item in value] if isinstance(value, list) else value


def _text(metadata: EntryMetadata) -> str:
    """Return all text of an entry; a full stop between two items keeps phrases from running over."""
    parts = [metadata.entry_id, metadata.title, metadata.citation, metadata.keywords, metadata.method]
    for entity in metadata.entities:
        parts += [entity.description, *entity.names, *entity.genes, *entity.uniprot, *entity.organisms]
    for ligand in metadata.ligands:
        parts += [ligand.comp_id, ligand.name, ligand.synonyms]
    return " zzz ".join(part for part in parts if part)
