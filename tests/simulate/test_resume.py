"""Runs that go on: after a kill, beside another process, and when something has changed since."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from beansim.analysis.stopping import judge_of
from beansim.errors import InputError
from beansim.experiment import ArmPlan, Changes, Experiment, strategy_folders
from beansim.simulate import chunks, folder
from beansim.simulate.folder import RunFolder
from beansim.simulate.run import Options, resume, run
from beansim.stop import Stop

pytestmark = pytest.mark.usefixtures("workspace", "faked", "small_chunks")

NO_RESULTS = ("timing.json", ".lock")


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "CHUNK_GAMES", 160)
    monkeypatch.setattr(chunks, "FIRST_STOP_GAMES", 160)


def plan(stop: Stop | None = None, **settings: object) -> Experiment:
    """One arm of four games a deal; 160 deals in four chunks."""
    arm = ArmPlan(variant="base", players=("alpha", "beta", "alpha:margin=1", "beta:margin=2"))
    whole = Experiment(name="asked", arms=(arm,), deals=160, folders=strategy_folders(), stop=stop)
    return whole.changed(Changes(**settings))


def digests(place: Path) -> dict[str, str]:
    paths = [path for path in place.rglob("*") if path.is_file() and path.name not in NO_RESULTS]
    return {str(path.relative_to(place)): sha256(path.read_bytes()).hexdigest() for path in paths}


def state(place: str) -> dict:
    return json.loads(Path(place, "run.json").read_text())


class Killed(BaseException):
    """Stands for a kill: nothing is tidied up after it."""


def kill_at_write(monkeypatch: pytest.MonkeyPatch, number: int, after: str) -> None:
    """Die while file `number` is written: before it, when it lies aside half written, or when renamed."""
    write, count = folder.write_aside, 0

    def dying(path: Path, content: bytes) -> None:
        nonlocal count
        if count > number:
            raise Killed  # A dead process writes nothing more.
        count += 1
        if count <= number:
            write(path, content)
            return
        if after == "half":
            path.with_name(f".{path.name}.part").write_bytes(content[: len(content) // 2])
        elif after == "renamed":
            write(path, content)
        raise Killed

    monkeypatch.setattr(folder, "write_aside", dying)


@pytest.mark.parametrize("stop", [None, Stop(half_width=0.001)], ids=["all deals", "stop"])
def test_a_kill_at_any_write_leaves_a_folder_that_goes_on_to_the_same_files(
    monkeypatch: pytest.MonkeyPatch, stop: Stop | None
) -> None:
    options = Options(judge=judge_of, command="beansim run asked")
    run(plan(stop, deals=80), Path("whole"), options)
    wanted = digests(Path("whole"))
    ways = itertools.cycle(["nothing", "half", "renamed", "half"])
    for number, after in zip(range(13), ways, strict=False):
        out = Path(f"cut-{number}")
        with monkeypatch.context() as patch:
            kill_at_write(patch, number, after)
            with pytest.raises(Killed):
                run(plan(stop, deals=80), out, options)
        if not (out / "experiment.json").exists():
            assert number == 0
            run(plan(stop, deals=80), out, options)
        else:
            resume(out, options)
        assert digests(out) == wanted, number


def test_a_replace_that_was_killed_does_not_mix_the_old_chunks_with_the_new() -> None:
    run(plan(seed=7), Path("out"))
    Path("out/experiment.json").unlink()
    Path("out/chunks/tally-00099.json").write_text("old")
    run(plan(), Path("out"))
    run(plan(), Path("fresh"))
    assert digests(Path("out")) == digests(Path("fresh"))


def test_a_chunk_of_another_experiment_is_played_again() -> None:
    run(plan(), Path("out"))
    before = digests(Path("out"))
    run(plan(seed=7), Path("other"))
    for name in ("tally-00001.json", "games-00001.parquet", "seats-00001.parquet"):
        Path("out/chunks", name).write_bytes(Path("other/chunks", name).read_bytes())
    assert resume(Path("out")).seconds > 0
    assert digests(Path("out")) == before


def test_all_chunks_gone_are_played_again_too() -> None:
    run(plan(), Path("out"))
    before = digests(Path("out"))
    shutil.rmtree("out/chunks")
    assert resume(Path("out")).seconds > 0
    assert digests(Path("out")) == before


def test_the_lock_dies_with_its_process() -> None:
    code = (
        "import os, sys; from pathlib import Path; from beansim.simulate.folder import RunFolder\n"
        "with RunFolder(Path('out')).locked():\n"
        "    print('locked', flush=True); sys.stdin.readline(); os.kill(os.getpid(), 9)\n"
    )
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", code], text=True, **pipes) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "locked\n"
        for way in (run, lambda what, out, options=None: resume(out, options)):
            with pytest.raises(InputError, match="out"):
                way(plan(), Path("out"))
        process.communicate("die\n")
    assert Path("out/.lock").exists()
    assert run(plan(), Path("out")).complete


def test_replace_waits_for_nobody_and_deletes_nothing_of_a_run_at_work() -> None:
    run(plan(), Path("out"))
    before = digests(Path("out"))
    with RunFolder(Path("out")).locked(), pytest.raises(InputError, match="another process"):
        run(plan(seed=2), Path("out"), Options(replace=True))
    assert digests(Path("out")) == before


def cut() -> None:
    """A run that was interrupted after its first chunk."""

    def interrupt(done: int, total: int) -> None:
        if done > 160:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(plan(), Path("cut"), Options(progress=interrupt, batch_deals=40))


def test_changed_source_mixes_only_when_told_and_is_on_record() -> None:
    cut()
    path = Path("strategies/beta.py")
    path.write_text(path.read_text() + "\n# edited\n")
    with pytest.raises(InputError, match=r"source of 'beta' has changed.*--despite-changes"):
        resume(Path("cut"))
    assert resume(Path("cut"), Options(despite_changes=True)).complete
    assert state("cut")["mixed"] == [
        "after 80 deals: the source of 'beta' has changed since; "
        "the source of 'beta:margin=2.0' has changed since"
    ]
    assert resume(Path("cut")).complete  # Told once is enough.
    assert len(state("cut")["mixed"]) == 1


def test_other_versions_of_what_results_depend_on_mix_only_when_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cut()
    found = state("cut")["versions"]
    monkeypatch.setattr("beansim.simulate.run.versions", lambda: {**found, "numba": "9.9", "python": "4.0"})
    with pytest.raises(InputError, match=r"begun with python 3\..*this is 4\.0; begun with numba .*9\.9"):
        resume(Path("cut"))
    assert resume(Path("cut"), Options(despite_changes=True)).complete
    assert "numba" in state("cut")["mixed"][0]


def test_a_damaged_run_json_says_what_can_be_done() -> None:
    cut()
    Path("cut/run.json").write_bytes(b"\x00" * 40)
    with pytest.raises(InputError, match=r"run\.json is damaged.*delete it to go on"):
        resume(Path("cut"))
    Path("cut/run.json").unlink()
    assert resume(Path("cut")).complete


def test_a_damaged_chunk_of_a_run_that_time_has_stopped_does_not_make_it_longer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    options = Options(judge=judge_of, command="x")
    run(plan(Stop(max_time=1e-9)), Path("out"), options)
    before = digests(Path("out"))
    Path("out/chunks/seats-00000.parquet").unlink()
    with monkeypatch.context() as patch:
        kill_at_write(patch, 3, "nothing")
        with pytest.raises(Killed):
            resume(Path("out"), options)
    resume(Path("out"), options)
    assert digests(Path("out")) == before


def test_the_clock_of_stop_counts_the_calls_before() -> None:
    cut()
    Path("cut/timing.json").write_text('{"seconds": 100.0}')
    resume(Path("cut"))
    assert json.loads(Path("cut/timing.json").read_text())["seconds"] > 100


def test_a_full_disk_keeps_what_is_complete(monkeypatch: pytest.MonkeyPatch) -> None:
    run(plan(), Path("whole"), Options(command="x"))
    count, sync = 0, os.fsync

    def filling(handle: int) -> None:
        nonlocal count
        count += 1
        if count > 17:
            raise OSError(28, "No space left on device")
        sync(handle)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", filling)
        with pytest.raises(OSError, match="No space"):
            run(plan(), Path("cut"), Options(command="x"))
    assert resume(Path("cut")).complete
    assert digests(Path("cut")) == digests(Path("whole"))
