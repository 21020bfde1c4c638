"""Convolutions whose dilation the file spells out are convolutions with a dilation.

x -> SPACE_TO_BATCH_ND -> CONV_2D -> BATCH_TO_SPACE_ND -> y     becomes     x -> CONV_2D -> y

x -> SPACE_TO_BATCH_ND -> EXPAND_DIMS -> CONV_2D -> RESHAPE -> BATCH_TO_SPACE_ND -> y
                                        becomes     x -> EXPAND_DIMS -> CONV_2D -> RESHAPE -> y

Converters take the input apart so that neighbours in a part are as far from each other as the
dilation is long, and put the outputs together again; 16-bit networks have them so to this day.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

from core.base.frozen import Frozen, replace
from core.base.geometry import NO_PADDING, Kernel, Padding, same_padding
from core.base.ids import TensorId
from core.ir.network import Operator, Table, Tensor
from core.ir.rewritten import Measure, Rewrite, RewriteReason, RewriteTried
from core.lower.draft import quant_of
from core.lower.slicing import integers
from core.lower.source import PADDING_SAME, PADDING_VALID, SourceGraph, SourceOp
from core.lower.source_joins import Joined

_CONVOLUTIONS = frozenset({"CONV_2D", "DEPTHWISE_CONV_2D"})
_FIRST, _LAST = "SPACE_TO_BATCH_ND", "BATCH_TO_SPACE_ND"
_RANK = 4


def joined_dilations(graph: SourceGraph) -> Iterator[Joined]:
    """One convolution for each three operators; those that read the same rows go together."""
    spelt = (_of_pictures(graph, op) or _of_rows(graph, op) for op in graph.ops if op.kind == _LAST)
    found = [(each, each.options) for each in spelt if each is not None]
    reading = Counter(each.rows for each, options in found if options is not None)
    for each, options in found:
        is_theirs = each.rows is None or graph.uses(each.rows) == reading[each.rows]
        if options is not None and is_theirs:
            yield each.joined(options)


class _Spelt(Frozen):
    """A convolution, and what spells its dilation out."""

    first: SourceOp
    middle: SourceOp
    last: SourceOp
    before: SourceOp | None = None
    after: SourceOp | None = None
    """What makes a picture of one row of what is taken apart, and rows of it again."""

    @property
    def rows(self) -> TensorId | None:
        """The picture of one row, which changes its shape."""
        return None if self.before is None else self.before.operator.outputs[0]

    @property
    def options(self) -> Table | None:
        """Those of the convolution with the dilation, where it makes what all of them make."""
        given, made, kernel = self.first.ifm, self.last.ofm, self.middle.window.kernel
        blocks, pads = integers(self.first.input(1)) or (), integers(self.first.input(2)) or ()
        crops = integers(self.last.input(2)) or ()
        is_plain = kernel.stride_h == kernel.stride_w == kernel.dilation_h == kernel.dilation_w == 1
        if given is None or self.middle.window.is_same or not is_plain:
            return None
        if blocks != integers(self.last.input(1)) or len(pads) != len(crops):
            return None
        if len(pads) != 2 * len(blocks) or len(blocks) != (1 if self.before else 2):
            return None
        ranks = {len(tensor.shape) for tensor in (given, self.first.ofm, self.last.ofm)}
        if ranks != {len(blocks) + 2} or not _is_alike(given, self.first.ofm):
            return None
        if not _is_alike(self.middle.ofm, made):
            return None
        dilation_h, dilation_w = self._picture(blocks, 1)
        dilated = replace(kernel, dilation_h=dilation_h, dilation_w=dilation_w)
        sides = tuple(pad - crop for pad, crop in zip(pads, crops, strict=True))
        top, bottom, left, right = self._picture(sides, 0)
        padding = Padding(top=top, left=left, bottom=bottom, right=right)
        scheme = _scheme(self._shape(given), self._shape(made), dilated, padding)
        return None if scheme is None else _with_dilation(self.middle.options, dilated, scheme)

    def joined(self, options: Table) -> Joined:
        """The convolution with the dilation, and rows as pictures around it."""
        source, made = self.first.operator.inputs[0], self.last.operator.outputs
        if self.before is None or self.after is None:
            operator = replace(
                self.middle.operator,
                inputs=(source, *self.middle.operator.inputs[1:]),
                outputs=made,
                options=options,
            )
            return Joined(operator, _tried(self.first, self.middle, self.last, self.last))
        assert self.first.ifm is not None
        picture, result = self.before.operator.outputs[0], self.middle.operator.outputs[0]
        shape = Table(kind="ReshapeOptions", fields=(("new_shape", self.last.ofm.shape),))
        back = Operator(kind="RESHAPE", inputs=(result,), outputs=made, options=shape)
        taken = replace(self.before.operator, inputs=(source, *self.before.operator.inputs[1:]))
        if self.before.kind == "RESHAPE":
            shape = replace(shape, fields=(("new_shape", self._shape(self.first.ifm)),))
            taken = replace(taken, inputs=(source,), options=shape)
        return Joined(
            replace(self.middle.operator, options=options),
            _tried(self.first, self.middle, self.last, self.middle),
            beside=((self.before.ref, taken), (self.last.ref, back)),
            shapes=(
                (picture, self._shape(self.first.ifm)),
                (result, self._shape(self.last.ofm)),
            ),
        )

    def _shape(self, tensor: Tensor) -> tuple[int, ...]:
        """As a picture."""
        return (tensor.shape[0], *self._picture(tensor.shape[1:-1], 1), tensor.shape[-1])

    def _picture(self, given: tuple[int, ...], rest: int) -> tuple[int, ...]:
        """Numbers for rows as those for a picture; its other direction has the rest."""
        if self.before is None:
            return given
        others = (rest,) * len(given)
        is_wide = self.before.ofm.shape[1] == 1
        return (*others, *given) if is_wide else (*given, *others)


def _of_pictures(graph: SourceGraph, last: SourceOp) -> _Spelt | None:
    middle = graph.maker(last.input_id(0), _CONVOLUTIONS)
    first = None if middle is None else graph.maker(middle.input_id(0), {_FIRST})
    if middle is None or first is None:
        return None
    return _Spelt(first=first, middle=middle, last=last)


def _of_rows(graph: SourceGraph, last: SourceOp) -> _Spelt | None:
    after = graph.maker(last.input_id(0), {"RESHAPE", "SQUEEZE"})
    middle = None if after is None else graph.maker(after.input_id(0), _CONVOLUTIONS)
    before = None if middle is None else graph.maker(middle.input_id(0), {"RESHAPE", "EXPAND_DIMS"})
    first = None if before is None else graph.maker(before.input_id(0), {_FIRST})
    if after is None or middle is None or before is None or first is None:
        return None
    is_theirs = graph.uses(middle.operator.outputs[0]) == 1
    one, two = before.ofm.shape, middle.ofm.shape
    is_row = len(one) == len(two) == _RANK and (one[1] == two[1] == 1 or one[2] == two[2] == 1)
    is_same = first.ofm.shape == (*one[:1], *_sizes(one), one[-1])
    is_back = after.ofm.shape == (*two[:1], *_sizes(two), two[-1])
    if not (is_theirs and is_row and is_same and is_back):
        return None
    return _Spelt(first=first, middle=middle, last=last, before=before, after=after)


def _sizes(picture: tuple[int, ...]) -> tuple[int, ...]:
    """How long a picture of one row, or one column, is."""
    return picture[2:3] if picture[1] == 1 else picture[1:2]


def _is_alike(one: Tensor, other: Tensor) -> bool:
    return one.dtype is other.dtype and quant_of(one) == quant_of(other)


def _scheme(
    given: tuple[int, ...], made: tuple[int, ...], kernel: Kernel, padding: Padding
) -> int | None:
    """How the file format calls a padding with which the convolution makes its output."""
    _, height, width, _ = given
    if made[0] != 1 or given[0] != 1:
        return None
    if padding == same_padding(height, width, kernel) and made[1:3] == (height, width):
        return PADDING_SAME
    left = height - kernel.dilated_h + 1, width - kernel.dilated_w + 1
    return PADDING_VALID if padding == NO_PADDING and made[1:3] == left else None


def _with_dilation(options: Table, kernel: Kernel, scheme: int) -> Table:
    changed = {
        "padding": scheme,
        "dilation_h_factor": kernel.dilation_h,
        "dilation_w_factor": kernel.dilation_w,
    }
    kept = tuple((name, value) for name, value in options.fields if name not in changed)
    return replace(options, fields=(*kept, *changed.items()))


def _tried(first: SourceOp, middle: SourceOp, last: SourceOp, replaced: SourceOp) -> RewriteTried:
    """Without it, the input is written and read once more, and so is the output."""
    given, made = (
        0 if tensor is None else math.prod(tensor.shape) * tensor.dtype.size_bytes
        for tensor in (first.ifm, last.ofm)
    )
    return RewriteTried(
        rewrite=Rewrite.DILATION_JOINED,
        sources=(
            replaced.ref,
            *(each.ref for each in (last, middle, first) if each is not replaced),
        ),
        measure=Measure.MOVED_BYTES,
        figure_without=3 * given + 3 * made,
        figure_with=given + made,
        reason=RewriteReason.CHEAPER,
    )
