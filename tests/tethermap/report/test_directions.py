from tethermap.base.tables import Row
from tethermap.report.directions import MAX_ANCHORS, MAX_DIRECTIONS, group_views


def moved(group: str, entry: str, **more: object) -> Row:
    row = {"group": group, "reference": "1aaa_A_LIG_1", "pdb_id": entry, "superposed": True, "reason": "",
           "is_reference": entry == "1aaa", "rmsd_A": 0.5, "n_used": 40}  # fmt: skip
    return {**row, **more}  # type: ignore[dict-item]


def test_groups_of_one_entry_and_instances_without_a_group_are_not_shown() -> None:
    rows = [moved("G1", "1aaa"), moved("G1", "2bbb"), moved("G2", "3ccc"), moved("G2", "3ccc"),
            moved("", "4ddd"), moved("", "5eee")]  # fmt: skip
    assert [view.name for view in group_views(rows, [])] == ["G1"]


def test_fit_and_left_out_pockets_are_reported() -> None:
    rows = [
        moved("G1", "1aaa", rmsd_A=0.0, n_used=70),
        moved("G1", "2bbb", rmsd_A=0.9, n_used=31),
        moved("G1", "3ccc", superposed=False, reason="poor_fit", rmsd_A=4.0, n_used=20),
    ]
    (view,) = group_views(rows, [])
    assert (view.largest_rmsd, view.fewest_used, view.n_entries) == (0.9, 31, 3)
    assert view.left_out == (("The shape of the pocket differs too much from that of the reference.", 1),)


def test_directions_and_anchors_beyond_the_limits_are_counted() -> None:
    anchors = ";".join(f"LIG:C{k}" for k in range(MAX_ANCHORS + 2))
    consensus: list[Row] = [
        {"group": "G1", "direction": f"G1-{k}", "anchors": anchors} for k in range(MAX_DIRECTIONS + 3)
    ]
    (view,) = group_views([moved("G1", "1aaa"), moved("G1", "2bbb")], consensus)
    assert (len(view.directions), view.more) == (MAX_DIRECTIONS, 3)
    assert view.directions[0][2].endswith("LIG C7 and 2 more")


def test_directions_past_one_residue_have_their_number() -> None:
    residues = ("LYS A 1", "ILE A 2", "LYS A 1", None)
    rows: list[Row] = [{"group": "G1", "direction": f"G1-{k}", "residue": name} for k, name in enumerate(residues)]
    (view,) = group_views([moved("G1", "1aaa"), moved("G1", "2bbb")], rows)
    names = [name for _, name, _ in view.directions]
    assert names == ["near LYS A 1, no. 0", "near ILE A 2", "near LYS A 1, no. 2", "G1-3"]
