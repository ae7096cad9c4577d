"""The wheel works alone: built, installed in an empty environment away from the checkout, listed and run there."""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest
from tests.kernel_sources import FILES, title_of

from neonlab.lab.start.wheel import own_wheel

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy what git tracks: a build writes beside the sources, and two at once would meet there."""
    folder = tmp_path_factory.mktemp("sources") / "neonlab"
    tracked = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(tracked, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).exists():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    return folder


@pytest.fixture(scope="module")
def wheel(sources: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(sources)]
    subprocess.run(command, check=True, capture_output=True)
    return next(folder.glob("neonlab-*.whl"))


def test_the_wheel_holds_the_library_and_nothing_at_top_level_but_neonlab(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names} == {
        "neonlab",
        next(n for n in names if ".dist-info" in n).split("/")[0],
    }
    for path in [*ROOT.glob("asm/**/*.*"), *ROOT.glob("kernels/*.py")]:
        assert f"neonlab/library/{path.relative_to(ROOT)}" in names
    assert {"neonlab/py.typed", "neonlab/serve/static/neon.js", "neonlab/serve/static/serve.css"} <= set(names)


@pytest.mark.thorough("builds and installs a wheel, as CI does for the repository that `init` makes")
def test_the_wheel_lists_and_checks_its_kernels_away_from_the_checkout(wheel: Path, tmp_path: Path) -> None:
    home = tmp_path / "venv"
    venv.create(home, with_pip=True, symlinks=True)
    python = home / "bin" / "python"
    _install(python, wheel)
    away = tmp_path / "away"
    away.mkdir()
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}

    def neonlab(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [str(home / "bin" / "neonlab"), *arguments]
        return subprocess.run(command, cwd=away, env=environment, capture_output=True, text=True, check=False)

    where = subprocess.run(
        [str(python), "-c", "import neonlab; print(neonlab.__file__)"],
        cwd=away,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert str(home) in where.stdout
    listed = neonlab("list")
    assert listed.returncode == 0, listed.stderr
    for path in FILES:
        assert title_of(path) in listed.stdout
    checked = neonlab("check", "armv8/conv1x1_s8s32_chw_8x4")
    assert checked.returncode == 0 and "exact" in checked.stdout, checked.stdout + checked.stderr


def test_the_wheel_that_a_new_repository_brings_along_is_the_one_that_is_built(wheel: Path) -> None:
    name, data = own_wheel()
    assert name == wheel.name and own_wheel() == (name, data)

    def contents(file: Path | io.BytesIO) -> dict[str, bytes]:
        with zipfile.ZipFile(file) as opened:
            return {one: opened.read(one) for one in opened.namelist()}

    ours, built = contents(io.BytesIO(data)), contents(wheel)
    assert ours.keys() == built.keys()
    # What an environment that was set up earlier says of the package may be older than the files.
    differ = {one for one in ours if ours[one] != built[one] and ".dist-info/" not in one}
    assert differ == set()


@pytest.mark.thorough
def test_a_repository_begun_by_the_wheel_does_what_its_readme_says_as_typed(wheel: Path, tmp_path: Path) -> None:
    home = tmp_path / "venv"
    venv.create(home, with_pip=True, symlinks=True)
    _install(home / "bin" / "python", wheel)
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "VIRTUAL_ENV"))}
    environment |= {
        "PATH": f"{Path(sys.executable).resolve().parent}:{environment['PATH']}",
        "GIT_AUTHOR_NAME": "nobody", "GIT_AUTHOR_EMAIL": "nobody@localhost",
        "GIT_COMMITTER_NAME": "nobody", "GIT_COMMITTER_EMAIL": "nobody@localhost",
    }  # fmt: skip

    def bash(script: str, where: Path) -> str:
        run = ["bash", "-e", "-c", script]
        done = subprocess.run(run, cwd=where, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{script}\n{done.stdout}{done.stderr}"
        return done.stdout

    bash(f"{home}/bin/neonlab init new", tmp_path)
    new = tmp_path / "new"
    assert bash("git status --porcelain; git log --oneline", new).count("\n") == 1
    commands = re.findall(r"^    (\S.*?)(?:  +#.*)?$", (new / "README.md").read_text(), re.MULTILINE)
    assert commands[2] == "pip install -r requirements.txt" and "pytest" in commands
    said = bash("\n".join([*commands, "which neonlab", "git status --porcelain"]), new)
    assert "2 kernels" in said and "CPU_CYCLES" in said
    assert said.endswith(f"{new}/.venv/bin/neonlab\n")
    installed = re.findall(r"run: (pip install .*)", (new / ".github/workflows/kernels.yml").read_text())
    assert installed == [commands[2]]


def _install(python: Path, wheel: Path) -> None:
    """Install the wheel beside the packages of this environment; a new repository gets them from the registry."""
    command = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", str(wheel)]
    subprocess.run(command, check=True)
    ours = next(path for path in map(Path, sys.path) if path.name == "site-packages" and (path / "numba").is_dir())
    site = next((python.parents[1] / "lib").glob("python*/site-packages"))
    for item in ours.iterdir():
        if "neonlab" not in item.name and item.suffix != ".pth" and not (site / item.name).exists():
            (site / item.name).symlink_to(item)


@pytest.mark.thorough("the wheel that is made of the checkout is looked at in every run")
def test_the_source_distribution_makes_the_same_wheel_away_from_the_checkout(
    sources: Path, wheel: Path, tmp_path: Path
) -> None:
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(tmp_path)]
    subprocess.run([*build, "--sdist", str(sources)], check=True, capture_output=True)
    with tarfile.open(next(tmp_path.glob("neonlab-*.tar.gz"))) as archive:
        archive.extractall(tmp_path / "away", filter="data")
    (source,) = (tmp_path / "away").iterdir()
    subprocess.run([*build, "--wheel", str(source)], check=True, capture_output=True)
    made = zipfile.ZipFile(next(tmp_path.glob("neonlab-*.whl")))
    expected = zipfile.ZipFile(wheel)
    assert sorted(made.namelist()) == sorted(expected.namelist())
    assert all(made.read(name) == expected.read(name) for name in expected.namelist() if name.endswith(".py"))
