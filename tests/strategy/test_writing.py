"""Declaring, loading and compiling strategies: what is refused, and how it is said."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from beansim.checking.tables import rules_of, table_of
from beansim.engine import play
from beansim.errors import BeansimError, InputError, StrategyError, nearest
from beansim.strategy import Strategy, choice, hook, load, memory, param
from beansim.strategy.compiled import hook_address
from beansim.strategy.reach import fingerprint, home

HEAD = "from beansim.strategy import Strategy, Table, choice, hook, memory, param\n"


CLASS = 'class Mine(Strategy):\n    """A strategy."""\n\n    margin = param(0.5, 0, 9, "m")\n'


def write(folder: Path, body: str, name: str = "mine.py", head: str = "") -> str:
    path = folder / name
    path.write_text(f"{HEAD}{head}\n\n{CLASS}\n{body}\n")
    return str(path)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("tradr", ["tradr", "trader"]),
        ("trader:margn=1", ["margn", "margin"]),
        ("trader:margin=99", ["margin=99", "-2", "4"]),
        ("trader:margin=x", ["margin=x", "number"]),
        ("trader:margin", ["name=value"]),
        ("collector:rare=1.5", ["rare=1.5", "whole"]),
        ("no/such.py", ["no/such.py", "not exist"]),
    ],
)
def test_a_wrong_spec_names_the_nearest_choice(spec, words):
    with pytest.raises(InputError) as error:
        load(spec)
    for word in words:
        assert word in str(error.value)


def test_a_spec_loads_again_and_says_only_what_differs(tmp_path):
    entrant = load("trader:margin=0.25,growth=0.0")
    assert entrant.label == "trader:margin=0.25"
    assert load(entrant.spec).values == entrant.values
    own = load(write(tmp_path, "    pass") + ":Mine:margin=3")
    assert own.label == "Mine:margin=3.0"
    assert load(own.spec).label == own.label


COMPILE_ERRORS = {
    "typo": ("return self.margni > 0", ["mine.py:", "Mine.plant_second", "margni", "'margin'"]),
    "super": ("return super().plant_second(table, kind)", ["super()", "Parent.method"]),
    "f-string": ("return len(f'{kind:d}') > 1", ["f-string"]),
    "float": ("return 0.7", ["float64", "whole number"]),
    "import": ("import math\n        return math.pi > kind", ["import inside"]),
    "table": ("table.turn = 3\n        return True", ["table.turn", "read-only"]),
    "hand": ("self.hand[0] = 1\n        return True", ["Mine.plant_second", "mine.py:"]),
    "param": ("self.margin = 1.0\n        return True", ["self.margin", "read-only"]),
    "fraction": ("self.give[0] = 0.7\n        return True", ["Mine.plant_second"]),
    "name": ("return undefined_name > 1", ["undefined_name"]),
    "power": ("return self.worth[kind] ** 0.5 > 1.0", ["mine.py:", "power of fractions", "multiply"]),
    "cube": ("return self.worth[kind] ** 3 > 1.0", ["power of fractions"]),
    "power by name": ("return pow(self.worth[kind], 0.5) > 1.0", ["power of fractions"]),
}


@pytest.mark.parametrize("case", COMPILE_ERRORS)
def test_what_cannot_be_compiled_is_said_in_one_line(tmp_path, case):
    body, words = COMPILE_ERRORS[case]
    entrant = load(write(tmp_path, f"    @hook\n    def plant_second(self, table, kind):\n        {body}"))
    with pytest.raises(StrategyError) as error:
        hook_address(entrant.cls, "plant_second")
    assert "\n" not in str(error.value)
    for word in words:
        assert word in str(error.value)


def test_a_power_of_whole_numbers_is_the_same_everywhere(tmp_path):
    """Only fractions differ between machine code and Python."""
    body = "    @hook\n    def plant_second(self, table, kind):\n        return self.hand_count ** 2 > 9"
    entrant = load(write(tmp_path, body))
    arm = table_of(rules_of("base", 3), (entrant, "hermit", "hermit"))
    assert (play(arm, 1, 0, 5).seats == play(arm, 1, 0, 5, interpreted=True).seats).all()


def test_the_nearest_choice_is_found_in_any_case():
    assert nearest("trader", ["Trader", "Miser"]) == ["Trader"]
    assert nearest("BOLD", ["Bold", "bold", "Cold"])[:2] == ["Bold", "bold"]
    assert nearest("zzz", ["Trader"]) == []


def test_a_choice_among_names_is_written_by_its_name(tmp_path):
    text = """
    mood = choice("calm", ("calm", "bold"), "how it plays")

    @hook
    def plant_second(self, table, kind):
        return self.mood == 1
    """
    path = write(tmp_path, text)
    entrant = load(path + ":Mine:mood=bold")
    assert entrant.label == "Mine:mood=bold"
    assert load(entrant.spec).values == {"margin": 0.5, "mood": 1}
    assert load(path).label == "mine"
    games = {}
    for mood in ("calm", "bold"):
        arm = table_of(rules_of("base", 3), (load(f"{path}:Mine:mood={mood}"), "hermit", "hermit"))
        batches = [play(arm, 1, 0, 3, interpreted=how) for how in (False, True)]
        assert (batches[0].seats == batches[1].seats).all()
        games[mood] = batches[0].seats["second_plants"][::3].sum()
    assert games["calm"] == 0 < games["bold"]
    with pytest.raises(InputError, match="did you mean 'bold'"):
        load(path + ":Mine:mood=blod")
    with pytest.raises(StrategyError, match="default"):
        choice("wild", ("calm", "bold"), "how it plays")


def test_a_hook_must_be_a_hook():
    with pytest.raises(StrategyError, match="did you mean 'announce'"):

        @hook
        def anounce(self, table):
            return 0


def test_declarations_are_checked():
    with pytest.raises(BeansimError, match="within its bounds"):
        param(3.0, 0.0, 1.0, "too large")
    with pytest.raises(BeansimError, match="field of the seat"):
        type(Strategy)("Bad", (Strategy,), {"hand": 3, "__module__": "x"})
    with pytest.raises(BeansimError, match="at most 64"):
        type(Strategy)("Bad", (Strategy,), {"a": memory(0, 60), "b": memory(0, 5), "__module__": "x"})


def test_inherited_hooks_compile_once_for_all():
    assert home(load("hermit").cls, "plant_next") is Strategy
    assert home(load("miser").cls, "appraise") is load("trader").cls
    assert home(load("collector").cls, "appraise") is load("collector").cls


HELPER = "\n\ndef rate(x: float) -> float:\n    return x * {factor}\n"
USES = "    @hook\n    def plant_second(self, table, kind):\n        return rate(self.worth[kind]) > LIMIT\n"


def test_an_edit_changes_only_the_hooks_that_reach_it(tmp_path):
    prints = []
    for number, (factor, limit) in enumerate(((1.0, 2), (3.0, 2), (1.0, 4))):
        head = f"LIMIT = {limit}\n" + HELPER.format(factor=factor)
        cls = load(write(tmp_path, USES, f"mine{number}.py", head)).cls
        prints.append((fingerprint(cls, "plant_second"), fingerprint(cls, "bid")))
    assert len({second for second, _ in prints}) == 3
    assert len({bid for _, bid in prints}) == 1


def test_an_edit_elsewhere_in_the_file_keeps_the_machine_code_usable(tmp_path):
    """Kept code must not ask for the module of the text it was compiled from."""
    body = "    @hook\n    def plant_second(self, table, kind):\n        return self.worth[kind] > 0.123\n"
    command = [sys.executable, "-c", TWIN]
    for extra in ("", "# edited\n", "X = 1\n"):
        spec = write(tmp_path, body, head=extra)
        subprocess.run([*command, spec], capture_output=True, check=True)


TWIN = """
import sys
from beansim.engine import Arm, play
from beansim.rules import resolve
from beansim.strategy import load
rules = resolve("base", 3)
for spec in sys.argv[1:]:
    batch = play(Arm("x", rules, (load(spec), load("hermit"), load("hermit")), ((0, 1, 2),)), 1, 0, 30)
    print(int(batch.seats["second_plants"].reshape(-1, 3)[:, 0].sum()))
"""


def test_two_files_with_equal_names_never_share_a_helper(tmp_path):
    """Numba's symbols of equal module and function names clash when loaded from its cache (#10486)."""
    specs = []
    for number, answer in enumerate(("1.0", "-1.0")):
        folder = tmp_path / str(number)
        folder.mkdir()
        head = f"LIMIT = 0\n\n\ndef rate(x: float) -> float:\n    return {answer}\n"
        specs.append(write(folder, USES, "mine.py", head))

    def second_plants(*names: str) -> list[int]:
        command = [sys.executable, "-c", TWIN, *names]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return [int(line) for line in done.stdout.split()]

    apart = second_plants(specs[0]) + second_plants(specs[1])
    assert apart[0] > 0
    assert apart[1] == 0
    assert second_plants(*specs) == apart


def test_it_works_where_the_cache_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("not a folder")
    code = (
        "from beansim.strategy import load; from beansim.strategy.compiled import hook_address;"
        "print(hook_address(load('hermit').cls, 'plant_next') > 0)"
    )
    environment = {**os.environ, "BEANSIM_CACHE": str(tmp_path / "file" / "below")}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "True"


def test_python_strategies_keep_their_own_state(tmp_path):
    from beansim.engine import Arm, play
    from beansim.rules import resolve

    body = (
        "    compiled = False\n\n    def __init__(self):\n        self.log = []\n\n"
        "    @hook\n    def plant_second(self, table, kind):\n        self.log.append(kind)\n"
        "        return len(self.log) % 2 == 0\n"
    )
    entrant = load(write(tmp_path, body))
    batch = play(
        Arm("x", resolve("base", 3), (entrant, load("hermit"), load("trader")), ((0, 1, 2),)), 1, 0, 5
    )
    assert (batch.games["status"] == 0).all()
    assert batch.seats["second_plants"].reshape(-1, 3)[:, 0].sum() > 0
