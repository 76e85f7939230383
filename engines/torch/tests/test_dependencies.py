"""One version of each package: in pyproject.toml, in the lock file, and of what the tests run on."""

import re
import tomllib
from importlib.metadata import version
from pathlib import Path

FOLDER = Path(__file__).parents[1]


def test_what_is_asked_for_is_locked_and_is_what_was_tested() -> None:
    """Exactly."""
    project = tomllib.loads((FOLDER / "pyproject.toml").read_text())["project"]
    asked = dict(dependency.split("==") for dependency in project["dependencies"])
    locked = dict(
        re.findall(r"^(\S+)==(\S+) --hash=sha256:[0-9a-f]{64}$", (FOLDER / "requirements.lock").read_text(), re.M)
    )
    assert asked == {name: locked[name] for name in asked}
    assert asked == {name: version(name) for name in asked} | {"torch": version("torch").split("+")[0]}


def test_one_pytorch_serves_the_engine_its_tests_vllm_and_trl() -> None:
    """Gigabytes are fetched once."""
    locks = [FOLDER / "requirements.lock", *sorted((FOLDER / "../../infra/dev/requirements").glob("*.lock"))]
    lines = [re.findall(r"^torch==\S+ --hash=\S+$", lock.read_text(), re.M) for lock in locks]
    found = [line for each in lines for line in each]
    # `ray.lock` alone needs no PyTorch.
    assert len(found) == len(locks) - 1
    assert len(set(found)) == 1
