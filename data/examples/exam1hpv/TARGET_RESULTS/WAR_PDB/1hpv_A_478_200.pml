# 1hpv chain A 478 200
# Colours: relative SASA of each ligand atom (bound / free, context target): 0 #2c4896, 0.5 #888089, 1 #ffa733.
# 0 is buried by the target, 1 as open as without it.
#   C1 0.29, C2 0.00, C3 0.00, C4 0.00, C5 -, C6 0.00, C7 0.00, C8 0.00
#   C9 0.01, C10 0.00, C11 0.08, C12 0.00, C13 0.16, C14 0.00, C15 0.00, C16 0.49
#   C17 0.00, C18 0.00, C19 0.00, C20 0.00, C21 0.24, C22 0.16, C23 0.00, C24 0.09
#   C25 0.00, N1 0.00, N2 0.00, N3 0.01, O1 0.00, O2 0.00, O3 0.00, O4 0.00
#   O5 0.00, O6 0.03, S1 0.00
# PyMOL looks for files in the working folder: open this script from its own.
reinitialize
load 1hpv_A_478_200.pdb, complex
load ../MCS_Output/MCS_SDF/1hpv_A_478_200.sdf, ligand
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
color 0x61698e, (ligand and rank 0) or (complex and id 760)
color 0x2c4896, (ligand and rank 1) or (complex and id 761)
color 0x2c4896, (ligand and rank 2) or (complex and id 762)
color 0x2c4896, (ligand and rank 3) or (complex and id 763)
color 0xd0d5da, (ligand and rank 4) or (complex and id 764)
color 0x2c4896, (ligand and rank 5) or (complex and id 765)
color 0x2c4896, (ligand and rank 6) or (complex and id 766)
color 0x2c4896, (ligand and rank 7) or (complex and id 767)
color 0x2d4996, (ligand and rank 8) or (complex and id 768)
color 0x2c4896, (ligand and rank 9) or (complex and id 769)
color 0x3b5194, (ligand and rank 10) or (complex and id 770)
color 0x2c4896, (ligand and rank 11) or (complex and id 771)
color 0x4a5a92, (ligand and rank 12) or (complex and id 772)
color 0x2c4896, (ligand and rank 13) or (complex and id 773)
color 0x2c4896, (ligand and rank 14) or (complex and id 774)
color 0x867f89, (ligand and rank 15) or (complex and id 775)
color 0x2c4896, (ligand and rank 16) or (complex and id 776)
color 0x2c4896, (ligand and rank 17) or (complex and id 777)
color 0x2c4896, (ligand and rank 18) or (complex and id 778)
color 0x2c4896, (ligand and rank 19) or (complex and id 779)
color 0x586390, (ligand and rank 20) or (complex and id 780)
color 0x4a5a92, (ligand and rank 21) or (complex and id 781)
color 0x2c4896, (ligand and rank 22) or (complex and id 782)
color 0x3c5294, (ligand and rank 23) or (complex and id 783)
color 0x2c4896, (ligand and rank 24) or (complex and id 784)
color 0x2c4896, (ligand and rank 25) or (complex and id 785)
color 0x2c4896, (ligand and rank 26) or (complex and id 786)
color 0x2f4a96, (ligand and rank 27) or (complex and id 787)
color 0x2c4896, (ligand and rank 28) or (complex and id 788)
color 0x2c4896, (ligand and rank 29) or (complex and id 789)
color 0x2c4896, (ligand and rank 30) or (complex and id 790)
color 0x2c4896, (ligand and rank 31) or (complex and id 791)
color 0x2c4896, (ligand and rank 32) or (complex and id 792)
color 0x324c95, (ligand and rank 33) or (complex and id 793)
color 0x2c4896, (ligand and rank 34) or (complex and id 794)
pseudoatom exit_names, pos=[0, 0, 0]
remove exit_names
python
from pymol import cmd
from pymol.cgo import CONE, CYLINDER
cmd.load_cgo([CYLINDER, 10.315, 15.691, 5.635, 11.225, 15.627, 3.633, 0.08, 0.000, 0.447, 0.698, 0.000, 0.447, 0.698, CONE, 11.225, 15.627, 3.633, 11.557, 15.604, 2.906, 0.26, 0.0, 0.000, 0.447, 0.698, 0.000, 0.447, 0.698, 1.0, 0.0], "exit_1_2")
cmd.pseudoatom("exit_names", pos=[11.557, 15.604, 2.906], label="1 C3")
cmd.load_cgo([CYLINDER, 4.666, 17.675, 10.099, 3.807, 17.567, 12.121, 0.08, 0.000, 0.447, 0.698, 0.000, 0.447, 0.698, CONE, 3.807, 17.567, 12.121, 3.495, 17.527, 12.857, 0.26, 0.0, 0.000, 0.447, 0.698, 0.000, 0.447, 0.698, 1.0, 0.0], "exit_2_23")
cmd.pseudoatom("exit_names", pos=[3.495, 17.527, 12.857], label="2 C24")
cmd.load_cgo([CYLINDER, 8.496, 17.424, 17.074, 6.602, 17.982, 18.044, 0.08, 0.702, 0.278, 0.000, 0.702, 0.278, 0.000, CONE, 6.602, 17.982, 18.044, 5.913, 18.186, 18.397, 0.26, 0.0, 0.702, 0.278, 0.000, 0.702, 0.278, 0.000, 1.0, 0.0], "exit_3_27")
cmd.pseudoatom("exit_names", pos=[5.913, 18.186, 18.397], label="3 N3")
cmd.load_cgo([CYLINDER, 7.309, 17.088, 15.116, 5.425, 17.536, 16.158, 0.08, 0.000, 0.447, 0.698, 0.000, 0.447, 0.698, CONE, 5.425, 17.536, 16.158, 4.739, 17.7, 16.537, 0.26, 0.0, 0.000, 0.447, 0.698, 0.000, 0.447, 0.698, 1.0, 0.0], "exit_4_20")
cmd.pseudoatom("exit_names", pos=[4.739, 17.7, 16.537], label="4 C21")
cmd.load_cgo([CYLINDER, 13.441, 12.005, 6.711, 13.828, 10.067, 5.744, 0.08, 0.000, 0.447, 0.698, 0.000, 0.447, 0.698, CONE, 13.828, 10.067, 5.744, 13.969, 9.362, 5.392, 0.26, 0.0, 0.000, 0.447, 0.698, 0.000, 0.447, 0.698, 1.0, 0.0], "exit_5_12")
cmd.pseudoatom("exit_names", pos=[13.969, 9.362, 5.392], label="5 C13")
python end
hide nonbonded, exit_names
set label_size, 16, exit_names
set_bond stick_transparency, 0.7, (ligand and rank 28+0+1+3+24+33)
deselect
orient ligand
zoom (ligand or exit_names), 3, complete=1
clip atoms, 6, (ligand or exit_names)
