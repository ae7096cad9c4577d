"""Say in which folder results are kept."""

from __future__ import annotations

import os
from pathlib import Path

#: The environment variable that names the folder, or is `off` where nothing is to be kept.
VARIABLE = "NEONLAB_CACHE"
_OFF = "off"


def results_folder() -> Path | None:
    """Return the folder of NEONLAB_CACHE, or else of the user's caches; None where nothing is to be kept.

    The default is neonlab/results in XDG_CACHE_HOME, or in .cache of the home folder.
    """
    said = os.environ.get(VARIABLE, "")
    if said:
        return None if said == _OFF else Path(said)
    base = os.environ.get("XDG_CACHE_HOME")
    try:
        return Path(base) / "neonlab" / "results" if base else Path.home() / ".cache" / "neonlab" / "results"
    except RuntimeError:
        return None
