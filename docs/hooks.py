"""Called by MkDocs when a site is built: `PLAY_NOW=1` adds the page that needs no server, as `make site` does."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig


def on_post_build(config: MkDocsConfig) -> None:
    """Write the page into the site that was built."""
    if os.environ.get("PLAY_NOW"):
        from speicher_apps.web.site import build_site

        build_site(Path(config.site_dir, "play-now"))
