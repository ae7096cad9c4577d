"""Several processes, killed writers, full disks and damage lose nothing else, and never give another answer."""

from __future__ import annotations

import os
import random
import resource
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from neonlab.lab.cache.store import Entry, Store

#: A process that keeps entries of a prefix until it has kept so many, and says so after each.
WRITER = """
import sys
from pathlib import Path
from neonlab.lab.cache.store import Entry, Store
folder, prefix, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
with Store(folder) as store:
    for number in range(count):
        kept = store.keep([Entry(f"{prefix}{number}", "test", f"{prefix} {number} " * 50)])
        print(number if kept else "not kept: " + store.problem, flush=True)
"""


def text_of(prefix: str, number: int) -> str:
    return f"{prefix} {number} " * 50


def filled(folder: Path, count: int = 200) -> list[str]:
    keys = [f"k{number}" for number in range(count)]
    with Store(folder) as store:
        assert store.keep([Entry(key, "test", text_of("k", number)) for number, key in enumerate(keys)])
    return keys


def file_of(folder: Path) -> Path:
    [path] = folder.glob("results-*.sqlite")
    return path


def all_right(texts: dict[str, str]) -> bool:
    return all(text == text_of(key[0], int(key[1:])) for key, text in texts.items())


def test_entries_are_found_again_and_others_are_not(tmp_path: Path) -> None:
    keys = filled(tmp_path / "deep" / "folder")
    with Store(tmp_path / "deep" / "folder") as store:
        found = store.texts([*keys, "other"])
        assert set(found) == set(keys) and all_right(found)
        assert store.sizes()["test"][0] == len(keys) and store.bytes_on_disk() > 0


def test_several_processes_at_once_lose_nothing(tmp_path: Path) -> None:
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), prefix, "60"], stdout=subprocess.PIPE, text=True)
        for prefix in "abc"
    ]
    assert [len(writer.communicate(timeout=120)[0].split()) for writer in writers] == [60] * 3
    with Store(tmp_path) as store:
        found = store.texts([f"{prefix}{number}" for prefix in "abc" for number in range(60)])
    assert len(found) == 180 and all_right(found)


def test_a_killed_writer_leaves_what_it_had_kept(tmp_path: Path) -> None:
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(tmp_path), "k", "1000000"], stdout=subprocess.PIPE, text=True
    )
    assert writer.stdout is not None
    said = [int(writer.stdout.readline()) for _ in range(20)]
    writer.send_signal(signal.SIGKILL)
    said += [int(line) for line in writer.communicate()[0].splitlines(keepends=True) if line.endswith("\n")]
    with Store(tmp_path) as store:
        assert store.keep([Entry("n1", "test", text_of("n", 1))])
        found = store.texts([*(f"k{number}" for number in said), "n1"])
    assert len(found) == len(said) + 1 and all_right(found)


def test_a_full_disk_keeps_no_more_and_loses_nothing(tmp_path: Path) -> None:
    keys = filled(tmp_path)
    size = file_of(tmp_path).stat().st_size

    def limited() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # a write beyond the limit then fails, as on a full disk
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + 8192, size + 8192))

    done = subprocess.run(
        [sys.executable, "-c", WRITER, str(tmp_path), "w", "400"],
        capture_output=True, text=True, preexec_fn=limited, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0 and done.stderr == ""
    kept = [int(line) for line in done.stdout.splitlines() if line.isdigit()]
    assert len(kept) < 400 and str(tmp_path) in done.stdout.splitlines()[-1]
    with Store(tmp_path) as store:
        found = store.texts([*keys, *(f"w{number}" for number in kept)])
        assert len(found) == len(keys) + len(kept) and all_right(found)


def test_a_folder_that_cannot_be_had_keeps_nothing_and_says_why(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with Store(tmp_path / "file" / "folder") as store:
        assert not store.keep([Entry("a1", "test", "x")]) and store.texts(["a1"]) == {} and store.problem


@pytest.mark.parametrize("seed", range(12))
def test_flipped_bits_never_give_another_answer(seed: int, tmp_path: Path) -> None:
    keys = filled(tmp_path)
    path, draw = file_of(tmp_path), random.Random(seed)
    data = bytearray(path.read_bytes())
    for _ in range(1 << seed % 6):
        data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
    path.write_bytes(data)
    with Store(tmp_path) as store:
        assert all_right(store.texts(keys)), f"seed {seed}"
        assert store.keep([Entry("n1", "test", text_of("n", 1))]) or store.problem
        assert all_right(store.texts([*keys, "n1"]))


@pytest.mark.parametrize("left", [0, 1, 50, 4096, 5000, -100])
def test_a_file_cut_short_is_given_up_or_read_as_far_as_it_is_whole(left: int, tmp_path: Path) -> None:
    keys = filled(tmp_path)
    path = file_of(tmp_path)
    os.truncate(path, left if left >= 0 else path.stat().st_size + left)
    with Store(tmp_path) as store:
        assert all_right(store.texts(keys))
        assert store.keep([Entry("n1", "test", text_of("n", 1))])
    with Store(tmp_path) as store:
        assert store.texts(["n1"]) == {"n1": text_of("n", 1)}


def test_a_file_that_is_no_database_is_given_up_for_the_next_and_removed_by_cleaning(tmp_path: Path) -> None:
    filled(tmp_path)
    file_of(tmp_path).write_bytes(b"no database" * 500)
    with Store(tmp_path) as store:
        assert store.keep([Entry("n1", "test", text_of("n", 1))])
        assert len(list(tmp_path.glob("results-*.sqlite"))) == 2
        store.clean(1e6, None)
        assert store.texts(["n1"])
    file_of(tmp_path)


def test_an_entry_of_another_key_or_with_another_value_is_not_there(tmp_path: Path) -> None:
    filled(tmp_path, 3)
    with sqlite3.connect(file_of(tmp_path)) as file:
        file.execute("UPDATE entries SET key = 'k9' WHERE key = 'k0'")
        file.execute("UPDATE entries SET value = (SELECT value FROM entries WHERE key = 'k2') WHERE key = 'k1'")
    file.close()
    with Store(tmp_path) as store:
        assert set(store.texts(["k0", "k1", "k2", "k9"])) == {"k2"}


def test_cleaning_removes_by_age_and_by_size_the_longest_unused_first(tmp_path: Path) -> None:
    keys = filled(tmp_path, 10)
    now = time.time()
    with sqlite3.connect(file_of(tmp_path)) as file:
        for number, key in enumerate(keys):
            file.execute("UPDATE entries SET used = ? WHERE key = ?", (now - 86_400 * number, key))
    file.close()
    with Store(tmp_path) as store:
        assert store.clean(86_400 * 5.5, None) == 4
        size = store.sizes()["test"][1] // 6
        assert store.clean(None, size * 2) == 4
        with sqlite3.connect(file_of(tmp_path)) as left:
            assert {key for (key,) in left.execute("SELECT key FROM entries")} == {"k0", "k1"}
        left.close()
        assert store.clean(None, 0) == 2 and store.sizes() == {}


def test_use_makes_an_entry_young_again(tmp_path: Path) -> None:
    [key] = filled(tmp_path, 1)
    with sqlite3.connect(file_of(tmp_path)) as file:
        file.execute("UPDATE entries SET used = 0")
    file.close()
    with Store(tmp_path) as store:
        assert store.texts([key]) and store.clean(60, None) == 0


def test_how_long_work_took_is_remembered_whatever_has_changed_since(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        store.keep([Entry("a", "test", "1", "work", 3.5)])
        time.sleep(0.01)
        store.keep([Entry("b", "test", "2", "work", 2.5)])
        assert store.seconds(["work", "other"]) == {"work": 2.5}
