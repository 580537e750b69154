from __future__ import annotations

from pathlib import Path

import pytest

from mcp_books.sources.calibre.configuration import Configuration, read_libraries, read_tags


def names(configuration: Configuration) -> list[str]:
    return [one.name for one in configuration.libraries]


def test_libraries_stand_in_the_order_given_named_or_after_their_folder(tmp_path: Path) -> None:
    first, second = tmp_path / "Calibre Library", tmp_path / "b"
    found = read_libraries(f"{first};papers={second}", separator=";")
    assert found.refused == ()
    assert names(found) == ["Calibre_Library", "papers"]
    assert [one.folder for one in found.libraries] == [first, second]


def test_a_folder_that_is_not_there_now_is_a_library_all_the_same(tmp_path: Path) -> None:
    assert names(read_libraries(str(tmp_path / "drive not mounted"))) == ["drive_not_mounted"]


@pytest.mark.parametrize("text", ["", "  ", ";", " ; ;"])
def test_nothing_configured_is_no_library_and_no_complaint(text: str) -> None:
    assert read_libraries(text, separator=";") == Configuration((), ())


def test_windows_folders_keep_their_drive_letter() -> None:
    found = read_libraries(r"C:\Books;old=D:\Old Books;\\server\share\Lib", separator=";")
    assert [str(one.folder).endswith(end) for one, end in zip(
        found.libraries, (r"C:\Books", r"D:\Old Books", r"\\server\share\Lib"), strict=True
    )] == [True, True, True]  # fmt: skip
    assert names(found)[1] == "old"


def test_quotation_marks_around_a_folder_or_an_entry_are_taken_off(tmp_path: Path) -> None:
    a, b = tmp_path / "a", tmp_path / "b c"
    found = read_libraries(f'"{a}" ; mine="{b}";"yours={tmp_path}"', separator=";")
    assert [one.folder for one in found.libraries] == [a, b, tmp_path]
    assert names(found) == ["a", "mine", "yours"]


def test_a_separator_between_quotation_marks_is_part_of_the_folder(tmp_path: Path) -> None:
    a, b, c = tmp_path / "a:b", tmp_path / "c", tmp_path / 'd"e'
    found = read_libraries(f'"{a}":mine="{b}:{b}" : "{c}":{b}: "yours={a}:c"', separator=":")
    folders = [str(a), f"{b}:{b}", str(c), str(b), f"{a}:c"]
    assert [str(one.folder) for one in found.libraries] == folders
    assert (found.refused, names(found)[-1]) == ((), "yours")


@pytest.mark.parametrize("entry", ['"/books', "“/books”", 'mine="/books', "«/books»"])
def test_a_quotation_mark_that_takes_nothing_in_is_refused(entry: str) -> None:
    found = read_libraries(entry, separator=":")
    assert found.libraries == ()
    assert [one.because for one in found.refused] == ['its quotation marks are no pair of "']


def test_an_equals_sign_in_a_folder_is_part_of_it(tmp_path: Path) -> None:
    folder = tmp_path / "x=y"
    assert read_libraries(str(folder), separator=";").libraries[0].folder == folder
    assert read_libraries(f"n={folder}", separator=";").libraries[0].folder == folder


def test_the_home_folder_is_filled_in(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    found = read_libraries("~/Books;n=~/More", separator=";")
    assert [one.folder for one in found.libraries] == [tmp_path / "Books", tmp_path / "More"]


@pytest.mark.parametrize("name", ["Книги", "図書館", "हिन्दी", "livres-2.0", "7", "Büche\u0308r"])
def test_names_in_any_script_are_names(tmp_path: Path, name: str) -> None:
    found = read_libraries(f"{name}={tmp_path}", separator=";")
    assert found.refused == ()
    assert len(found.libraries) == 1


@pytest.mark.parametrize(
    "name", ["", "..", ".", "-x", "a b", "a%2e", "a:b", "a\u202eb", "a\nb", "x" * 61, "a#b", "a?b"]
)
def test_a_name_that_an_identifier_cannot_carry_is_refused_and_the_others_stand(
    tmp_path: Path, name: str
) -> None:
    found = read_libraries(f"{name}={tmp_path};good={tmp_path / 'b'}", separator=";")
    assert names(found) == ["good"]
    assert "letters" in found.refused[0].because


def test_a_name_is_taken_once_whatever_its_case(tmp_path: Path) -> None:
    found = read_libraries(f"Mine={tmp_path / 'a'};mine={tmp_path / 'b'}", separator=";")
    assert names(found) == ["Mine"]
    assert "taken" in found.refused[0].because


def test_two_folders_of_one_name_need_a_name_of_their_own(tmp_path: Path) -> None:
    found = read_libraries(f"{tmp_path / 'a' / 'Lib'};{tmp_path / 'b' / 'Lib'}", separator=";")
    assert names(found) == ["Lib"]
    assert "name=folder" in found.refused[0].because


def test_a_folder_is_one_library_however_it_is_written(tmp_path: Path) -> None:
    found = read_libraries(f"a={tmp_path};b={tmp_path / 'x' / '..'}", separator=";")
    assert names(found) == ["a"]
    assert "already in use" in found.refused[0].because


@pytest.mark.parametrize("entry", ["name=", 'name=""', "name=a\0b"])
def test_an_entry_without_a_folder_is_refused(entry: str) -> None:
    (refused,) = read_libraries(entry, separator=";").refused
    assert refused.entry == entry
    assert "no folder" in refused.because


def test_the_database_in_place_of_its_folder_is_refused_with_what_is_needed(tmp_path: Path) -> None:
    (refused,) = read_libraries(str(tmp_path / "metadata.db"), separator=";").refused
    assert "folder that holds" in refused.because


def test_a_folder_without_a_usable_name_needs_one() -> None:
    (refused,) = read_libraries("/", separator=";").refused
    assert "name=folder" in refused.because


def test_tags_are_read_once_each_without_spaces_around_them() -> None:
    assert read_tags(" private, Not  for others ,,private") == ("private", "Not for others")
    assert read_tags("") == ()
