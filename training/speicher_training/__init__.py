"""Training, evaluation and the `speicher` command."""
