"""What a user may write: type checkers hold it, and a test runs it, on what is installed too.

python users_script.py MODEL FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path

import reefpoint


def stages_of(model: reefpoint.Model) -> set[str]:
    stages: set[str] = set()

    def watch(stage: str, done: int, total: int) -> None:
        assert 0 <= done <= max(total, done)
        stages.add(stage)

    reefpoint.schedule(model, progress=watch)
    return stages


def main(path: Path, folder: Path) -> None:
    model: reefpoint.Model = reefpoint.load(path)
    target: reefpoint.Target = reefpoint.target("ethos-u55-128", limit="16K")
    schedule: reefpoint.Schedule = reefpoint.schedule(model, target, progress=False)
    assert schedule.fits and schedule.fast_storage_bytes <= target.limit_bytes == 16 << 10
    slowest: reefpoint.Operator = max(schedule.operators, key=lambda op: op.cycles)
    share: float = slowest.cycles / schedule.cycles
    print(f"{model.name}: {schedule.cycles:,.0f} cycles, {share:.0%} of them in {slowest.name}")

    front: reefpoint.Front = reefpoint.front(model, target, effort=1, progress=False)
    smallest: reefpoint.Point = front.points[0]
    tight: reefpoint.Schedule = front.within(smallest.fast_storage_bytes, progress=False)
    assert tight.fast_storage_bytes <= smallest.fast_storage_bytes

    comparison: reefpoint.Comparison = reefpoint.compare(schedule, tight)
    change: float | None = comparison.cycles_change
    assert change is not None
    print(
        comparison.headline, [cause.differences for cause in comparison.pairs if cause.differences]
    )

    cells = reefpoint.sweep(model, [target, "ethos-u55-256"], limits="8K,16K", progress=False)
    print(sum(cell.fits for cell in cells), "of", len(cells), "fit")

    compiled: reefpoint.Compiled = reefpoint.compile(schedule, verify=True, progress=False)
    compiled.write(folder / "compiled.tflite")
    schedule.write_json(folder / "schedule.json")
    schedule.write_html(folder / "schedule.html")
    assert compiled.is_proved and stages_of(model)
    try:
        reefpoint.target("ethos-u55-12")
    except reefpoint.OptionError as error:
        print(error)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
