"""Whether bytes can be a TensorFlow Lite file at all, and what they rather look like."""

from __future__ import annotations

from core.base.errors import InputError

IDENTIFIER = b"TFL3"
_LEAST_BYTES = 8
_IDENTIFIED = {
    b"ET12": "a program of ExecuTorch, which is compiled already",
    b"BP08": "a program of ExecuTorch with tests, which is compiled already",
    b"FT01": "data that a program of ExecuTorch takes from beside it",
    b"TOSA": "a graph of TOSA, which compiled files can be held against",
}
_BLOB = b"vela_bin_stream"
_OTHERS = (
    (_BLOB, "what a delegate of ExecuTorch was compiled to"),
    (b"version https://git-lfs", "a Git LFS pointer to the model; fetch it with 'git lfs pull'"),
    (b"PK\x03\x04", "a ZIP archive; unpack it first"),
    (b"\x1f\x8b", "a gzip archive; unpack it first"),
    (b"\x89HDF", "an HDF5 file, as Keras writes them; convert it first"),
)


def check_header(data: bytes) -> None:
    """Refuse bytes that do not begin as a TensorFlow Lite file does."""
    if not data:
        raise InputError("the file is empty")
    for magic, what in _OTHERS:
        if data.startswith(magic):
            raise InputError(f"this is {what}")
    found = data[4:_LEAST_BYTES]
    if found == IDENTIFIER:
        return
    if found in _IDENTIFIED:
        raise InputError(f"this is {_IDENTIFIED[found]}, not a TensorFlow Lite file")
    if _is_text(data[:256]):
        raise InputError("this is a text file, not a TensorFlow Lite file")
    if len(data) < _LEAST_BYTES:
        raise InputError(f"{len(data)} bytes are too few for a TensorFlow Lite file")
    raise InputError(
        f"this is not a TensorFlow Lite file: its identifier is {found!r},"
        f" where {IDENTIFIER!r} is expected"
    )


def _is_text(head: bytes) -> bool:
    return all(32 <= byte < 127 or byte in b"\t\r\n" for byte in head)
