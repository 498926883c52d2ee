"""The rulebook: a file per part, each of plain functions on one game record (see `state`)."""
