"""Never a month or a day that the record's own words do not name."""

from __future__ import annotations

import pytest

from mcp_books.sources.library_of_congress.dates import date_published


@pytest.mark.parametrize(
    ("filed", "words", "published"),
    [
        ("1888-01-01", ["1888."], "1888"),
        ("1925-01-01", ["1925"], "1925"),
        ("1934-01-01", ["1934 May 8."], "1934"),
        ("1934-05-08", ["1934 May 8."], "1934-05-08"),
        ("1886-06", ["Sanborn Map Company, Jun 1886"], "1886-06"),
        ("1886-06-01T00:00:00Z", ["Jun 1886"], "1886-06"),
        ("1864-10-21", ["October 21, 1864"], "1864-10-21"),
        ("1864-10-21", ["18641021"], "1864-10-21"),
        ("1864-10-21", ["Friday, 21st Oct. 1864"], "1864-10-21"),
        ("1864-10-02", ["October 21, 1864"], "1864-10"),
        ("1914-12-01", ["1914-12"], "1914"),
        ("1915-05-07", ["New York : May & Co., 1915"], "1915"),
        ("1803-03-01", ["Marlborough, 1803"], "1803"),
        ("1901", ["Charleston, W. Va. : Advocate Pub. Co."], "1901"),
        ("1880", ["[1890?]"], "1880"),
        ("1907", ["1901 Jul 26."], "1907"),
        ("1650", ["[Late 17th or early 18th century?]"], "1650"),
        ("1923", ["[photographed between 1914 and 1918, published 1923]"], "1923"),
        ("1924-11-20", [], "1924-11-20"),
        ("1924-11-20", ["", "  "], "1924-11-20"),
        ("1888-01-01", [], "1888"),
        ("1829-183?", [], "1829-183?"),
        ("18uu", ["18--"], "18uu"),
        ("1886-00-00", [], "1886"),
        ("uuuu", [], None),
        ("????", [], None),
        ("9999-01-01", ["9999"], None),
        ("0001", [], None),
        ("", ["1888"], None),
        (None, ["1888"], None),
    ],
)
def test_a_date_is_published_as_far_as_the_words_carry_it(
    filed: str | None, words: list[str], published: str | None
) -> None:
    assert date_published(filed, words) == published
