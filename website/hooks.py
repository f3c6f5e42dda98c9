"""What the site adds to docs/: pages of the repository, pages rendered from the code, recorded runs. MkDocs calls it.

docs/ reads well on a git host as it is; links that leave it, and what only a site can show, are changed here.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

REPOSITORY = Path(__file__).resolve().parents[1]
WEBSITE = REPOSITORY / "website"
sys.path.insert(0, str(WEBSITE))

import gallery  # noqa: E402
import reference  # noqa: E402
from dialect import ListIndent, adapted  # noqa: E402
from links import link_api_names, relink  # noqa: E402

ASSETS = {
    "assets/icon.svg": REPOSITORY / "src" / "worldline" / "ui" / "web" / "static" / "icon.svg",
    "assets/site.css": WEBSITE / "site.css",
    "assets/iframe-worker.js": WEBSITE / "vendor" / "iframe-worker.js",
}
FOREIGN = re.compile(r"https://unpkg\.com/[\w@./-]+")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Read lists as a git host does."""
    config.markdown_extensions.insert(0, ListIndent())  # type: ignore[arg-type]
    return config


def project_pages() -> dict[str, str]:
    """Pages outside docs/ that the site shows: their place in the repository, and on the site."""
    pages = [path for path in REPOSITORY.glob("*.md") if path.name != "README.md"]
    pages += [
        *REPOSITORY.glob("studies/*/README.md"),
        *(REPOSITORY / name / "README.md" for name in ("examples", "tests")),
    ]
    places = [path.relative_to(REPOSITORY).as_posix() for path in sorted(pages)]
    return {place: f"project/{place}" for place in places}


def recorded_runs(config: MkDocsConfig) -> Path:
    """The folder of the recorded runs."""
    return REPOSITORY / str(config.extra["gallery"])


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages and files that are not in docs/."""
    for place, page in project_pages().items():
        files.append(File.generated(config, page, abs_src_path=str(REPOSITORY / place)))
    for page, text in reference.pages(Path(config.docs_dir)):
        files.append(File.generated(config, page, content=text))
    for page, path in ASSETS.items():
        files.append(File.generated(config, page, abs_src_path=str(path)))
    for path in sorted(recorded_runs(config).glob("*.html")):
        files.append(File.generated(config, f"gallery/{path.name}", abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Change links that leave docs/, link names of the API, and embed the runs."""
    place = page.file.src_uri
    if place.startswith("reference/api/"):
        return markdown
    shown = project_pages()
    sources = {site: repository for repository, site in shown.items()}
    pages = {f"docs/{file.src_uri}": file.src_uri for file in files if not file.src_uri.startswith("project/")}
    pages |= {**shown, "README.md": "index.md"}
    source = sources.get(place, f"docs/{place}")
    if place == "index.md":
        page.meta["hide"] = ["navigation"]
    if place == "reference/cli.md":
        markdown = reference.link_commands(markdown)
    if place == "tutorials/gallery.md":
        page.meta["hide"] = ["toc"]
        markdown = gallery.embed(markdown, recorded_runs(config))
    text = relink(adapted(markdown), source=source, page=place, pages=pages, repository=config.extra["repository"])
    return link_api_names(text, frozenset(reference.public_names()))


def on_post_build(config: MkDocsConfig) -> None:
    """Remove the addresses from which the theme would load libraries that this site does not use."""
    for path in (Path(config.site_dir) / "assets" / "javascripts").glob("*.js"):
        text = path.read_text("utf-8")
        if FOREIGN.search(text):
            path.write_text(FOREIGN.sub("about:blank", text), "utf-8")
