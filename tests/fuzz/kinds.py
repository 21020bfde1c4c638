"""All kinds of input that are attacked; another is a file with a `KIND`, and a row here."""

from __future__ import annotations

from collections.abc import Mapping

from tests.fuzz import (
    accounts,
    compiled,
    configs,
    delegates,
    edits,
    fronts,
    measurements,
    models,
    names,
    projects,
    sessions,
    signatures,
    sweeps,
)
from tests.fuzz.kind import Kind

KINDS: Mapping[str, Kind] = {
    "models": models.KIND,
    "proofs": models.PROVED,
    "compiled": compiled.KIND,
    "configs": configs.KIND,
    "projects": projects.KIND,
    "programs": delegates.PROGRAMS,
    "blobs": delegates.BLOBS,
    "graphs": delegates.GRAPHS,
    "data": delegates.DATA,
    "edits": edits.KIND,
    "adopted": edits.ADOPTED,
    "accounts": accounts.KIND,
    "signatures": signatures.KIND,
    "names": names.KIND,
    "sessions": sessions.KIND,
    "measurements": measurements.KIND,
    "sweeps": sweeps.KIND,
    "fronts": fronts.KIND,
}
