"""Game records as a dataset in files: compressed shards of JSON lines, and a description that programs read.

The description is Croissant 1.1 with the fields on responsible use (RAI 1.0): what the files hold, record by record and
field by field, with their digests, and where the games come from. It names facts of this dataset only.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import secrets
import shutil
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

import speicher_env
from speicher_env import Game
from speicher_env.arguments import check_count
from speicher_env.deck import SAMPLED
from speicher_env.errors import FileError
from speicher_env.messages import listed
from speicher_env.reading import path_shown
from speicher_env.record import FORMAT, line_of
from speicher_training.files import digest_of, make_folder, write_file
from speicher_training.provenance import today

__all__ = ["DESCRIPTION", "LICENSE", "RecordShards"]

DESCRIPTION = "croissant.json"
"""The name of the description in the folder."""
SHARD = "games-{:05}.jsonl.gz"
LICENSE = "https://opensource.org/license/mit"
"""The licence of a dataset that names none."""


class RecordShards:
    """Writes game records into a new folder, which appears when the block ends.

    A block that ends with an exception, or without a game, leaves nothing.
    """

    def __init__(
        self,
        folder: Path,
        games_in_shard: int = 10_000,
        *,
        made_by: str,
        author: str = "",
        license: str = LICENSE,
        url: str = "",
    ) -> None:
        """Check the arguments.

        Args:
            folder: The new folder; its parent folder must exist.
            games_in_shard: The most games in one file, 1 or more.
            made_by: Where the decisions come from, as the end of a sentence that begins with "Games ".
            author: Who made the dataset.
            license: The address of its licence.
            url: Where the dataset is published.
        """
        self.folder = Path(os.path.abspath(folder))
        if self.folder.exists() or self.folder.is_symlink():
            raise FileError(f"{path_shown(folder)}: exists; must be a new folder.")
        if not self.folder.parent.is_dir():
            raise FileError(f"{path_shown(folder)}: there is no directory {path_shown(self.folder.parent)}.")
        self.games_in_shard = check_count("games_in_shard", games_in_shard)
        self.games = 0
        self._about = {"made_by": made_by, "author": author, "license": license, "url": url}
        self._part = self.folder.with_name(f".speicher-{secrets.token_hex(8)}.part")
        self._waiting: list[str] = []
        self._files: list[tuple[str, int, str]] = []
        self._players: set[int] = set()
        self._editions: set[str] = set()

    def __enter__(self) -> RecordShards:
        make_folder(self._part)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None and self.games:
                self._write()
                description = json.dumps(self.description(), indent=2, ensure_ascii=False)
                write_file(self._part / DESCRIPTION, description + "\n")
                os.rename(self._part, self.folder)
        finally:
            shutil.rmtree(self._part, ignore_errors=True)

    def add(self, game: Game) -> None:
        """Add the record of a game."""
        record = game.to_record()
        self._waiting.append(line_of(record))
        self._players.add(game.num_players)
        self._editions.add(SAMPLED if game.deck_name == SAMPLED else record["edition"])
        self.games += 1
        if len(self._waiting) == self.games_in_shard:
            self._write()

    def _write(self) -> None:
        if not self._waiting:
            return
        packed = io.BytesIO()
        with gzip.GzipFile("", "wb", 9, packed, mtime=0) as stream:  # no name and no time: equal games, equal bytes
            stream.write("".join(self._waiting).encode())
        name, content = SHARD.format(len(self._files)), packed.getvalue()
        write_file(self._part / name, content)
        self._files.append((name, len(content), digest_of(content)))
        self._waiting = []

    def description(self) -> dict[str, Any]:
        """The Croissant description of the files written so far."""
        about = self._about
        name = self.folder.name
        players = listed([str(count) for count in sorted(self._players)])
        editions = listed(sorted(self._editions))
        games = f"{self.games} game{'s' * (self.games > 1)} of the board game Die Speicherstadt for {players} players"
        what = f"{games}, {about['made_by']}."
        version = speicher_env.__version__
        core = {
            "@context": _CONTEXT,
            "@type": "sc:Dataset",
            "conformsTo": ["http://mlcommons.org/croissant/1.1", "http://mlcommons.org/croissant/RAI/1.0"],
            "name": name,
            "description": f"{what} A line is one game as a {FORMAT}: deck, deal, every decision and the result. "
            f"Editions of the deck: {editions}.",
            "datePublished": today(),
            "version": "1.0.0",
            "license": about["license"],
            "keywords": ["board game", "reinforcement learning", "imitation learning", "multi-agent"],
            "isLiveDataset": False,
            "citeAs": f"{about['author'] or 'Unnamed'}: {name}, made with speicher-env {version}.",
            "creator": {"@type": "sc:Person", "name": about["author"]} if about["author"] else _UNNAMED,
            **({"url": about["url"]} if about["url"] else {}),
        }
        return {**core, **self._responsible_use(what), **self._resources()}

    def _responsible_use(self, what: str) -> dict[str, Any]:
        version = speicher_env.__version__
        return {
            "rai:dataCollection": f"{what} speicher-env {version} checked every move and result by the rules.",
            "rai:dataCollectionType": ["Software Collection"],
            "rai:dataCollectionTimeFrame": [today()],
            "rai:dataCollectionMissingData": "None. All games are whole.",
            "rai:dataPreprocessingProtocol": "None. Records hold no moves of players with a single legal action.",
            "rai:dataAnnotationProtocol": "None. Results follow from the rules.",
            "rai:dataUseCases": [
                "Imitation learning, offline reinforcement learning, and the study of play in this game."
            ],
            "rai:dataLimitations": [
                "The decisions are those of the named players, which play neither as people do nor perfectly.",
                "Some numbers of the game's deck are assumed; the edition of each record says which numbers it has.",
            ],
            "rai:dataBiases": [
                "Positions that the players avoid are rare or missing, so a policy that is cloned from the games is "
                "untried there."
            ],
            "rai:personalSensitiveInformation": ["None. Records name the players by the numbers of their seats only."],
            "rai:dataSocialImpact": "Low: moves in a board game.",
            "rai:dataReleaseMaintenancePlan": "Not changed after its release; a new version gets a new name.",
        }

    def _resources(self) -> dict[str, Any]:
        files = [
            {
                "@type": "cr:FileObject",
                "@id": name,
                "name": name,
                "contentUrl": name,
                "contentSize": f"{size} B",
                "encodingFormat": "application/jsonlines",
                "sha256": digest,
            }
            for name, size, digest in self._files
        ]
        every = {
            "@type": "cr:FileSet",
            "@id": "shards",
            "name": "shards",
            "description": "All files of games.",
            "encodingFormat": "application/jsonlines",
            "includes": SHARD.replace("{:05}", "*"),
        }
        games = {
            "@type": "cr:RecordSet",
            "@id": "games",
            "name": "games",
            "description": "The games, one a record.",
            "field": [_field("games", column) for column in _COLUMNS],
        }
        return {"distribution": [*files, every], "recordSet": [games]}


_UNNAMED = {"@type": "sc:Organization", "name": "Unnamed"}
"""The creator of a dataset without an author; Croissant asks for one."""


class _Column(NamedTuple):
    """A key of a record."""

    name: str
    data_type: str
    meaning: str
    many: bool = False
    within: tuple[_Column, ...] = ()
    """The keys of the table, or of each of the tables, that it holds."""


_COLUMNS = (
    _Column("format", "sc:Text", "The name and version of the format of the record."),
    _Column("players", "sc:Integer", "Players at the table, 2 to 5; seats are numbered from 0."),
    _Column("seed", "sc:Integer", "What the deal was drawn from; 0 where it is not known."),
    _Column("deck", "sc:Text", "The name of the deck."),
    _Column("edition", "sc:Text", "A fingerprint of the numbers of the deck."),
    _Column("first_player", "sc:Integer", "The seat that begins."),
    _Column("pile", "sc:Text", "The draw pile as shuffled, top first: card ids.", many=True),
    _Column("bag", "sc:Text", "The cubes in the order in which they are drawn: goods.", many=True),
    _Column(
        "moves",
        "",
        "The decisions in their order.",
        many=True,
        within=(
            _Column("player", "sc:Integer", "The seat that decides."),
            _Column("action", "sc:Text", "What it does, such as place 2."),
        ),
    ),
    _Column(
        "result",
        "",
        "How the game ended.",
        within=(
            _Column("points", "sc:Integer", "Points of each seat.", many=True),
            _Column("coins", "sc:Integer", "Coins of each seat, which break ties.", many=True),
            _Column("winners", "sc:Integer", "The seats that won, ascending.", many=True),
        ),
    ),
)
"""What a game holds; the cards with their values are in its record too."""


def _field(parent: str, column: _Column, inside: str = "") -> dict[str, Any]:
    """A field of Croissant; a field inside another is extracted from the outer field's column."""
    path = f"{parent}/{column.name}"
    field: dict[str, Any] = {"@type": "cr:Field", "@id": path, "name": path, "description": column.meaning}
    if column.many:
        field |= {"isArray": True, "arrayShape": "-1"}
    if column.within:
        return field | {"subField": [_field(path, inner, column.name) for inner in column.within]}
    source: dict[str, Any] = {"fileSet": {"@id": "shards"}, "extract": {"column": inside or column.name}}
    if inside:
        source["transform"] = {"jsonPath": f"$.{column.name}"}
    return field | {"dataType": column.data_type, "source": source}


_CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "arrayShape": "cr:arrayShape",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "containedIn": "cr:containedIn",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "description": {"@container": "@language"},
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isArray": "cr:isArray",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "name": {"@container": "@language"},
    "parentField": "cr:parentField",
    "path": "cr:path",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
"""The context that Croissant 1.1 asks for."""
