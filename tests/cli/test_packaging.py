"""What a wheel carries, and that it runs without the repository."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import beansim as package
from beansim.bundled import BUNDLED_KINDS, bundled_folder

ROOT = Path(package.__file__).parent.parent


def test_folders_that_come_with_beansim_are_found() -> None:
    for kind in BUNDLED_KINDS:
        assert bundled_folder(kind).is_dir()
    with pytest.raises(ValueError, match="'reports'"):
        bundled_folder("reports")


@pytest.mark.slow
def test_a_wheel_runs_without_the_repository(tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "installed"
    for name in ("beansim", "strategies", "experiments"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    pip = [sys.executable, "-m", "pip", "-q"]
    subprocess.run([*pip, "wheel", "--no-deps", "-w", tmp_path, source], check=True)
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        wheel.extractall(target)
    code = f"import sys; sys.path.insert(0, {str(target)!r}); from beansim.cli.main import main; main()"
    words = [
        "run",
        "two-pass",
        "--deals",
        "5",
        "--players",
        "hermit,hermit,hermit",
        "--out",
        str(tmp_path / "out"),
    ]
    subprocess.run([sys.executable, "-P", "-c", code, *words], check=True, cwd=tmp_path)
    assert (tmp_path / "out" / "index.html").exists()
