# 1gbt chain A GBS 704
# Colours: relative SASA of each ligand atom (bound / free, context target): 0 #3b5ba5, 0.5 #c4c2c6, 1 #e66a00.
# 0 is buried by the target, 1 as open as without it.
#   C4 0.00, C32 0.08, C22 0.14, CD 0.04, C31 0.01, NH2 0.00, C1 0.16, CZ 0.00
#   OD 0.13, NE 0.00, NH1 0.00, C21 0.00
# PyMOL looks for files in the working folder: open this script from its own.
reinitialize
load 1gbt_A_GBS_704.pdb, complex
load ../MCS_Output/MCS_SDF/1gbt_A_GBS_704.sdf, ligand
bg_color white
hide everything
show cartoon, complex
color grey80, complex
select twin, complex within 0.4 of (ligand and not hydro)
select pocket, byres (complex within 5 of twin) and not twin
util.cnc pocket
show sticks, pocket
show sticks, ligand and not hydro
set stick_radius, 0.12, complex
set stick_radius, 0.22, ligand
set valence, 1
color 0x3b5ba5, (ligand and rank 0) or (complex and id 1639)
color 0x506baa, (ligand and rank 1) or (complex and id 1638)
color 0x6278ae, (ligand and rank 2) or (complex and id 1636)
color 0x4764a8, (ligand and rank 3) or (complex and id 1632)
color 0x3d5ca5, (ligand and rank 4) or (complex and id 1637)
color 0x3b5ba5, (ligand and rank 5) or (complex and id 1643)
color 0x687db0, (ligand and rank 6) or (complex and id 1634)
color 0x3b5ba5, (ligand and rank 7) or (complex and id 1641)
color 0x5f76ae, (ligand and rank 8) or (complex and id 1633)
color 0x3b5ba5, (ligand and rank 9) or (complex and id 1640)
color 0x3b5ba5, (ligand and rank 10) or (complex and id 1642)
color 0x3b5ba5, (ligand and rank 11) or (complex and id 1635)
deselect
orient ligand
zoom ligand, 6
