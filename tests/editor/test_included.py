"""The panel's tables of included files hold what the profile says of their lines."""

from __future__ import annotations

import re
from pathlib import Path

from neonlab import Profile
from neonlab.editor.included import included_html
from neonlab.lab.repository.library import open_library
from neonlab.lab.run import profile as profiling
from neonlab.lab.run.plan import parse_shape
from neonlab.measure.options import MemoryOptions
from neonlab.report.page.source_listing import listings

ROOT = Path(__file__).parents[2]
CORE = "cortex-a53"


def test_every_executed_line_of_an_included_file_has_its_cycles_and_the_kernels_own_have_none() -> None:
    [kernel] = open_library(ROOT).find("armv8/conv1x1_s8s32_hwc_4x4")
    shape = parse_shape(kernel, "5x5x24x9")
    profile = profiling.profile(kernel, shape, memory=MemoryOptions(CORE, loop=True))
    assert isinstance(profile, Profile) and profile.cycles is not None and profile.loop is not None
    shown = included_html(listings(kernel.path, {CORE: profile}), CORE)
    cycles = {(Path(line.path).name, line.line): line.cycles for line in profile.cycles.lines}
    told = {}
    for name, table in re.findall(r"<summary>cycles in [^/<]*/([^<]+)</summary>(.*?)</details>", shown, re.S):
        for line, count in re.findall(r'number dim">(\d+)</td><td class="number neonlab-heat h\d">([\d,]+)<', table):
            told[name, int(line)] = int(count.replace(",", ""))
    executed = {(Path(line.path).name, line.line) for line in profile.counts.lines if line.executions}
    included = {place for place in executed if place[0] != kernel.path.name}
    assert len(included) > 30 and told == {place: cycles.get(place, 0) for place in included}
    hot = {Path(line.path).name for line in profile.loop.lines}
    opened = set(re.findall(r"open><summary>cycles in [^/<]*/([^<]+)<", shown))
    assert hot - {kernel.path.name} <= opened
