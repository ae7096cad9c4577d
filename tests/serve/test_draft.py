"""A draft: the file changes by saving alone, and saving never loses what somebody else wrote."""

from __future__ import annotations

from pathlib import Path

import pytest

from neonlab import InputError
from neonlab.serve.draft import Draft, Standing


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "kernel.S"
    path.write_bytes(b"one\ntwo\n")
    return path


def test_the_file_is_written_by_saving_alone(path: Path) -> None:
    draft = Draft(path)
    assert (draft.text, draft.standing, draft.unsaved) == ("one\ntwo\n", Standing.SAVED, False)
    draft.text = "one\nthree\n"
    draft.look()
    assert (path.read_bytes(), draft.standing, draft.unsaved) == (b"one\ntwo\n", Standing.UNSAVED, True)
    path.chmod(0o640)
    assert draft.save()
    assert path.read_bytes() == b"one\nthree\n" and draft.standing is Standing.SAVED and not draft.unsaved
    assert path.stat().st_mode & 0o777 == 0o640
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_a_text_without_changes_follows_the_file(path: Path) -> None:
    draft = Draft(path)
    path.write_bytes(b"other\n")
    assert draft.look() and draft.text == "other\n" and draft.standing is Standing.SAVED
    assert not draft.look()


@pytest.mark.parametrize("seen", [True, False])
def test_a_file_that_changed_meanwhile_is_not_written_over_until_the_person_says_so(path: Path, seen: bool) -> None:
    draft = Draft(path)
    draft.text = "mine\n"
    path.write_bytes(b"theirs\n")
    if seen:
        assert not draft.look()
    assert not draft.save() and path.read_bytes() == b"theirs\n"
    assert (draft.standing, draft.theirs(), draft.text) == (Standing.CONFLICT, "theirs\n", "mine\n")
    draft.keep_mine()
    assert draft.standing is Standing.UNSAVED and draft.save() and path.read_bytes() == b"mine\n"


def test_a_person_may_take_the_file_instead(path: Path) -> None:
    draft = Draft(path)
    draft.text = "mine\n"
    path.write_bytes(b"theirs\n")
    draft.look()
    draft.take_theirs()
    assert (draft.text, draft.standing) == ("theirs\n", Standing.SAVED)


def test_two_that_wrote_the_same_do_not_disagree(path: Path) -> None:
    draft = Draft(path)
    draft.text = "same\n"
    path.write_bytes(b"same\n")
    draft.look()
    assert draft.standing is Standing.SAVED


def test_a_file_that_went_away_is_told_and_saved_anew(path: Path) -> None:
    draft = Draft(path)
    path.unlink()
    assert not draft.save() and not path.exists()  # it went away unseen: that is told first
    assert (draft.standing, draft.unsaved) == (Standing.GONE, True)
    assert draft.save() and path.read_bytes() == b"one\ntwo\n" and draft.standing is Standing.SAVED


def test_line_ends_stay_as_they_were(path: Path) -> None:
    path.write_bytes(b"one\r\ntwo\r\n")
    draft = Draft(path)
    assert draft.text == "one\ntwo\n"
    draft.text = "one\ntwo\nthree\n"
    assert draft.save() and path.read_bytes() == b"one\r\ntwo\r\nthree\r\n"


@pytest.mark.parametrize(
    ("contents", "words"), [(b"\xff\xfe", "UTF-8"), (b"one\r\ntwo\n", "line endings"), (b"one\rtwo\n", "line endings")]
)
def test_what_an_editor_would_change_is_refused(path: Path, contents: bytes, words: str) -> None:
    path.write_bytes(contents)
    with pytest.raises(InputError, match=words):
        Draft(path)
    path.write_bytes(b"text\n")
    draft = Draft(path)
    draft.text = "mine\n"
    path.write_bytes(contents)
    draft.look()
    assert draft.standing is Standing.CONFLICT and not draft.save() and path.read_bytes() == contents
    with pytest.raises(InputError, match=words):
        draft.take_theirs()
    draft.keep_mine()
    assert draft.save() and path.read_bytes() == b"mine\n"


def test_a_file_reached_by_a_link_stays_where_it_is(path: Path) -> None:
    link = path.parent / "link.S"
    link.symlink_to(path)
    draft = Draft(link)
    draft.text = "new\n"
    assert draft.save() and link.is_symlink() and path.read_bytes() == b"new\n"
