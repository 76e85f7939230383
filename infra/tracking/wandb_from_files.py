"""Shows runs that `seam restem track --files FOLDER` wrote in Weights & Biases, whose client (pip install wandb) has to be there.

    python3 wandb_from_files.py FOLDER --project NAME

WANDB_MODE=offline writes to ./wandb without a server. A run that is told again continues the one of the same id.
"""
import argparse
import collections
import json
import pathlib
import sys


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--project", required=True)
    chosen = parser.parse_args()
    try:
        import wandb
    except ImportError:
        print("Cannot track runs: expected the client of Weights & Biases, got none. Install it: pip install wandb", file=sys.stderr)
        return 2
    folders = sorted(path.parent for path in chosen.folder.glob("*/run.json"))
    if not folders:
        print(f"Cannot track runs: expected folders with run.json in {chosen.folder}, got none. Write them with seam restem track --files", file=sys.stderr)
        return 2
    for folder in folders:
        run = json.loads((folder / "run.json").read_text())
        steps = collections.defaultdict(dict)
        for line in (folder / "metrics.jsonl").read_text().splitlines():
            point = json.loads(line)
            steps[point["step"]][point["metric"]] = point["value"]
        with wandb.init(project=chosen.project, id=run["id"], name=run["name"], config=run["parameters"], resume="allow") as shown:
            begun = shown.step
            for step in sorted(steps):
                if step >= begun:
                    shown.log(steps[step], step=step)
        print(json.dumps({"id": run["id"], "steps": len(steps)}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
