"""One step runs a bench on a board by ssh or adb: both are played by scripts, and the board by qemu-user."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from tests.boards import QEMU, false_program, require_board_compiler
from tests.tools import require

from neonlab.errors import InputError
from neonlab.isa.model.isa import Isa
from neonlab.lab.board.compiling import build_bench, find_board_compiler
from neonlab.lab.board.connection import connection_to
from neonlab.lab.board.export import Exported, export_kernels
from neonlab.lab.board.remote import run_on_board
from neonlab.lab.board.result import parse_result
from neonlab.lab.run.lookup import one_kernel

#: Does what it is asked for, on this computer, with the bench under qemu-user.
SSH = """
while [ "$1" = -o ]; do shift 2; done
shift
exec sh -c "$(printf %s "$1" | sed 's#&& /#\\&\\& {qemu} /#')"
"""
ADB = """
[ "$1" = -s ] && shift 2
case "$1" in
get-state) echo device;;
push) cp "$2" "{root}/$3" ;;
shell) exec sh -c "$(printf %s "$2" | sed 's#/data/#{root}/data/#g; s#&& /#\\&\\& {qemu} /#')" ;;
esac
"""


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Exported:
    kernel = one_kernel("armv8/conv1x1_s8s32_chw_8x4")
    return export_kernels([(kernel, ())], tmp_path_factory.mktemp("bench"), budget=64 << 10)


@pytest.mark.slow
def test_a_board_is_reached_by_ssh_and_left_as_it_was(
    exported: Exported, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    require_board_compiler(Isa.A64)
    monkeypatch.setenv("TMPDIR", str(tmp_path / "board"))
    (tmp_path / "board").mkdir()
    log = false_program(tmp_path / "bin", "ssh", SSH.format(qemu=require(QEMU[Isa.A64])), monkeypatch)
    text = run_on_board(connection_to("ssh:pi@board"), exported, cpu=0)
    assert parse_result(text, "result.json").exact
    assert "BatchMode=yes" in log.read_text() and "pi@board" in log.read_text() and "--cpu 0" in log.read_text()
    assert list((tmp_path / "board").iterdir()) == []


def test_a_board_is_reached_by_adb_and_left_as_it_was(
    exported: Exported, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    require_board_compiler(Isa.A64)
    there = tmp_path / "data" / "local" / "tmp"
    there.mkdir(parents=True)
    script = ADB.format(qemu=require(QEMU[Isa.A64]), root=tmp_path)
    log = false_program(tmp_path / "bin", "adb", script, monkeypatch)
    text = run_on_board(connection_to("adb:emulator-5554"), exported)
    assert parse_result(text, "result.json").exact
    assert all(line.startswith("-s emulator-5554 ") for line in log.read_text().splitlines())
    assert list(there.iterdir()) == []


def test_without_a_compiler_here_the_board_builds(
    exported: Exported, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiler = require_board_compiler(Isa.A64)
    false_program(tmp_path / "bin", "cc", f'exec {compiler} "$@"', monkeypatch)
    log = false_program(tmp_path / "bin", "ssh", SSH.format(qemu=require(QEMU[Isa.A64])), monkeypatch)
    monkeypatch.setattr("neonlab.lab.board.remote.find_board_compiler", lambda *_, **__: "")
    assert parse_result(run_on_board(connection_to("ssh:board"), exported), "result.json").exact
    assert "make -C" in log.read_text()


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ("echo 'no route to host' >&2; exit 255", "ssh:board: cannot be reached: no route to host"),
        ("exit 1", "ssh:board: cannot make a folder there: no reason is given"),
        (
            'case "$*" in *mktemp*) echo /tmp/x;; *cat*) echo full >&2; exit 1;; esac',
            "bench cannot be copied there: full",
        ),
        (
            'case "$*" in *mktemp*) echo /tmp/x;; *cat*) ;; *) echo refused >&2; exit 126;; esac',
            "does not run there: refused",
        ),
        ('case "$*" in *mktemp*) echo /tmp/x;; *cat*) ;; *chmod*) sleep 9;; esac', "no answer within 1 seconds"),
    ],
)
@pytest.mark.thorough("a bench is built, for which zig compiles a C library; a target that cannot be reached is told")
def test_a_step_that_fails_gets_one_message(
    script: str, told: str, exported: Exported, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    require_board_compiler(Isa.A64)
    false_program(tmp_path / "bin", "ssh", f"cat > /dev/null\n{script}", monkeypatch)
    with pytest.raises(InputError) as error:
        run_on_board(connection_to("ssh:board"), exported, limit=1)
    assert told in str(error.value) and "\n" not in str(error.value)


@pytest.mark.thorough("a bench is built, for which zig compiles a C library; a program that is absent is told")
def test_an_adb_without_a_device_cannot_be_reached(
    exported: Exported, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    require_board_compiler(Isa.A64)
    false_program(tmp_path / "bin", "adb", "echo 'error: no devices/emulators found' >&2; exit 1", monkeypatch)
    with pytest.raises(InputError, match="adb:: cannot be reached: error: no devices"):
        run_on_board(connection_to("adb:"), exported)


@pytest.mark.parametrize("target", ["", "board", "ssh:", "ssh:-oProxyCommand=x", "adb:-x", "serial:1", "ssh"])
def test_a_word_that_names_no_board_is_refused(target: str) -> None:
    with pytest.raises(InputError, match="names no board: give ssh:HOST, adb: or adb:SERIAL"):
        connection_to(target)


@pytest.mark.parametrize("target", ["ssh:board", "adb:"])
def test_a_program_that_is_not_installed_is_named(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(InputError, match=f"no program `{target.partition(':')[0]}` on this computer"):
        connection_to(target)


def test_a_compiler_that_fails_is_quoted(exported: Exported, tmp_path: Path) -> None:
    folder = tmp_path / "bench"
    shutil.copytree(exported.folder, folder)
    (folder / "bench").unlink(missing_ok=True)
    with pytest.raises(InputError, match="the bench does not build:"):
        build_bench(folder, "false")


def test_the_compiler_of_androids_ndk_is_found_by_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = tmp_path / "toolchains" / "llvm" / "prebuilt" / "linux-x86_64" / "bin"
    programs.mkdir(parents=True)
    for name in ("aarch64-linux-android24-clang", "armv7a-linux-androideabi24-clang"):
        (programs / name).write_text("")
    monkeypatch.setenv("ANDROID_NDK_HOME", str(tmp_path))
    assert find_board_compiler(Isa.A64, android=True).endswith("aarch64-linux-android24-clang")
    assert find_board_compiler(Isa.A32, android=True).endswith("armv7a-linux-androideabi24-clang")
    monkeypatch.setenv("PATH", os.fspath(tmp_path))
    assert "android" not in find_board_compiler(Isa.A64)
