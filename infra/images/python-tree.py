"""Completes the folder that the image of the engine on PyTorch holds: python3 infra/images/python-tree.py FOLDER.

pip has put the locked packages there. Added are the engine's own modules, the bill of materials (CycloneDX 1.5) and SHA-256 of every
file. Rights are the same for every file, so that the image's digest does not depend on a umask.
"""

import hashlib
import json
import re
import shutil
import sys
from pathlib import Path

ENGINE = Path(__file__).parents[2] / "engines/torch"
LOCKED = re.compile(r"^(\S+)==(\S+) --hash=sha256:([0-9a-f]{64})$", re.M)


def bill() -> dict[str, object]:
    """Who is in the image, in which version and with which digest of the lock file."""
    version = re.search(r'"(.+)"', (ENGINE / "src/seamstream_torch/__init__.py").read_text().split("__version__")[1])
    assert version is not None
    components = [
        {
            "type": "library",
            "bom-ref": f"{name}@{number}",
            "name": name,
            "version": number,
            "purl": f"pkg:pypi/{name}@{number}",
            "hashes": [{"alg": "SHA-256", "content": digest}],
        }
        for name, number, digest in LOCKED.findall((ENGINE / "requirements.lock").read_text())
    ]
    own = {"type": "application", "name": "seamstream-torch", "version": version[1], "bom-ref": "seamstream-torch"}
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": own},
        "components": components,
    }


def digest_of(path: Path) -> str:
    """SHA-256 in hex, read in pieces: libraries have gigabytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def main(folder: Path) -> None:
    """Adds what pip does not bring."""
    shutil.copytree(ENGINE / "src/seamstream_torch", folder / "seamstream_torch")
    (folder / "sbom.json").write_text(f"{json.dumps(bill(), indent=2)}\n")
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    sums = [f"{digest_of(path)}  {path.relative_to(folder)}\n" for path in files]
    (folder / "SHA256SUMS").write_text("".join(sums))
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)


main(Path(sys.argv[1]))
