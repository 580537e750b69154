"""server.json is what the registry accepts."""

from __future__ import annotations

import json

import jsonschema
import pytest

from tests.package.reading import document

SCHEMA = document("tests/package/server.schema.2025-12-11.json")
SERVER = document("server.json")
CHECK = jsonschema.Draft7Validator(SCHEMA, format_checker=jsonschema.FormatChecker())


def test_the_registry_schema_accepts_server_json() -> None:
    assert SERVER["$schema"] == SCHEMA["$id"]
    assert [error.message for error in CHECK.iter_errors(SERVER)] == []


@pytest.mark.parametrize(
    ("key", "value"),
    [("description", "x" * 101), ("name", "mcp-books"), ("packages", [{"identifier": "x"}])],
)
def test_the_registry_schema_refuses_what_the_registry_refuses(key: str, value: object) -> None:
    assert not CHECK.is_valid({**SERVER, key: value})


def test_the_package_is_run_by_uvx_over_stdio() -> None:
    (package,) = SERVER["packages"]
    assert package["registryType"] == "pypi"
    assert package["identifier"] == "mcp-books"
    assert package["runtimeHint"] == "uvx"
    assert package["transport"] == {"type": "stdio"}


def test_the_schemas_kept_name_no_package_registry() -> None:
    for name in ("server.schema.2025-12-11.json", "manifest.schema.0.4.json"):
        kept = json.dumps(document(f"tests/package/{name}"))
        assert [
            one for one in ("npmjs", "pypi", "docker.io", "nuget", "maven") if one in kept
        ] == []
