"""Names as text and as bytes, against NumPy's own conversion."""

import numpy as np
import pytest

from tethermap.base.arrays import as_bytes, as_text


@pytest.mark.parametrize("names", [[b"CA", b"", b"HO5'"], [b"Zn"], []])
@pytest.mark.parametrize("length", [4, 8])
def test_names_convert_to_text_and_bytes_like_in_numpy(names: list[bytes], length: int) -> None:
    letters = np.array(names, dtype=f"S{length}")
    text = as_text(letters)
    assert text.dtype == letters.astype(np.str_).dtype == np.dtype(f"U{length}")
    assert text.tolist() == [name.decode() for name in names]
    assert as_bytes(text).dtype == letters.dtype
    assert as_bytes(text).tolist() == names
