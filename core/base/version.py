"""The version of this program; a test holds it against the project's own description."""

VERSION = "0.1.0"
