"""The figures of the manual are those of the results file that it names."""

from __future__ import annotations

import json
import re

from .conftest import ROOT


def test_the_table_is_that_of_the_results() -> None:
    page = (ROOT / "docs" / "performance.md").read_text("utf-8")
    [named] = set(re.findall(r"bench/results/(?!latest)[a-z]+\.json", page))
    found = json.loads((ROOT / named).read_text("utf-8"))
    rows = {}
    for work, fiel, beside, ratio, must in re.findall(
        r"^\| (.+?) \| (\S+, \d+) \| (\S+, \d+) \| (.*?)\| (.*?)\|$", page, re.M
    ):
        rows[work] = (fiel, beside, ratio.strip(), must.strip())
    assert rows == {
        one["work"]: (
            f"{one['fiel']['cpu']:.2f}, {one['fiel']['peak_mb']:.0f}",
            f"{one['beside']['cpu']:.2f}, {one['beside']['peak_mb']:.0f}",
            f"{one['ratio']:.2f}" if one["must"] else "",
            one["must"],
        )
        for one in found["rows"]
    }
    assert str(found["command"]) in page
