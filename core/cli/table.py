"""The table of sub-commands."""

from __future__ import annotations

from core.cli.sub_command import SubCommand

_TARGET = "--accelerator-config ethos-u55-128"

COMPARE = SubCommand(
    name="compare",
    text="say what differs between two schedules, whoever made them, and what most of it comes"
    " from; exits with 1 where they differ",
    module="core.cli.compare",
    most_used=("--fail-if", "--json", "--html", "--md", "--github"),
    examples=("before.tflite after.tflite", "base.json net.tflite --fail-if 'cycles>+1%'"),
)
COMMANDS = (
    SubCommand(
        name="inspect",
        text="print tensors, operators, their placement with reasons, and the NPU operators; of a"
        " compiled model, what its command streams do",
        module="core.cli.inspect",
        most_used=("--json", "--where"),
        examples=("net.tflite --where 'kind=depthwise share>1%'", "compiled.tflite --json -"),
    ),
    SubCommand(
        name="schedule",
        text="print how the network runs: blocks, stripes, cascades, weight buffers, memory, and"
        " what that costs; of a compiled model, what its command streams show of that",
        module="core.cli.schedule",
        most_used=("--json", "--verbose", "--strict", "--edits", "--md"),
        examples=(
            f"net.tflite {_TARGET}",
            "net.tflite --arena-cache-size 256K --effort 20 --json net.json",
            "net.tflite --edits mine.json --around net.json",
        ),
    ),
    SubCommand(
        name="compile",
        text="write the model that runs on the NPU, and reports of it if asked for",
        module="core.cli.compile",
        most_used=("--verify", "--strict", "--edits", "--schedule-json"),
        examples=(
            f"net.tflite -o net_npu.tflite {_TARGET}",
            "net.tflite -o net_npu.tflite --verify --strict",
        ),
    ),
    SubCommand(
        name="sweep",
        text="schedule models for many limits, strategies and targets at once: options that name"
        " one of several take lists with commas",
        module="core.cli.sweep",
        most_used=("--sram", "--sram-of", "--html", "--csv", "--jobs", "--md"),
        examples=(
            "net.tflite --sram 64K:1M:32K -o net.sqlite",
            "*.tflite --accelerator-config ethos-u55-128,ethos-u65-256 -o all.sqlite",
        ),
    ),
    SubCommand(
        name="verify",
        text="run a compiled model bit by bit, and compare every output with what LiteRT's"
        " reference kernels make of its original",
        module="core.cli.verify",
        takes_target=False,
        most_used=("--against", "--inputs", "--seed", "--data", "--json", "--md"),
        examples=(
            "net_npu.tflite --against net.tflite",
            "net_npu.tflite --against net.tflite --data pictures.npz",
        ),
    ),
    COMPARE,
    SubCommand(
        name="check",
        text="hold models against budgets, and against what they were; exits with 1 where a limit"
        " is not met",
        module="core.cli.check",
        takes_target=False,
        most_used=("--base", "--update", "--md", "--junit", "--github"),
        examples=("budgets.toml --base origin/main", "budgets.toml --update"),
    ),
    SubCommand(
        name="advise",
        text="say what would help: other searches, limits, memory modes and edits, each of them"
        " tried",
        module="core.cli.advise",
        most_used=("--quick", "--json", "--md"),
        examples=(f"net.tflite {_TARGET}", "net.tflite --quick --json -"),
    ),
    SubCommand(
        name="calibrate",
        text="find the memories of a board by what was measured on it, and write them as a system"
        " config; exits with 1 where no board fits the measurements",
        module="core.cli.calibrate",
        most_used=("--json",),
        examples=("-o board.ini net.tflite=uart.log", "-o board.ini net.tflite=3.67ms@400MHz"),
    ),
    SubCommand(
        name="boards",
        text="say on which boards models fit and how long they take there; without a model, what"
        " is known of boards and who tells it",
        module="core.cli.boards",
        takes_target=False,
        most_used=("--on", "--md", "--junit"),
        examples=("", "net.tflite", "net.tflite --on alif-e7-hp,ek-ra8p1 --md fits.md"),
    ),
    SubCommand(
        name="completion",
        text="print what completes command lines in a shell: bash, zsh or fish",
        module="core.cli.completion",
        takes_target=False,
        examples=(
            "bash > ~/.local/share/bash-completion/completions/reefpoint",
            "zsh > ~/.zfunc/_reefpoint",
            "fish > ~/.config/fish/completions/reefpoint.fish",
        ),
    ),
)
