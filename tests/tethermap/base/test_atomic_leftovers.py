from pathlib import Path

from tethermap.base.atomic import remove_leftovers, remove_leftovers_of, replacing
from tethermap.results.finish import link


def test_leftovers_of_killed_writers_are_removed_and_other_files_remain(tmp_path: Path) -> None:
    kept = [tmp_path / "a.csv", tmp_path / "deep" / "b.part", tmp_path / ".hidden"]
    for path in kept:
        path.parent.mkdir(exist_ok=True)
        path.write_text("")
    with replacing(tmp_path / "deep" / "c.csv") as temporary:
        left = temporary.with_name(temporary.name.replace(".part", "x.part"))
        left.write_text("half")
        temporary.write_text("whole")
    remove_leftovers(tmp_path / "nowhere")
    remove_leftovers(tmp_path)
    assert sorted(path for path in tmp_path.rglob("*") if path.is_file()) == sorted(
        [*kept, tmp_path / "deep" / "c.csv"]
    )


def test_leftovers_of_one_file_are_removed_and_those_of_other_files_remain(tmp_path: Path) -> None:
    ours, other = tmp_path / "a[1].csv", tmp_path / "b.csv"
    left = []
    for path in (ours, other):
        with replacing(path) as temporary:
            left.append(temporary.with_name(temporary.name.replace(".part", "x.part")))
            left[-1].write_text("half")
            temporary.write_text("whole")
    remove_leftovers_of(ours)
    assert sorted(tmp_path.iterdir()) == sorted([ours, other, left[1]])


def test_second_link_to_one_file_leaves_no_temporary_name(tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text("a\n")
    for _ in range(2):  # POSIX: a rename between two links to one file does nothing
        link(tmp_path / "table.csv", tmp_path / "second.csv")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["second.csv", "table.csv"]
