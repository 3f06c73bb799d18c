"""Whatever goes wrong while a run is at work, it goes on to the very files of an undisturbed one."""

from __future__ import annotations

import os
import random
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from beansim.simulate.folder import RunFolder

psutil = pytest.importorskip("psutil")
pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals and mounts")

SLOW = '''
from beansim.strategy import Strategy


class Slow(Strategy):
    """Ordinary Python, which takes its time: so there is some in which things go wrong."""

    compiled = False

    def plant_second(self, table, kind):
        return table.turn % 3 == 0
'''

FAULTS = int(os.environ.get("BEANSIM_FAULTS", "24"))
"""Things that go wrong; the seed of which ones and when is BEANSIM_CHAOS."""

TMPFS = 48_000_000
"""Bytes of the disk that fills up."""


def differences(left: dict[str, bytes], right: dict[str, bytes]) -> list[str]:
    return [name for name in sorted({*left, *right}) if left.get(name) != right.get(name)]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A folder on a disk of its own, so small that it can be filled."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={TMPFS}", "tmpfs", str(disk)]
    done = subprocess.run(mount, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"the disk cannot be filled, since no tmpfs can be mounted: {done.stderr.strip()}")
    try:
        yield disk
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_kills_small_files_and_damage_leave_no_trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from chaos import Chaos, contents

    monkeypatch.chdir(tmp_path)
    words = ["two-pass", "--players", "hermit,hermit,hermit", "--deals", "60000"]
    whole = Chaos(tmp_path / "whole", words, 40_000, random.Random(1))
    assert whole.finish()[0] == 0
    cut = Chaos(tmp_path / "cut", words, 40_000, random.Random(2))
    cut.kill_parent()
    cut.small_files()
    cut.damage()
    code, said = cut.finish()
    assert code == 0, said
    assert differences(contents(tmp_path / "whole"), contents(tmp_path / "cut")) == []


@pytest.mark.slow
def test_chaos(small_disk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At least 20 things go wrong: workers and parent killed, disk full, chunks damaged."""
    from chaos import Chaos, contents

    (tmp_path / "strategies").mkdir()
    (tmp_path / "strategies" / "slow.py").write_text(SLOW)
    monkeypatch.chdir(tmp_path)
    words = ["two-pass", "--players", "slow,slow,trader", "--deals", "240"]
    whole = Chaos(tmp_path / "whole", words, 72, random.Random(1))
    code, said = whole.finish()
    assert code == 0, said
    wanted = contents(tmp_path / "whole")
    cut = Chaos(small_disk / "cut", words, 72, random.Random(int(os.environ.get("BEANSIM_CHAOS", "7"))))
    faults = (cut.kill_parent, cut.kill_worker, cut.fill_disk, cut.damage)
    done: list[str] = []
    for number in range(FAULTS):
        fault = faults[number] if number < len(faults) else cut.luck.choice(faults)
        fault()
        done.append(f"{fault.__name__} {len(cut.chunks())}")
        if _is_complete(cut.out):
            for _ in range(6):
                cut.damage()
    code, said = cut.finish()
    assert code == 0, (done, said)
    assert differences(wanted, contents(cut.out)) == [], done
    print("\n".join(done))


def _is_complete(out: Path) -> bool:
    path = out / "run.json"
    return path.exists() and bool(RunFolder(out).read_json("run.json").get("complete"))
