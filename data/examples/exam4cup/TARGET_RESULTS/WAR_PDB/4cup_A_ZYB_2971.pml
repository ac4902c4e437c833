# 4cup chain A ZYB 2971
# Colours: relative SASA of each ligand atom (bound / free, context target): 0 #2c4896, 0.5 #888089, 1 #ffa733.
# 0 is buried by the target, 1 as open as without it.
#   F 0.09, C2 0.49, C1 0.19, C3 0.47, C4 0.90, C5 0.51, C 0.03, C6 0.50
#   N 0.74, N1 0.83, O 0.86
# PyMOL looks for files in the working folder: open this script from its own.
reinitialize
load 4cup_A_ZYB_2971.pdb, complex
load ../MCS_Output/MCS_SDF/4cup_A_ZYB_2971.sdf, ligand
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
color 0x3d5394, (ligand and rank 0) or (complex and id 926)
color 0x867f89, (ligand and rank 1) or (complex and id 927)
color 0x4f5d91, (ligand and rank 2) or (complex and id 928)
color 0x837d8a, (ligand and rank 3) or (complex and id 929)
color 0xe79f45, (ligand and rank 4) or (complex and id 930)
color 0x8b8187, (ligand and rank 5) or (complex and id 931)
color 0x314b95, (ligand and rank 6) or (complex and id 932)
color 0x878089, (ligand and rank 7) or (complex and id 933)
color 0xc1935f, (ligand and rank 8) or (complex and id 934)
color 0xd79a50, (ligand and rank 9) or (complex and id 935)
color 0xdf9c4a, (ligand and rank 10) or (complex and id 936)
pseudoatom exit_names, pos=[0, 0, 0]
remove exit_names
python
from pymol import cmd
from pymol.cgo import CONE, CYLINDER
cmd.load_cgo([CYLINDER, 9.005, 41.96, 33.105, 7.129, 41.831, 34.246, 0.08, 0.000, 0.447, 0.698, 0.000, 0.447, 0.698, CONE, 7.129, 41.831, 34.246, 6.447, 41.784, 34.662, 0.26, 0.0, 0.000, 0.447, 0.698, 0.000, 0.447, 0.698, 1.0, 0.0], "exit_1_10")
cmd.pseudoatom("exit_names", pos=[6.447, 41.784, 34.662], label="1 O")
cmd.load_cgo([CYLINDER, 11.162, 42.153, 29.179, 9.741, 42.31, 27.507, 0.08, 0.000, 0.447, 0.698, 0.000, 0.447, 0.698, CONE, 9.741, 42.31, 27.507, 9.224, 42.366, 26.899, 0.26, 0.0, 0.000, 0.447, 0.698, 0.000, 0.447, 0.698, 1.0, 0.0], "exit_2_3")
cmd.pseudoatom("exit_names", pos=[9.224, 42.366, 26.899], label="2 C3")
cmd.load_cgo([CYLINDER, 10.641, 42.564, 30.804, 8.562, 43.217, 31.104, 0.08, 0.000, 0.447, 0.698, 0.000, 0.447, 0.698, CONE, 8.562, 43.217, 31.104, 7.806, 43.454, 31.213, 0.26, 0.0, 0.000, 0.447, 0.698, 0.000, 0.447, 0.698, 1.0, 0.0], "exit_3_4")
cmd.pseudoatom("exit_names", pos=[7.806, 43.454, 31.213], label="3 C4")
cmd.load_cgo([CYLINDER, 12.827, 41.634, 28.882, 13.492, 41.136, 26.845, 0.08, 0.702, 0.278, 0.000, 0.702, 0.278, 0.000, CONE, 13.492, 41.136, 26.845, 13.734, 40.954, 26.104, 0.26, 0.0, 0.702, 0.278, 0.000, 0.702, 0.278, 0.000, 1.0, 0.0], "exit_4_1")
cmd.pseudoatom("exit_names", pos=[13.734, 40.954, 26.104], label="4 C2")
python end
hide nonbonded, exit_names
set label_size, 16, exit_names
deselect
orient ligand
zoom (ligand or exit_names), 3, complete=1
clip atoms, 6, (ligand or exit_names)
