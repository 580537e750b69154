"""The contract of a source, as test classes an archive's own suite inherits. Needs pytest.

    import pytest
    from mcp_books.testing import AnsweringContract, Samples

    class TestMyLibrary(AnsweringContract):
        @pytest.fixture
        def source(self):
            return MyLibrary("books.db")

        @pytest.fixture
        def samples(self):
            return Samples(catalogue="whale", nothing="zzxqzv", missing="no-such-book")

`DeclaredContract` asks the archive nothing; `AnsweringContract` adds what a working archive
answers; `WireContract` adds what becomes of an archive that misbehaves on the wire; `PaceContract`
stands alone: how fast an archive is asked. Fixtures may be asynchronous. With
`pytest.register_assert_rewrite("mcp_books.testing")` in a conftest, a failing rule shows the values
it compared.
"""

from ._answering import AnsweringContract, Samples
from ._declared import DeclaredContract
from ._pace import PaceContract
from ._wire import Trouble, WireContract

__all__ = [
    "AnsweringContract",
    "DeclaredContract",
    "PaceContract",
    "Samples",
    "Trouble",
    "WireContract",
]
