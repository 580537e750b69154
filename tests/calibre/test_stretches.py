from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from mcp_books.sources.calibre.extract.base import LONGEST_STRETCH
from mcp_books.sources.calibre.extract.html_text import Region
from mcp_books.sources.calibre.extract.stretches import cut, stretches

SENTENCE = "A sentence of some forty characters here. "


def pieces(text: str, *at: int) -> list[str]:
    return [text[start:end] for start, end in cut(text, at)]


def test_a_short_text_is_one_piece_and_an_empty_one_none() -> None:
    assert pieces("  a text \n") == ["a text"]
    assert pieces(" \n\n ") == []


def test_a_long_text_is_cut_between_paragraphs() -> None:
    paragraph = SENTENCE * 20
    found = pieces("\n\n".join([paragraph.strip()] * 6))
    assert found == ["\n\n".join([paragraph.strip()] * 2)] * 3


def test_a_long_paragraph_is_cut_between_sentences() -> None:
    found = pieces(SENTENCE * 120)
    assert all(piece.startswith("A sentence") and piece.endswith("here.") for piece in found)
    assert len(found) == 3


def test_a_japanese_paragraph_is_cut_after_a_full_stop() -> None:
    assert all(piece.endswith("。") for piece in pieces("吾輩は猫である。" * 500))


def test_text_without_sentences_is_cut_between_words_and_without_words_anywhere() -> None:
    assert all(piece.strip("word ") == "" for piece in pieces("word " * 1000))
    assert [len(piece) for piece in pieces("x" * 4500)] == [2000, 2000, 500]


def test_nothing_reaches_across_a_given_offset() -> None:
    assert pieces("one two three", 4, 8, 8, 0, 99) == ["one", "two", "three"]


def test_each_stretch_tells_its_page_its_section_and_its_kind() -> None:
    found = list(
        stretches(
            "before one two index",
            pages=[(7, "1"), (11, "2"), (15, None)],
            sections=[(0, "Preface"), (11, "Chapter")],
            regions=[Region(15, 20, "index")],
        )
    )
    assert [(s.text, s.page_label, s.label_source, s.section, s.kind) for s in found] == [
        ("before", None, None, "Preface", "body"),
        ("one", "1", "pagelist", "Preface", "body"),
        ("two", "2", "pagelist", "Chapter", "body"),
        ("index", None, None, "Chapter", "index"),
    ]
    assert {s.page_number for s in found} == {None}


def test_of_two_entries_at_one_offset_the_later_holds() -> None:
    (found,) = stretches("text", pages=[(0, "1"), (0, "2")], sections=[(0, "A"), (0, None)])
    assert (found.page_label, found.section) == ("2", None)


@settings(deadline=None)
@given(
    st.text("ab .\n。 ", min_size=0, max_size=300).map(lambda text: text * 30),
    st.lists(st.integers(-5, 9000), max_size=8),
)
def test_every_visible_character_is_in_one_piece_of_bounded_length(
    text: str, offsets: list[int]
) -> None:
    ranges = list(cut(text, offsets))
    assert all(0 < end - start <= LONGEST_STRETCH for start, end in ranges)
    assert "".join("".join(text[a:b] for a, b in ranges).split()) == "".join(text.split())
    for offset in offsets:
        assert not any(start < offset < end for start, end in ranges)
