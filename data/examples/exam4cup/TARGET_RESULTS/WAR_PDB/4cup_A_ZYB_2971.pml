# 4cup chain A ZYB 2971
# Colours: relative SASA of each ligand atom (bound / free, context target): 0 #3b5ba5, 0.5 #c4c2c6, 1 #e66a00.
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
select twin, complex within 0.4 of (ligand and not hydro)
select pocket, byres (complex within 5 of twin) and not twin
util.cnc pocket
show sticks, pocket
show sticks, ligand and not hydro
set stick_radius, 0.12, complex
set stick_radius, 0.22, ligand
set valence, 1
color 0x556eab, (ligand and rank 0) or (complex and id 926)
color 0xc0bfc5, (ligand and rank 1) or (complex and id 927)
color 0x6e82b1, (ligand and rank 2) or (complex and id 928)
color 0xbdbdc4, (ligand and rank 3) or (complex and id 929)
color 0xdf7c29, (ligand and rank 4) or (complex and id 930)
color 0xc5c0c1, (ligand and rank 5) or (complex and id 931)
color 0x4361a7, (ligand and rank 6) or (complex and id 932)
color 0xc3c1c6, (ligand and rank 7) or (complex and id 933)
color 0xd49866, (ligand and rank 8) or (complex and id 934)
color 0xdb8842, (ligand and rank 9) or (complex and id 935)
color 0xdd8236, (ligand and rank 10) or (complex and id 936)
deselect
orient ligand
zoom ligand, 6
