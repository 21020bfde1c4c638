"""Everything that a user can ask of the compiler: one row for each knob, in one order for all.

The command line, Controls, menus, the palette and reports are made of this table, and sessions keep
the settings that it addresses; so a knob is a field of the settings, its row here, and its use.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from core.base.frozen import replace
from core.ir.knob import Files, Knob, Listed, Name, Number, OneOf, Size, Stage, Switch
from core.ir.options import (
    ALIGNMENTS,
    ORDERS,
    Allocator,
    Container,
    Engine,
    EvictionPolicy,
    Options,
    ParetoMetric,
    Search,
    Strategy,
)
from core.ir.settings import Settings
from core.target.registry import ACCELERATORS

KNOBS = (
    Knob(
        path="accelerator",
        option="--accelerator-config",
        help="the NPU",
        title="accelerator",
        takes=Name(lambda _: ACCELERATORS),
        redoes=Stage.LOWERING,
    ),
    Knob(
        path="configs",
        option="--config",
        metavar="F",
        help="an .ini file with more system configs and memory modes; may be repeated",
        title="config files",
        takes=Files(),
        redoes=Stage.PREPARATION,
    ),
    Knob(
        path="system_config",
        option="--system-config",
        help="clocks and memories",
        title="system config",
        takes=Name(lambda catalogue: catalogue.system_configs),
        redoes=Stage.PREPARATION,
    ),
    Knob(
        path="memory_mode",
        option="--memory-mode",
        help="which memory has what",
        title="memory mode",
        takes=Name(lambda catalogue: catalogue.memory_modes),
        redoes=Stage.PREPARATION,
    ),
    Knob(
        path="limit_bytes",
        option="--arena-cache-size",
        metavar="BYTES",
        help="SRAM that the NPU may use, such as 393216, 384K or 0x60000",
        title="SRAM limit",
        takes=Size(absent="default"),
        redoes=Stage.SCHEDULE,
    ),
    Knob(
        path="options.strategy",
        option="--optimise",
        metavar="STRATEGY",
        title="strategy",
        takes=OneOf(Strategy),
        redoes=Stage.SCHEDULE,
    ),
    Knob(
        path="options.allocator",
        option="--tensor-allocator",
        title="tensor allocator",
        takes=OneOf(Allocator),
        redoes=Stage.ALLOCATION,
    ),
    Knob(
        path="options.hill_climb_orders",
        option="--hillclimb-max-iterations",
        metavar="N",
        help="orders that HillClimb may try",
        title="orders for HillClimb",
        takes=Number(bounds=ORDERS, offers=(1_000, 10_000, 99_999)),
        redoes=Stage.ALLOCATION,
    ),
    Knob(
        path="options.cpu_alignment",
        option="--cpu-tensor-alignment",
        metavar="BYTES",
        help="of the addresses of what the CPU reads or writes",
        title="alignment for the CPU",
        takes=Number(bounds=ALIGNMENTS, offers=(16, 32, 64, 128)),
        redoes=Stage.ALLOCATION,
    ),
    Knob(
        path="options.container",
        option="--cop-format",
        metavar="FORM",
        help="how a compiled file hands command streams to the driver",
        title="container",
        takes=OneOf(Container),
        redoes=Stage.ALLOCATION,
    ),
    Knob(
        path="options.separate_io_regions",
        option="--separate-io-regions",
        help="inputs and outputs of the network have buffers of the application's, outside of the"
        " tensor arena (writes COP2)",
        title="inputs and outputs",
        takes=Switch(
            on="in buffers of their own",
            off="among the other maps",
            deed="let inputs and outputs have buffers of their own",
        ),
        redoes=Stage.LOWERING,
    ),
    Knob(
        path="options.eviction",
        option="--spill-policy",
        also="--spilling",
        metavar="POLICY",
        help="what leaves fast storage where not all fits",
        title="spilling policy",
        takes=OneOf(EvictionPolicy),
        redoes=Stage.SCHEDULE,
    ),
    Knob(
        path="options.search",
        option="--search",
        metavar="HOW",
        help="older names: compatible for --engine cascading, direct for --engine front --effort 0,"
        " best for front with all its effort; with --engine pareto, compatible is the ecosystem's"
        " own one and direct has all freedoms",
        title="search",
        takes=OneOf(Search),
        redoes=Stage.LOWERING,
        instead=((Search.BEST, "is found by that engine alone"),),
        former=(("monotone", Search.BEST),),
    ),
    Knob(
        path="options.effort",
        option="--effort",
        metavar="N",
        help="searches that the front may take, beyond its first answer with 0; it ends by itself"
        " where more promise nothing",
        title="effort",
        takes=Number(offers=(0, 20, 60, 200)),
        redoes=Stage.SCHEDULE,
    ),
    Knob(
        path="options.robust",
        option="--robust",
        help="of what several searches find, take what loses least against the ecosystem's"
        " compiler, whatever memories are",
        title="robust",
        takes=Switch(
            on="the least worst regret",
            off="the fewest cycles",
            deed="take what loses least, whatever memories are",
        ),
        redoes=Stage.SCHEDULE,
        engine=Engine.CASCADING,
    ),
    Knob(
        path="options.as_first",
        option="--as-first",
        help="with --engine cascading, decide as the ecosystem's first cascading scheduler did"
        " where its compiler of today decides otherwise",
        title="whose rules",
        takes=Switch(
            on="the first scheduler's",
            off="today's",
            deed="decide as the ecosystem's first scheduler did",
        ),
        redoes=Stage.SCHEDULE,
        engine=Engine.CASCADING,
        search=Search.COMPATIBLE,
    ),
    Knob(
        path="options.engine",
        option="--engine",
        help="who searches the schedule; pareto finds several, from the smallest to the fastest",
        title="engine",
        takes=OneOf(Engine),
        redoes=Stage.SCHEDULE,
    ),
    Knob(
        path="options.pareto.metric",
        option="--pareto-metric",
        metavar="METRIC",
        help="what partial schedules are compared by",
        title="Pareto metric",
        takes=OneOf(ParetoMetric),
        redoes=Stage.SCHEDULE,
        engine=Engine.PARETO,
    ),
    Knob(
        path="options.pareto.most_bytes",
        option="--pareto-point",
        metavar="BYTES",
        help="take the fastest schedule that needs no more fast storage than this",
        title="schedule of the front",
        takes=Size(absent="by strategy", shown="the fastest within {}"),
        redoes=Stage.SCHEDULE,
        engine=Engine.PARETO,
    ),
    Knob(
        path="options.pareto.blocks_per_end",
        option="--pareto-blocks",
        metavar="N",
        help="blocks that are tried of an operator, from either end of a list by area; 0 is all",
        title="Pareto blocks",
        takes=Number(offers=(0, 4, 8, 16, 32)),
        redoes=Stage.SCHEDULE,
        engine=Engine.PARETO,
    ),
    Knob(
        path="options.pareto.weights.cycle",
        option="--pareto-weigh-cycles",
        metavar="N",
        help="take the schedule with the lowest weighted sum; this is the weight of a cycle",
        title="weight of a cycle",
        takes=Number(offers=(0, 1, 10, 100)),
        redoes=Stage.SCHEDULE,
        engine=Engine.PARETO,
    ),
    Knob(
        path="options.pareto.weights.traffic_cycle",
        option="--pareto-weigh-traffic",
        metavar="N",
        help="in that sum, the weight of a cycle in which a memory is busy",
        title="weight of traffic",
        takes=Number(offers=(0, 1, 10, 100)),
        redoes=Stage.SCHEDULE,
        engine=Engine.PARETO,
    ),
    Knob(
        path="options.pareto.weights.kib",
        option="--pareto-weigh-memory",
        metavar="N",
        help="in that sum, the weight of a KiB of fast storage",
        title="weight of memory",
        takes=Number(offers=(0, 1, 10, 100, 1000)),
        redoes=Stage.SCHEDULE,
        engine=Engine.PARETO,
    ),
    Knob(
        path="options.pareto.cascading",
        option="--cascading",
        help="let operators run in cascades (with --engine pareto)",
        title="cascades",
        takes=Switch(on="allowed", off="never", deed="let operators run in cascades"),
        redoes=Stage.SCHEDULE,
        engine=Engine.PARETO,
    ),
    Knob(
        path="options.pareto.overlap",
        option="--ifm-ofm-overlap",
        help="let outputs lie on inputs (with --engine pareto)",
        title="IFM and OFM overlap",
        takes=Switch(on="allowed", off="never", deed="let outputs lie on inputs"),
        redoes=Stage.SCHEDULE,
        engine=Engine.PARETO,
    ),
    Knob(
        path="options.pareto.ifm_streaming",
        option="--ifm-streaming",
        help="let operators keep all weights while inputs pass by (with --engine pareto)",
        title="IFM streaming",
        takes=Switch(on="allowed", off="never", deed="let inputs pass by whole weights"),
        redoes=Stage.SCHEDULE,
        engine=Engine.PARETO,
    ),
    Knob(
        path="options.force_symmetric_int_weights",
        option="--force-symmetric-int-weights",
        help="take signed weights as symmetric even where the file gives them a zero point",
        title="signed weights",
        takes=Switch(
            on="as symmetric", off="as in the file", deed="take signed weights as symmetric"
        ),
        redoes=Stage.LOWERING,
    ),
    Knob(
        path="options.to_cpu",
        option="--to-cpu",
        metavar="KIND[,NAME]",
        help="operators that are put on the CPU on purpose: all of a kind such as SOFTMAX, or one"
        " by its name, an ending of that, or its number in the file such as #17; or a query such"
        " as 'kind=CONV_2D bytes>64K'; may be repeated",
        title="on the CPU on purpose",
        takes=Listed(),
        redoes=Stage.LOWERING,
    ),
)


_BY_NAME = {knob.name: knob for knob in KNOBS}


def knob_named(name: str) -> Knob:
    """The row of a name."""
    return _BY_NAME[name]


def turned(settings: Settings, values: Mapping[str, Any]) -> Settings:
    """The settings with other values of some knobs, by their names."""
    for name, value in values.items():
        settings = knob_named(name).turned(settings, value)
    return settings


def searched(options: Options) -> Options:
    """What of options one search is told: sizes it is asked for one by one, edits are resolved for
    it, addresses come after it, a front asks it as often as the effort allows, and finalists are
    compared once it has ended.

    All else, whoever adds it, is in here; so whatever a search remembers belongs to it.
    """
    settings = Settings(options=replace(options, effort=0, robust=False, edits=()))
    for knob in _UNTOLD:
        settings = knob.turned(settings, knob.default)
    return settings.options


_UNTOLD = tuple(
    knob
    for knob in KNOBS
    if knob.is_option and (knob.redoes is Stage.ALLOCATION or isinstance(knob.takes, Size))
)


_ONLY_WHERE_USED = Switch | Files | Listed | Number


def told(settings: Settings) -> tuple[Knob, ...]:
    """The knobs that settings turn: all of their engine, but switches, numbers, lists
    and files only where used."""
    return tuple(
        knob
        for knob in KNOBS
        if knob.suits(settings)
        and (knob.is_turned(settings) or not isinstance(knob.takes, _ONLY_WHERE_USED))
    )


def command_line(settings: Settings) -> tuple[str, ...]:
    """The arguments that ask for the same, without files of configs."""
    own = (knob for knob in KNOBS if knob.suits(settings))
    return tuple(word for knob in own for word in knob.words(settings))


def read_words(words: Iterable[str]) -> Settings:
    """The settings that `command_line` tells; a LookupError where a word is no option's."""
    by_option = {
        knob.switch if isinstance(knob.takes, Switch) else knob.option: knob for knob in KNOBS
    }
    settings, rest = Settings(), iter(words)
    for word in rest:
        knob = by_option[word]
        is_switch = isinstance(knob.takes, Switch)
        value = None if is_switch else next(rest, None)
        if value is None and not is_switch:
            raise LookupError(word)
        settings = knob.turned(settings, not knob.default if value is None else knob.read(value))
    return settings
