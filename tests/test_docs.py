"""The documentation says what the code does, and all of it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pydantic import SecretStr
from pydantic_core import PydanticUndefined
from service import settings_for
from starlette.routing import Route

from api_server import create_app
from config import Settings
from feeds.post_json import PostJson
from history.join import MAX_MESSAGES
from posts.filters import LONGEST_PATTERN, Filters
from posts.flags import FLAGS
from routes.query import LIMIT_DEFAULT, LIMIT_MAX, LIMIT_MIN, MERGE_SECONDS_DEFAULT, MERGE_SECONDS_MAX
from tg_cache import StaleReason

ROOT = Path(__file__).resolve().parent.parent


def rows(document: str) -> list[list[str]]:
    """The cells of all tables of a document, header rows left out."""
    lines = (ROOT / document).read_text("utf-8").splitlines()
    tables = [line for line, following in zip(lines, [*lines[1:], ""], strict=True) if "|---" not in following]
    return [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in tables
        if line.startswith("|") and not line.startswith("|---")
    ]


def default_of(name: str) -> str:
    """The default of a setting as the documentation writes it."""
    value = Settings.model_fields[name].default
    if value is PydanticUndefined:
        return "required"
    if value in ("", ()) or (isinstance(value, SecretStr) and not value.get_secret_value()):
        return "empty"
    text = str(value).lower() if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)
    return f"`{text}`"


def test_every_setting_is_documented_with_its_default_and_meaning_and_no_other() -> None:
    documented = {name.strip("`"): (default, meaning) for name, default, meaning in rows("docs/settings.md")}
    expected = {
        name.upper(): (
            default_of(name),
            f"{field.description} *Secret.*" if "SecretStr" in str(field.annotation) else field.description,
        )
        for name, field in Settings.model_fields.items()
    }
    assert documented == expected


async def test_every_route_is_documented_and_no_other(tmp_path: Path) -> None:
    app = create_app(settings_for(tmp_path))
    async with app.router.lifespan_context(app):
        served = {route.path for route in app.routes if isinstance(route, Route)}
    documented = {cells[0].strip("`") for cells in rows("docs/routes.md") if cells[0].startswith("`/")}
    # The code takes apart itself what follows the name of these routes.
    prefix = re.compile(r"^(/rss|/atom|/feed\.json|/html|/post/html|/json|/post/json|/raw_json)/.*")
    assert served == {prefix.sub(r"\1/{path:path}", path) for path in documented}


def test_the_query_parameters_are_documented_with_their_defaults() -> None:
    documented = {cells[0].strip("`"): cells for cells in rows("docs/routes.md") if len(cells) == 3}
    assert documented["limit"][1] == str(LIMIT_DEFAULT)
    assert f"{LIMIT_MIN} to {LIMIT_MAX}" in documented["limit"][2]
    assert documented["merge_seconds"][1] == str(MERGE_SECONDS_DEFAULT)
    assert f"0 to {MERGE_SECONDS_MAX}" in documented["merge_seconds"][2]
    assert set(Filters.__struct_fields__) < documented.keys()


def test_the_bounds_of_filters_and_pages_are_documented() -> None:
    text = " ".join((ROOT / "docs/routes.md").read_text("utf-8").split())
    assert f"most {LONGEST_PATTERN} characters" in text
    assert f"up to {MAX_MESSAGES} messages" in text and f"{MAX_MESSAGES // 100} calls to Telegram at most" in text


def test_every_flag_is_documented_with_what_it_means_and_no_other() -> None:
    section = (ROOT / "docs/routes.md").read_text("utf-8").partition("\n## Flags\n")[2].partition("\n## ")[0]
    assert dict(re.findall(r"^\| `(\w+)` \| (.+) \|$", section, re.MULTILINE)) == {
        flag.name: flag.description for flag in FLAGS
    }


def test_every_field_of_a_post_is_documented_and_no_other() -> None:
    section = (ROOT / "docs/routes.md").read_text("utf-8").partition("\n## A post as JSON\n")[2].partition("\n## ")[0]
    rows_of_fields = re.findall(r"^\| (`.+?) \|", section, re.MULTILINE)
    documented = [name for row in rows_of_fields for name in re.findall(r"`(\w+)`", row)]
    assert set(documented) == set(PostJson.__struct_fields__)
    assert len(documented) == len(set(documented))


def test_the_example_environment_names_only_settings() -> None:
    names = re.findall(r"^#?\s*([A-Z_]+)=", (ROOT / ".env.example").read_text("utf-8"), re.MULTILINE)
    assert {"TG_API_ID", "TG_API_HASH", "TOKEN"} <= set(names)
    assert {name.lower() for name in names} <= set(Settings.model_fields)


def test_every_command_of_run_sh_is_in_the_readme() -> None:
    commands = re.findall(r"^([a-z]+)\(\) \{ # ", (ROOT / "run.sh").read_text("utf-8"), re.MULTILINE)
    readme = (ROOT / "README.md").read_text("utf-8")
    assert len(commands) == 7
    for command in commands:
        assert f"./run.sh {command}" in readme or f"`{command}`" in readme


@pytest.mark.parametrize(
    "document", ["README.md", "CHANGELOG.md", "docs/architecture.md", "docs/operations.md", "docs/routes.md"]
)
def test_links_between_documents_lead_somewhere(document: str) -> None:
    path = ROOT / document
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", path.read_text("utf-8")):
        assert (path.parent / target).exists(), target


def test_the_map_of_the_architecture_names_what_is_there() -> None:
    named = set(re.findall(r"`([a-z_]+(?:\.py|/))`", (ROOT / "docs/architecture.md").read_text("utf-8")))
    ours = {path.name for path in ROOT.glob("*.py")} | {
        f"{path.name}/" for path in ROOT.iterdir() if (path / "__init__.py").is_file()
    }
    assert named == ours


def test_every_reason_of_a_stale_feed_is_documented_and_no_other() -> None:
    section = (ROOT / "docs/operations.md").read_text("utf-8").partition("### Stale feeds")[2].partition("\n### ")[0]
    documented = re.findall(r"^\| `([a-z-]+)` \|", section, re.MULTILINE)
    assert documented == [reason.value for reason in StaleReason]
