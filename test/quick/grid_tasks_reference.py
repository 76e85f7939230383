"""A second implementation of what libs/grid-tasks computes, written from docs/explanation/algorithms/arc-augmentations.md alone: rules of
generated tasks, augmentations with inverses, voting, scoring. Plain Python, lists of rows.

    python3 grid_tasks_reference.py < questions.json > answers.json
"""

import hashlib
import json
import sys
from collections import Counter


def text_of(grid):
    return "\n".join("".join(map(str, row)) for row in grid)


def transpose(grid):
    return [list(column) for column in zip(*grid)]


def flip_vertical(grid):
    return grid[::-1]


def flip_horizontal(grid):
    return [row[::-1] for row in grid]


def rotate_90(grid):
    return [list(column) for column in zip(*grid[::-1])]


def rotate_180(grid):
    return [row[::-1] for row in grid[::-1]]


def rotate_270(grid):
    return [list(column) for column in zip(*grid)][::-1]


SYMMETRIES = {
    "identity": (lambda grid: grid, lambda grid: grid),
    "transpose": (transpose, transpose),
    "flip-vertical": (flip_vertical, flip_vertical),
    "flip-horizontal": (flip_horizontal, flip_horizontal),
    "rotate-90": (rotate_90, rotate_270),
    "rotate-180": (rotate_180, rotate_180),
    "rotate-270": (rotate_270, rotate_90),
}


def rolled(items, distance):
    distance %= len(items)
    return items[len(items) - distance :] + items[: len(items) - distance]


def shift(down, right):
    def by(rows, columns):
        return lambda grid: rolled([rolled(row, columns) for row in grid], rows)

    return by(down, right), by(-down, -right)


def recolour(colours):
    back = [colours.index(colour) for colour in range(10)]
    return (
        lambda grid: [[colours[cell] for cell in row] for row in grid],
        lambda grid: [[back[cell] for cell in row] for row in grid],
    )


def double_rows(grid):
    return [row for row in grid for _ in range(2)]


def double_columns(grid):
    return [[cell for cell in row for _ in range(2)] for row in grid]


def left_half(grid):
    return [row[: len(row) // 2] for row in grid]


def upper_half(grid):
    return grid[: len(grid) // 2]


def right_half(grid):
    return [row[len(row) // 2 :] for row in grid]


def lower_half(grid):
    return grid[len(grid) // 2 :]


def every_second(grid):
    return [row[::2] for row in grid[::2]]


def double(grid):
    return double_rows(double_columns(grid))


# For every enlargement the result, and what takes the grid out of a result again.
ENLARGEMENTS = {
    "mirror-above": (lambda grid: grid[::-1] + grid, lower_half),
    "mirror-below": (lambda grid: grid + grid[::-1], upper_half),
    "mirror-left": (lambda grid: [row[::-1] + row for row in grid], right_half),
    "mirror-right": (lambda grid: [row + row[::-1] for row in grid], left_half),
    "double-resolution": (double, every_second),
    "double-height": (double_rows, lambda grid: grid[::2]),
    "double-width": (double_columns, lambda grid: [row[::2] for row in grid]),
    "repeat-down": (lambda grid: grid + grid, upper_half),
    "repeat-right": (lambda grid: [row + row for row in grid], left_half),
    "repeat-both": (lambda grid: [row + row for row in grid + grid], lambda grid: upper_half(left_half(grid))),
}


def chain(turn):
    apply, inverse = SYMMETRIES[turn]
    return lambda grid: double(apply(grid)), lambda grid: inverse(every_second(grid))


def augmentation(name):
    if name in SYMMETRIES:
        return SYMMETRIES[name]
    if name in ENLARGEMENTS:
        return ENLARGEMENTS[name]
    if name.endswith("-then-double-resolution"):
        return chain(name[: -len("-then-double-resolution")])
    kind, *arguments = name.split("-")
    return shift(*map(int, arguments)) if kind == "shift" else recolour(list(map(int, arguments[0])))


def augmented(name, grids):
    """A digest of all results, how many are too large, and of how many others the inverse is the grid."""
    apply, inverse = augmentation(name)
    texts, taken_back = [], 0
    for grid in grids:
        result = apply(grid)
        if max(len(result), len(result[0])) <= 30:
            texts.append(text_of(result))
            taken_back += inverse(result) == grid
    digest = hashlib.sha256("\n\n".join(texts).encode()).hexdigest()
    return {"digest": digest, "tooLarge": len(grids) - len(texts), "takenBack": taken_back}


def answered(text):
    """The grid of an answer, up to its first empty line; None for another text."""
    rows = []
    for line in text.split("\n\n")[0].split("\n"):
        cells = line.replace(" ", "")
        if not cells.isdigit():
            return None
        rows.append([int(cell) for cell in cells])
    return rows if len({len(row) for row in rows}) == 1 and max(len(rows), len(rows[0])) <= 30 else None


def vote(answers):
    """Up to two grids: by votes, then by votes of the unturned view, then by the first vote."""
    grids = []
    for place, (view, text) in enumerate(answers):
        grid = answered(text)
        if grid is not None:
            grids.append((text_of(SYMMETRIES[view][1](grid)), view, place))
    votes = Counter(grid for grid, _, _ in grids)
    unturned = Counter(grid for grid, view, _ in grids if view == "identity")
    first = {}
    for grid, _, place in grids:
        first.setdefault(grid, place)
    return sorted(votes, key=lambda grid: (-votes[grid], -unturned[grid], first[grid]))[:2]


def share(attempt, truth):
    a, b = ({(i, j): cell for i, row in enumerate(grid) for j, cell in enumerate(row)} for grid in (attempt, truth))
    return len(a.items() & b.items()) / len(a.keys() | b.keys())


def scored(attempts, truths):
    right = [text_of(truth) in tried for tried, truth in zip(attempts, truths)]
    shares = [
        max((share([list(map(int, row)) for row in text.split("\n")], truth) for text in tried), default=0)
        for tried, truth in zip(attempts, truths)
    ]
    return {"isSolved": all(right), "right": right, "shares": shares, "cellAccuracy": sum(shares) / len(shares)}


def enclosed(grid, colour):
    """Background from which the edge cannot be reached, found by letting the outside grow until it stays."""
    height, width = len(grid), len(grid[0])
    outside = {
        (i, j)
        for i in range(height)
        for j in range(width)
        if grid[i][j] == 0 and (i in (0, height - 1) or j in (0, width - 1))
    }
    while True:
        near = {(i + a, j + b) for i, j in outside for a, b in ((0, 1), (1, 0), (0, -1), (-1, 0))}
        grown = outside | {(i, j) for i, j in near if 0 <= i < height and 0 <= j < width and grid[i][j] == 0}
        if grown == outside:
            break
        outside = grown
    return [
        [colour if cell == 0 and (i, j) not in outside else cell for j, cell in enumerate(row)]
        for i, row in enumerate(grid)
    ]


def fallen(grid):
    return transpose([sorted(column, key=bool) for column in transpose(grid)])


def crop(grid):
    filled = [(i, j) for i, row in enumerate(grid) for j, cell in enumerate(row) if cell]
    rows, columns = [i for i, _ in filled], [j for _, j in filled]
    return [row[min(columns) : max(columns) + 1] for row in grid[min(rows) : max(rows) + 1]]


def frame(grid, colour):
    inner = [[colour, *row[1:-1], colour] for row in grid[1:-1]]
    return [[colour] * len(grid[0]), *inner, [colour] * len(grid[0])]


def swap(grid, a, b):
    return [[{a: b, b: a}.get(cell, cell) for cell in row] for row in grid]


def count(grid, colour):
    return [[colour] * sum(row.count(colour) for row in grid)]


def rays(grid):
    return [[next((cell for cell in row if cell), 0)] * len(row) for row in grid]


def most_common(grid):
    cells = [cell for row in grid for cell in row if cell]
    return [[min(set(cells), key=lambda colour: (-cells.count(colour), colour))]]


RULES = {
    "recolour": lambda grid, p: [[p["to"] if cell == p["from"] else cell for cell in row] for row in grid],
    "swap-colours": lambda grid, p: swap(grid, p["from"], p["to"]),
    "flip": lambda grid, p: flip_horizontal(grid),
    "rotate": lambda grid, p: rotate_90(grid),
    "transpose": lambda grid, p: transpose(grid),
    "shift": lambda grid, p: shift(p["down"], p["right"])[0](grid),
    "gravity": lambda grid, p: fallen(grid),
    "frame": lambda grid, p: frame(grid, p["colour"]),
    "fill": lambda grid, p: enclosed(grid, p["colour"]),
    "crop": lambda grid, p: crop(grid),
    "mirror": lambda grid, p: [row + row[::-1] for row in grid],
    "stretch": lambda grid, p: [
        [cell for cell in row for _ in range(p["factor"])] for row in grid for _ in range(p["factor"])
    ],
    "tile": lambda grid, p: [row + row for row in grid + grid],
    "count": lambda grid, p: count(grid, p["colour"]),
    "rays": lambda grid, p: rays(grid),
    "most-common": lambda grid, p: most_common(grid),
}


def answer(question):
    grids = [grid for pair in question["pairs"] for grid in pair]
    attempts = [vote(answers) for answers in question["votes"]]
    rule = question["rule"]
    return {
        "augmented": {name: augmented(name, grids) for name in question["augmentations"]},
        "attempts": attempts,
        "score": scored(attempts, question["truths"]),
        "outputs": rule and [text_of(RULES[rule["family"]](grid, rule["parameters"])) for grid, _ in question["pairs"]],
    }


json.dump([answer(question) for question in json.load(sys.stdin)], sys.stdout)
