"""A scheduler that speaks TLS alone is reached with the keys of Dask's configuration, and not without."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import trustme
from tests.command_line import ADD, neonlab, new_repository
from tests.schedulers import scheduler

pytestmark = pytest.mark.thorough("it starts a cluster of processes; nothing else in a run depends on Dask")


@pytest.fixture
def keys(tmp_path: Path) -> dict[str, str]:
    """The variables that tell Dask a certificate for each of its parts, all signed by one authority."""
    authority = trustme.CA()
    issued = authority.issue_cert("127.0.0.1", "localhost")
    whole, signed = tmp_path / "key-and-cert.pem", tmp_path / "authority.pem"
    issued.private_key_and_cert_chain_pem.write_to_path(whole)
    authority.cert_pem.write_to_path(signed)
    found = {"CA_FILE": str(signed)}
    for part in ("SCHEDULER", "WORKER", "CLIENT"):
        found |= {f"{part}__CERT": str(whole), f"{part}__KEY": str(whole)}
    return {f"DASK_DISTRIBUTED__COMM__TLS__{name}": value for name, value in found.items()}


@pytest.fixture
def address(keys: dict[str, str]) -> Iterator[str]:
    with scheduler(tls=keys) as (found, _):
        yield found


def test_the_keys_of_the_configuration_are_used(
    address: str, keys: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert address.startswith("tls://")
    root = new_repository(tmp_path / "repository")
    words = ("check", ADD, "--shape", "33", "--no-cache")
    here = neonlab(*words, cwd=root)
    refused = neonlab(*words, "--cluster", address, cwd=root)
    assert refused.returncode == 2 and refused.stdout == ""
    assert f"--cluster {address}: no scheduler answers there" in refused.stderr and "Traceback" not in refused.stderr
    for name, value in keys.items():
        monkeypatch.setenv(name, value)
    there = neonlab(*words, "--cluster", address, cwd=root)
    assert (there.stdout, there.returncode) == (here.stdout, 0), there.stderr
    plain = neonlab(*words, "--cluster", address.replace("tls://", "tcp://"), cwd=root)
    assert plain.returncode == 2 and "no scheduler answers" in plain.stderr
