from __future__ import annotations

import logging
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_books.settings import VARIABLES, Settings


def test_without_an_environment_the_defaults_stand() -> None:
    assert Settings.from_env({}) == Settings()


def test_milliseconds_of_the_environment_become_seconds() -> None:
    settings = Settings.from_env({"BOOKS_TIMEOUT_MS": "1500", "BOOKS_MAX_RETRIES": "0"})
    assert (settings.request_timeout, settings.max_retries) == (1.5, 0)


@pytest.mark.proves("9.5")
@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("BOOKS_TIMEOUT_MS", "soon"),
        ("BOOKS_TIMEOUT_MS", "999"),
        ("BOOKS_TIMEOUT_MS", "120001"),
        ("BOOKS_TIMEOUT_MS", "nan"),
        ("BOOKS_TIMEOUT_MS", "inf"),
        ("BOOKS_MIN_INTERVAL_MS", "499"),
        ("BOOKS_MIN_INTERVAL_MS", "60001"),
        ("BOOKS_MAX_RETRIES", "9"),
        ("BOOKS_MAX_RETRIES", "1.5"),
        ("BOOKS_CACHE_TTL_MS", "-1"),
        ("BOOKS_CACHE_TTL_MS", "86400001"),
        ("BOOKS_CACHE_MAX_ENTRIES", "0"),
        ("BOOKS_CACHE_MAX_ENTRIES", "5001"),
        ("BOOKS_ANSWER_TIMEOUT_MS", "4999"),
        ("BOOKS_ANSWER_TIMEOUT_MS", "600001"),
        ("BOOKS_LOG_LEVEL", "loud"),
        ("BOOKS_USER_AGENT", "a\r\nHost: b"),
        ("BOOKS_ARCHIVE_URL", "ftp://archive.example"),
        ("BOOKS_LOC_URL", "loc.example"),
        ("BOOKS_BNF_URL", "https://bnf.example/?a=b"),
        ("BOOKS_CALIBRE_LIBRARIES", "x" * 8193),
        ("BOOKS_CALIBRE_EXCLUDE_TAGS", "x" * 2001),
        ("BOOKS_INDEX_DIR", "a\0b"),
        ("BOOKS_INDEX_AUTO", "maybe"),
        ("BOOKS_INDEX_AUTO", "2"),
    ],
)
def test_an_unusable_value_is_reported_and_its_default_stands(
    variable: str, value: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        settings = Settings.from_env(
            {variable: value, "BOOKS_MAX_RETRIES": "1"} | {variable: value}
        )
    field = VARIABLES[variable][0]
    assert getattr(settings, field) == getattr(Settings(), field)
    assert variable in caplog.text


@pytest.mark.proves("9.5")
@pytest.mark.parametrize(
    "given_in_code",
    [
        {"request_timeout": 0.5},
        {"max_retries": 9},
        {"answer_timeout": 4},
        {"bnf_url": "x"},
        {"calibre_libraries": ""},
        {"index_auto": 2},
        {"a": 1},
    ],
)
def test_a_value_out_of_its_bounds_given_in_code_raises(given_in_code: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="validation error"):
        Settings.model_validate(given_in_code)


def test_a_base_address_loses_its_trailing_slash() -> None:
    assert Settings(loc_url="http://127.0.0.1:8000/loc/").loc_url == "http://127.0.0.1:8000/loc"


@given(st.dictionaries(st.sampled_from(sorted(VARIABLES)), st.text(max_size=30)))
def test_no_environment_keeps_the_program_from_starting(environ: dict[str, str]) -> None:
    logging.getLogger("mcp_books.settings").disabled = True
    try:
        Settings.from_env(environ)
    finally:
        logging.getLogger("mcp_books.settings").disabled = False


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("BOOKS_TIMEOUT_MS", "999", "less than 1000"),
        ("BOOKS_MIN_INTERVAL_MS", "60001", "more than 60000"),
        ("BOOKS_MAX_RETRIES", "9", "more than 8"),
        ("BOOKS_TIMEOUT_MS", "nan", "not a number"),
        ("BOOKS_USER_AGENT", "é", "ASCII"),
        ("BOOKS_LOC_URL", "http://127.0.0.1:99999", "ort"),
        ("BOOKS_INDEX_AUTO", "yes", "0, 1, true or false"),
    ],
)
def test_a_refused_value_is_told_in_the_variables_own_unit(
    variable: str, value: str, said: str, caplog: pytest.LogCaptureFixture
) -> None:
    Settings.from_env({variable: value})
    assert said in caplog.text


def test_a_variable_that_is_no_setting_is_reported(caplog: pytest.LogCaptureFixture) -> None:
    Settings.from_env({"BOOKS_MIN_INTERVALL_MS": "1000", "BOOKS_LIVE": "1", "PATH": "/bin"})
    assert [record.args for record in caplog.records] == [("BOOKS_MIN_INTERVALL_MS",)]


@pytest.mark.parametrize(
    ("value", "auto"),
    [("0", False), ("false", False), ("False", False), ("1", True), ("true", True)],
)
def test_indexing_by_itself_is_switched_by_0_and_1(value: str, auto: bool) -> None:
    assert Settings.from_env({"BOOKS_INDEX_AUTO": value}).index_auto is auto


def test_where_calibre_is_and_what_is_left_out_is_read_as_it_stands(tmp_path: Path) -> None:
    settings = Settings.from_env(
        {
            "BOOKS_CALIBRE_LIBRARIES": f"home={tmp_path}",
            "BOOKS_CALIBRE_EXCLUDE_TAGS": "private, secret",
            "BOOKS_INDEX_DIR": str(tmp_path / "index"),
        }
    )
    assert settings.calibre_libraries == f"home={tmp_path}"
    assert settings.calibre_exclude_tags == "private, secret"
    assert settings.index_dir == tmp_path / "index"


def test_a_relative_folder_of_the_index_does_not_move_with_the_working_folder() -> None:
    assert Settings(index_dir=Path("index")).index_dir == Path("index").absolute()
