from tethermap.report.fit import fit_view


def test_assessed_ligands_are_counted_apart_from_others() -> None:
    view = fit_view(
        [
            {"RSCC": 0.95, "fit_status": "assessed", "geometry_flags": "protein_clash"},
            {"RSCC": 0.6, "fit_status": "assessed", "geometry_flags": "internal_clash;protein_clash"},
            {"RSCC": None, "fit_status": "not_assessed", "geometry_flags": ""},
        ]
    )
    assert [number for _, number in view.statuses] == [2, 1]
    assert (view.n_poor, view.assessed) == (1, True)
    assert [(name, number) for name, _, number in view.geometry] == [("protein_clash", 2), ("internal_clash", 1)]
    assert not fit_view([{"RSCC": None, "fit_status": "no_report"}]).assessed
