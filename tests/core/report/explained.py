"""Schedules that can be asked why they are as they are, and what holds for every answer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from core.api import reasons, schedules, targets
from core.base.frozen import replace
from core.ir.decisions import Decision
from core.ir.options import Allocator, Engine, EvictionPolicy, Options, Search, Strategy
from core.ir.scheduled import Scheduled
from core.ir.trace import Analysis
from tests.remembered import remembered

EXAMPLES = Path(__file__).parents[3] / "resources" / "examples"
NAMES = sorted(file.stem for file in EXAMPLES.glob("*.tflite"))
LARGE = {"mobilenet_v2_035_96", "residual_tower", "unet_128"}
DEDICATED = ("ethos-u65-256", "Ethos_U65_High_End", "Dedicated_Sram")
SHARED = ("ethos-u55-128", "Ethos_U55_High_End_Embedded", "Shared_Sram")
SETTINGS = {
    "dedicated": (DEDICATED, 64, Options()),
    "pareto": (DEDICATED, 16, Options(engine=Engine.PARETO)),
    "over-limit": (DEDICATED, 48, Options(eviction=EvictionPolicy.OVER_LIMIT)),
    "best": (DEDICATED, 32, Options(search=Search.BEST, effort=6)),
    "shared": (SHARED, 128, Options()),
    "robust": (SHARED, 128, Options(robust=True)),
    "linear": (DEDICATED, 64, Options(allocator=Allocator.LINEAR)),
    "size": (SHARED, 256, Options(strategy=Strategy.SIZE)),
    "small-beside": (DEDICATED, 64, Options(strategy=Strategy.SIZE)),
    "compatible": (DEDICATED, 64, Options(search=Search.COMPATIBLE)),
    "unlimited": (SHARED, None, Options()),
    "too-little": (SHARED, 8, Options()),
}


class Explained(NamedTuple):
    """A schedule that can be asked."""

    done: Scheduled
    analysis: Analysis

    def texts(self, subject: reasons.Subject) -> tuple[str, ...]:
        return tuple(text for _, text in reasons.explain(self.done, self.analysis, subject))

    def text(self, subject: reasons.Subject) -> str:
        return " ".join(self.texts(subject))

    def of(self, kind: type[Decision]) -> Iterator[Decision]:
        return (each for each in self.done.schedule.decisions if isinstance(each, kind))

    def with_decisions(self, *decisions: Decision) -> Explained:
        schedule = replace(self.done.schedule, decisions=decisions)
        return Explained(replace(self.done, schedule=schedule), self.analysis)


@remembered
def explained(name: str, case: str = "dedicated") -> Explained:
    target, limit_kib, options = SETTINGS[case]
    limit_bytes = None if limit_kib is None else limit_kib << 10
    resolved = targets.resolve_target(*target, arena_cache_size=limit_bytes)
    model = (EXAMPLES / f"{name}.tflite").read_bytes()
    done = schedules.schedule(model, resolved, options)
    return Explained(done, schedules.analyse(done))


def subjects(done: Scheduled) -> Iterator[reasons.Subject]:
    graph = done.run.graph
    yield reasons.AboutNetwork()
    yield from (reasons.AboutOp(op.id) for op in graph.ops)
    yield from (reasons.AboutMap(fm.id) for fm in graph.feature_maps)
    yield from (reasons.AboutCpuOp(place) for place in range(len(graph.cpu_ops)))
    for island in done.schedule.islands:
        for number in range(len(island.cascades)):
            yield reasons.AboutCascade(island.island, number)
    for plan in done.schedule.ops:
        for buffer in range(len(plan.weights.buffer_bytes) if plan.weights else 0):
            yield reasons.AboutBuffer(plan.op, buffer)


def check_prose(sentence: reasons.Sentence) -> None:
    topic, text = sentence
    assert topic
    assert topic == topic.lower() or topic == "why on the CPU"
    assert text.endswith("."), text
    bare = re.sub(r"'[^']*'", "''", text)
    assert bare[0].isupper() or bare[0].isdigit() or bare[0] == "'", text
    for wrong in (r"\bunknown\b", r"\bNone\b", r"\bnan\b", r"\binf\b", "  ", r"\.\.$", r"[;,]\."):
        assert not re.search(wrong, bare, re.IGNORECASE if "unk" in wrong else 0), text
    # Thousands are apart, but not in shapes, ranges, times, and the numbers of operators.
    names = r"\d+(x\d+)+|\d+-\d+|([Oo]perators?|number|streams?) [\d, -]+|time \d+( to \d+)?"
    plain = re.sub(names, "N", bare.partition("Found: ")[0])
    assert not re.search(r"(?<![\d.,])\d{4,}", plain), text
    assert not re.search(r"\b1 (bytes|cycles|rows|operators|stripes|maps)\b", bare), text
    assert not re.search(r"(?<!\w)-\d", bare), text


def check(found: Explained) -> None:
    for subject in subjects(found.done):
        sentences = reasons.explain(found.done, found.analysis, subject)
        assert sentences, subject
        for sentence in sentences:
            check_prose(sentence)
        assert len(set(sentences)) == len(sentences), subject
        # Sentences of one topic stand together.
        topics = [sentence.topic for sentence in sentences]
        changes = [topic for at, topic in enumerate(topics) if at == 0 or topics[at - 1] != topic]
        assert len(changes) == len(set(changes))
