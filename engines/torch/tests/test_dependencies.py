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
