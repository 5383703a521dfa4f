"""Which rows the parts of a system have."""

import numpy as np

from ranking.analyses.system import by_number


def test_rows_of_all_documents_take_no_more_room_than_the_rows() -> None:
    document = np.random.default_rng(3).integers(0, 50, 2_000).astype(np.int32)
    document[document == 7] = 8
    names = [f"d{number}" for number in range(50)]
    found = by_number(document, names)
    assert [name for name, _rows in found] == [name for name in names if name != "d7"]
    for name, rows in found:
        assert rows.tolist() == np.flatnonzero(document == names.index(name)).tolist()
    assert sum(rows.nbytes for _name, rows in found) == 8 * len(document)
    assert len({id(rows.base) for _name, rows in found}) == 1
    assert by_number(document[:0], names) == []
