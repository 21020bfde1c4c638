"""A family of accelerators: the facts that all its configurations have in common.

Stages read them here and nowhere else. Where families need another algorithm, and not only other
figures, the family names it: each package has one table of those it knows, and `Family.chosen`
refuses what is not in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from core.base.errors import OptionError
from core.base.frozen import Frozen, replace
from core.base.geometry import Block
from core.target.limits import OperatorLimits
from core.target.weight_format import WeightFormat

Algorithm = TypeVar("Algorithm")


class Product(Frozen):
    """What people, build systems and drivers know the family by."""

    title: str
    kit_letter: str
    """What evaluation kits put before the number of MACs."""
    number: int
    """In the word that a driver compares with the hardware."""
    architecture: tuple[int, int, int]
    """The version that streams ask for."""


class Defaults(Frozen):
    """Names that hold where a user gives none."""

    system_config: str
    memory_mode: str


class Concurrency(Frozen):
    """How much may be unfinished at once."""

    transfers: int
    kernels: int
    blocks: int
    """Of the kernel before, when the next one starts."""


class Dispatch(Frozen):
    """What a command takes beside its work: its registers are read, and taken one by one."""

    operation_cycles: int
    transfer_cycles: int
    command_bytes: int
    """In the mean, of either."""

    def measured(self, operation_cycles: int | None) -> Dispatch:
        """The same on a board where an operation was measured to take so many, if it was."""
        if operation_cycles is None:
            return self
        return replace(self, operation_cycles=operation_cycles)


class Algorithms(Frozen):
    """Which of the algorithms that differ between families are this one's, by their names."""

    lowering: str
    block_search: str
    cycles: str


class Family(Frozen):
    """What the configurations of one accelerator have in common."""

    name: str
    """With which the names of its configurations begin."""
    product: Product
    defaults: Defaults
    algorithms: Algorithms
    limits: OperatorLimits
    concurrency: Concurrency
    estimate_error: float
    """Of the price, as a share of it: differences below are none that anyone can tell."""
    dispatch: Dispatch
    port_bytes_per_cycle: int
    """Width of each port to a memory."""
    burst_bytes: int
    """Of the longest transaction at a port."""
    writes_at_both_ports: bool
    """Whether maps can be in two memories: the second port of Ethos-U55 only reads."""
    address_bits: int
    max_ofm_block: Block
    max_subkernel: tuple[int, int]
    """Height and width that larger kernels are cut into."""
    weights: WeightFormat

    def __hash__(self) -> int:
        """By name, as families are part of what searches look up."""
        return hash(self.name)

    def tells_apart(self, cycles: float, others: float) -> bool:
        """Whether two estimates differ by more than the error that they have."""
        return abs(cycles - others) > self.estimate_error * max(cycles, others)

    def chosen(self, what: str, name: str, known: Mapping[str, Algorithm]) -> Algorithm:
        """The algorithm of a package that the family names; an error where it has none such."""
        if name not in known:
            raise OptionError(
                f"{self.product.title} needs the {what} '{name}', which is not there;"
                f" known are {', '.join(sorted(known))}"
            )
        return known[name]
