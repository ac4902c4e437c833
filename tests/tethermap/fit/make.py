"""Tiny validation reports, in both forms."""

_CIF = """data_{upper}
#
_pdbx_vrpt_summary.entry_id {upper}
_pdbx_vrpt_summary.report_creation_date 2024-06-25:04:50
_pdbx_vrpt_summary.attempted_validation_steps molprobity,xtriage,eds,mogul
#
_pdbx_vrpt_summary_diffraction.PDB_Rfree {r_free}
_pdbx_vrpt_summary_geometry.clashscore 5.03
#
loop_
_pdbx_vrpt_model_instance.id
_pdbx_vrpt_model_instance.PDB_model_num
_pdbx_vrpt_model_instance.label_comp_id
_pdbx_vrpt_model_instance.auth_asym_id
_pdbx_vrpt_model_instance.auth_seq_id
_pdbx_vrpt_model_instance.label_alt_id
_pdbx_vrpt_model_instance.PDB_ins_code
_pdbx_vrpt_model_instance.count_clashes
1 1 GLY A 1 . ? ?
2 1 LIG A 100 A ? 3
3 1 LIG A 100 B ? ?
4 1 ZZZ A 101 . A ?
5 2 GLY A 1 . ? ?
#
loop_
_pdbx_vrpt_model_instance_density.ordinal
_pdbx_vrpt_model_instance_density.instance_id
_pdbx_vrpt_model_instance_density.natoms_eds
_pdbx_vrpt_model_instance_density.RSRCC
_pdbx_vrpt_model_instance_density.RSR
_pdbx_vrpt_model_instance_density.RSRZ
1 1 4 0.950 0.100 2.500
2 2 8 0.528 0.686 ?
3 3 8 0.912 0.120 ?
#
"""

_XML = """<?xml version="1.0" ?>
<wwPDB-validation-information>
<Entry pdbid="{upper}" attemptedValidationSteps="molprobity,xtriage,eds,mogul" PDB-Rfree="{r_free}" clashscore="5.03"
 XMLcreationDate="Aug  9, 2020 -- 04:27 PM BST"/>
<ModelledSubgroup model="1" chain="A" resname="GLY" resnum="1" icode=" " altcode=" " NatomsEDS="4" rscc="0.950"
 rsr="0.100" rsrz="2.500"/>
<ModelledSubgroup model="1" chain="A" resname="LIG" resnum="100" icode=" " altcode="A" NatomsEDS="8" rscc="0.528"
 rsr="0.686"><clash cid="0"/><clash cid="1"/><clash cid="2"/></ModelledSubgroup>
<ModelledSubgroup model="1" chain="A" resname="LIG" resnum="100" icode=" " altcode="B" NatomsEDS="8" rscc="0.912"
 rsr="0.120"/>
<ModelledSubgroup model="1" chain="A" resname="ZZZ" resnum="101" icode="A" altcode=" "/>
<ModelledSubgroup model="2" chain="A" resname="GLY" resnum="1" icode=" " altcode=" "/>
</wwPDB-validation-information>
"""


def report_cif(entry_id: str, r_free: str = "0.23") -> str:
    """Return a report with one residue, a ligand in two conformers, and one that was not assessed."""
    return _CIF.format(upper=entry_id.upper(), r_free=r_free)


def report_xml(entry_id: str, r_free: str = "0.23") -> str:
    """Return the same as XML."""
    return _XML.format(upper=entry_id.upper(), r_free=r_free)
