"""Files of other programs as plain mmCIF."""

import gemmi

from tethermap.formats.plain import plain_text

ATOM = """data_x
loop_
_atom_site.group_PDB
_atom_site.id
_atom_site.type_symbol
_atom_site.label_atom_id
_atom_site.label_alt_id
_atom_site.label_comp_id
_atom_site.label_asym_id
_atom_site.auth_seq_id
_atom_site.Cartn_x
_atom_site.Cartn_y
_atom_site.Cartn_z
'HETATM' '1' 'C' 'C1' . 'LIG' 'A' '7' '10.005' "-1.5" '3.'
"""


def test_quoted_numbers_are_read() -> None:
    atom = gemmi.make_structure_from_block(gemmi.cif.read_string(plain_text(ATOM.encode())).sole_block())[0][0][0][0]
    assert atom.pos.tolist() == [10.005, -1.5, 3.0]
