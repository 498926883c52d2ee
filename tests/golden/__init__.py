"""Golden games: whole games as text, kept to show by their diff which rule moved."""
