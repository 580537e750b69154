"""What the Internet Archive says when it does not answer, told apart by whose fault it is."""

from __future__ import annotations

from typing import Any

import pytest

from mcp_books.errors import BooksError, InvalidInput, NetworkFailure, ParseFailure
from tests.sources.internet_archive_wire import Canned, answers, inside, items, refusal

pytestmark = pytest.mark.anyio
RANGE = (
    "Invalid request ([RANGE_OUT_OF_BOUNDS] paging is only supported through 10000 results; "
    "scraping is supported through the Scraping API, see https://archive.org/help/aboutsearch.htm )"
)


@pytest.mark.parametrize("ask", [inside, items])
@pytest.mark.parametrize(
    "canned",
    [
        answers(refusal("a structure was opened but not closed (position 1)"), 400),
        answers(refusal("a structure was opened but not closed (position 1)")),
        answers(refusal(RANGE), 400),
        answers({"error": "[UNSUPPORTED_VALUE] that is too long"}),
        answers({"response": {"error": {"message": "unknown field", "forensics": None}}}),
        Canned(b"[RANGE_OUT_OF_BOUNDS] paging is only supported through 10000", 400),
    ],
)
async def test_a_reason_against_the_query_is_the_callers(ask: Any, canned: Canned) -> None:
    with pytest.raises(InvalidInput) as refused:
        await ask(canned)
    assert "\n" not in refused.value.message
    assert len(refused.value.message) < 250
    assert refused.value.hint


@pytest.mark.parametrize("ask", [inside, items])
@pytest.mark.parametrize(
    "canned",
    [
        answers(refusal(), 400),
        answers(refusal()),
        answers(refusal("[BACKEND_ERROR] Invalid or no response from Elasticsearch <html>"), 400),
        answers(refusal("child request for collection_title_fetch__x failed"), 400),
        answers(refusal("The FTS API request failed, the error reported was: HTTP 502")),
        answers({"error": "[BACKEND_ERROR] Invalid or no response from Elasticsearch"}),
        answers({"error": "Unable to query search engine"}),
        answers({"error": "Whoops! Traceback (most recent call last)"}),
        Canned(b"<html><body>400 Bad Request</body></html>", 400),
        Canned(b"", 400),
    ],
)
async def test_a_failure_of_the_archives_own_may_be_tried_again(ask: Any, canned: Canned) -> None:
    with pytest.raises(NetworkFailure) as failed:
        await ask(canned)
    assert failed.value.retries == 8


@pytest.mark.parametrize("ask", [inside, items])
@pytest.mark.parametrize(
    ("canned", "error"),
    [
        (answers([1, 2]), ParseFailure),
        (answers({}), ParseFailure),
        (answers({"response": {"body": {"hits": {"total": 3, "hits": None}}}}), ParseFailure),
        (answers({"response": {"body": {"hits": {"total": 3, "hits": {}}}}}), ParseFailure),
        (answers({"response": {"body": {"hits": []}}}), ParseFailure),
        (Canned(b"<html>maintenance</html>"), ParseFailure),
        (Canned(b'{"response": {"bo'), ParseFailure),
        (Canned(b""), ParseFailure),
        (Canned(b"Bad Gateway", 502), NetworkFailure),
        (Canned(b"Forbidden", 403), NetworkFailure),
    ],
)
async def test_a_reply_of_another_shape_is_a_failure_and_never_an_absence(
    ask: Any, canned: Canned, error: type[BooksError]
) -> None:
    with pytest.raises(error):
        await ask(canned)
