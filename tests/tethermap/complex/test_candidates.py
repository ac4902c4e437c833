"""Additives that their burial makes ligands."""

import pytest

from tethermap.complex.candidates import judged, least_buried
from tethermap.instance.classify import HetGroup


@pytest.mark.parametrize(
    ("subject", "own", "best", "kind"),
    [
        (True, 0.67, 0.67, "ligand"),
        (True, 0.49, 0.49, "additive"),
        (True, 0.30, 0.55, "ligand"),
        (False, 0.67, 0.67, "additive"),
        (False, 0.75, 0.75, "ligand"),
    ],
)
def test_half_of_the_surface_is_enough_for_the_subject(subject: bool, own: float, best: float, kind: str) -> None:
    """3KYQ is about the lipid that switches its protein: 0.67 of it is buried."""
    reason = "detergent: a lipid to some"
    group = HetGroup((0,), 0, kind="additive", kind_reason=reason, unless_buried=True, subject=subject)
    found = judged(group, own, best)
    assert found.kind == kind
    assert least_buried(group) == (0.5 if subject else 0.75)
    assert (found.kind_reason == reason) == (kind == "additive")
