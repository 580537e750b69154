"""Whatever a caller types, the engine answers the adapter's query: no error, nothing injected."""

from __future__ import annotations

import json
import urllib.parse
import urllib.request

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mcp_books.errors import InvalidInput
from mcp_books.sources._sparql import ACCEPT, expression, form, words
from mcp_books.sources.base import CatalogueQuery
from mcp_books.sources.data_bnf import DataBnf, queries

HOSTILE = (
    "'",
    "''''",
    "vent'",
    "'vent",
    "zzz'OR'novembre",
    "zzz''OR''novembre",
    'vent" . } LIMIT 1 } } #',
    'vent" option (score ?sc) . ?a ?b ?c . #',
    "vent\\",
    'vent\\" AND',
    "vent\\'novembre",
    "vent\nnovembre",
    "vent\r\n\tnovembre",
    "vent\x01\x0b\x7fnovembre",
    "vent } UNION { ?s ?p ?o }",
    "); DROP GRAPH <http://data.bnf.fr/test/records>; (",
    "AND",
    "NOT vent",
    "vent AND NOT novembre",
    "vent NEAR novembre",
    "(vent OR",
    "vent,novembre",
    "vent*",
    "ve*",
    "*",
    "* vent",
    "?",
    "vent 😀",
    "n º 5 ½ ² ⅳ ℓ",
    '"',
    '""',
    '"vent',
    '"vent de "novembre"',
    '"😀" vent',
    "«»",
    "." * 40,
    "a.b.c. .d ..",
    "vent " * 60,
    "x" * 300,
    "x" * 65,
    "x" * 66,
    "é" * 65,
    "源" * 60,
    "\u0301",
    "vent\u0301\u0301\u0301",
    "\ufeffvent",
    "\u200bvent\u00ad",
    "\U00020000 vent",
    "𝐀 vent",
    "ߞߟߡ vent",
    "؀؁ vent",
    "ｖｅｎｔ",
    "<script>alert(1)</script>",
    "http://data.bnf.fr/ark:/12148/cb90001001k#about",
    "${vent} %27 &amp; &#39;",
)

TYPED = st.one_of(
    st.text(max_size=80),
    st.text(st.characters(max_codepoint=0xFFFF, exclude_categories=["Cs"]), max_size=20),
    st.lists(
        st.sampled_from(["vent", "'", '"', "«", "»", "*", ".", " ", "AND", "OR", "\\", "º", "源"]),
        max_size=20,
    ).map("".join),
)


def ask(base: str, text: str) -> int | None:
    """Return how many matches the engine counts, or None where nothing is left to be asked."""
    try:
        argument = expression(text).argument
    except InvalidInput:
        return None
    query = queries.search(argument, "dcterms:title", limit=3, offset=0)
    request = urllib.request.Request(
        f"{base}/sparql", urllib.parse.urlencode(form(query)).encode(), {"Accept": ACCEPT}
    )
    with urllib.request.urlopen(request, timeout=30) as response:
        answer = json.load(response)
    return int(answer["results"]["bindings"][0]["matches"]["value"])


@pytest.mark.anyio
@pytest.mark.parametrize("text", HOSTILE)
async def test_hostile_words_are_answered_or_refused_here(bnf: DataBnf, text: str) -> None:
    try:
        sent = {word.lower() for word in words(expression(text).plain)}
    except InvalidInput:
        with pytest.raises(InvalidInput):
            await bnf.search_items(CatalogueQuery(text=text, limit=25))
        return
    page = await bnf.search_items(CatalogueQuery(text=text, limit=25))
    assert page.unreadable == 0
    for row in page.rows:
        assert sent <= {word.lower() for word in words(row.title or "")}


@settings(
    max_examples=300,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(text=TYPED)
def test_no_input_makes_the_engine_answer_an_error(engine: str, text: str) -> None:
    ask(engine, text)


def test_the_words_of_a_query_are_the_words_the_engine_indexes(engine: str) -> None:
    """Each stretch of the tables is a word at its ends, and a noise character beside it is not."""
    for text in ("µ", "À", "ӿ", "Ա", "ݍ", "ऀ", "ፚ", "Ꭰ", "ﬀ", "￮", "〇", "龥", "ꀀ", "힣"):
        assert ask(engine, text) is not None
    for noise in ("º", "½", "Ԁ", "ߞ", "ⅳ", "😀", "·"):
        assert ask(engine, noise) is None
