"""The file of a sweep: a SQLite database that other tools can read, too."""

from __future__ import annotations

APPLICATION_ID = 0x52454546
"""`REEF`, where SQLite keeps whose a database is."""
VERSION = 2
"""Where SQLite keeps the user's version; a file with another one is refused."""

# What is described here stays readable with `.schema` in any SQLite shell.
TABLES = (
    """CREATE TABLE model (
    digest TEXT PRIMARY KEY,     -- of its bytes: BLAKE2b, 16 bytes, in hexadecimal
    name TEXT NOT NULL,          -- of the file; of all files where several are in one device
    size_bytes INTEGER NOT NULL
) WITHOUT ROWID""",
    """CREATE TABLE settings (
    digest TEXT PRIMARY KEY,     -- of the version, the target with its limit, and all options
    reefpoint TEXT NOT NULL,     -- the version that scheduled
    accelerator TEXT NOT NULL,
    system_config TEXT NOT NULL,
    memory_mode TEXT NOT NULL,
    limit_bytes INTEGER NOT NULL,
    strategy TEXT NOT NULL,
    search TEXT NOT NULL,
    engine TEXT NOT NULL,
    allocator TEXT NOT NULL,
    words TEXT NOT NULL,         -- arguments that ask for the same, as a JSON list
    configs TEXT NOT NULL        -- files of configs, as a JSON list
) WITHOUT ROWID""",
    """CREATE TABLE cell (
    model TEXT NOT NULL REFERENCES model,
    settings TEXT NOT NULL REFERENCES settings,
    verdict TEXT NOT NULL,       -- fits, exceeds, differs (compiled, and wrong), refused or lost
    error TEXT NOT NULL,         -- why it is none of the first two, in words
    cycles REAL,                 -- this and what follows is NULL where it is refused or lost
    npu_cycles INTEGER,
    sram_cycles REAL,            -- cycles in which a memory is busy
    dram_cycles REAL,
    on_chip_flash_cycles REAL,
    off_chip_flash_cycles REAL,
    seconds REAL,                -- of one inference
    fast_bytes INTEGER,          -- required of the memory that has the limit
    excess_bytes INTEGER,        -- above limits
    sram_moved_bytes REAL,       -- read and written in one inference
    dram_moved_bytes REAL,
    on_chip_flash_moved_bytes REAL,
    off_chip_flash_moved_bytes REAL,
    evicted_maps INTEGER,        -- groups of them that could share bytes in fast storage
    evicted_bytes INTEGER,
    cascades INTEGER,
    cascaded_ops INTEGER,
    npu_ops INTEGER,
    cpu_ops INTEGER,
    schedule_file TEXT NOT NULL, -- name of its schedule as JSON, where that was asked for
    compiled_file TEXT NOT NULL, -- name of its compiled model, verified
    seconds_taken REAL NOT NULL, -- by whoever computed it
    PRIMARY KEY (model, settings)
) WITHOUT ROWID""",
)

# Only while sweeps write; a file without them is as good.
CLAIMS = (
    """CREATE TABLE IF NOT EXISTS sweeper (
    name TEXT PRIMARY KEY,       -- of a sweep that is going on
    host TEXT NOT NULL,
    pid INTEGER NOT NULL,
    beats INTEGER NOT NULL       -- counted up while it does
) WITHOUT ROWID""",
    """CREATE TABLE IF NOT EXISTS claim (
    model TEXT NOT NULL,
    settings TEXT NOT NULL,
    sweeper TEXT NOT NULL,       -- that computes the cell
    PRIMARY KEY (model, settings)
) WITHOUT ROWID""",
)
