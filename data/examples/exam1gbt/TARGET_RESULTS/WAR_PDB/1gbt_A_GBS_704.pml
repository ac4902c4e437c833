# 1gbt chain A GBS 704
# Colours: relative SASA of each ligand atom (bound / free, context target): 0 #2c4896, 0.5 #888089, 1 #ffa733.
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
set cartoon_transparency, 0.4, complex
select twin, complex within 0.4 of (ligand and not hydro)
select pocket, byres (complex within 5 of twin) and not twin
util.cnc pocket
show sticks, pocket
show sticks, ligand and not hydro
set stick_radius, 0.12, complex
set stick_radius, 0.22, ligand
set valence, 1
color 0x2c4896, (ligand and rank 0) or (complex and id 1639)
color 0x3a5094, (ligand and rank 1) or (complex and id 1638)
color 0x465892, (ligand and rank 2) or (complex and id 1636)
color 0x344d95, (ligand and rank 3) or (complex and id 1632)
color 0x2d4996, (ligand and rank 4) or (complex and id 1637)
color 0x2c4896, (ligand and rank 5) or (complex and id 1643)
color 0x4a5a92, (ligand and rank 6) or (complex and id 1634)
color 0x2c4896, (ligand and rank 7) or (complex and id 1641)
color 0x445793, (ligand and rank 8) or (complex and id 1633)
color 0x2c4896, (ligand and rank 9) or (complex and id 1640)
color 0x2c4896, (ligand and rank 10) or (complex and id 1642)
color 0x2c4896, (ligand and rank 11) or (complex and id 1635)
pseudoatom exit_names, pos=[0, 0, 0]
remove exit_names
python
from pymol import cmd
from pymol.cgo import CONE, CYLINDER
cmd.load_cgo([CYLINDER, 44.57, -2.287, 29.063, 45.15, -2.65, 31.154, 0.08, 0.702, 0.278, 0.000, 0.702, 0.278, 0.000, CONE, 45.15, -2.65, 31.154, 45.361, -2.782, 31.914, 0.26, 0.0, 0.702, 0.278, 0.000, 0.702, 0.278, 0.000, 1.0, 0.0], "exit_1_2")
cmd.pseudoatom("exit_names", pos=[45.361, -2.782, 31.914], label="1 C22")
cmd.load_cgo([CYLINDER, 44.207, -3.658, 27.987, 44.469, -5.71, 28.736, 0.08, 0.702, 0.278, 0.000, 0.702, 0.278, 0.000, CONE, 44.469, -5.71, 28.736, 44.565, -6.456, 29.008, 0.26, 0.0, 0.702, 0.278, 0.000, 0.702, 0.278, 0.000, 1.0, 0.0], "exit_2_1")
cmd.pseudoatom("exit_names", pos=[44.565, -6.456, 29.008], label="2 C32")
cmd.load_cgo([CYLINDER, 43.095, -4.483, 25.989, 41.76, -5.954, 26.934, 0.08, 0.702, 0.278, 0.000, 0.702, 0.278, 0.000, CONE, 41.76, -5.954, 26.934, 41.274, -6.489, 27.277, 0.26, 0.0, 0.702, 0.278, 0.000, 0.702, 0.278, 0.000, 1.0, 0.0], "exit_3_9")
cmd.pseudoatom("exit_names", pos=[41.274, -6.489, 27.277], label="3 NE")
cmd.load_cgo([CYLINDER, 44.499, -0.59, 28.406, 45.039, 1.167, 29.614, 0.08, 0.702, 0.278, 0.000, 0.702, 0.278, 0.000, CONE, 45.039, 1.167, 29.614, 45.235, 1.806, 30.053, 0.26, 0.0, 0.702, 0.278, 0.000, 0.702, 0.278, 0.000, 1.0, 0.0], "exit_4_6")
cmd.pseudoatom("exit_names", pos=[45.235, 1.806, 30.053], label="4 C1")
python end
hide nonbonded, exit_names
set label_size, 16, exit_names
deselect
orient ligand
zoom (ligand or exit_names), 3, complete=1
clip atoms, 6, (ligand or exit_names)
