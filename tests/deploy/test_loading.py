"""Loading the app that a command names."""

from __future__ import annotations

from pathlib import Path

import pytest

from overwinter.bots.app import App
from overwinter.bots.errors import ToolDefinitionError
from overwinter.deploy.errors import (
    AppAttributeError,
    AppImportError,
    AppLoadError,
    AppModuleError,
    AppTargetError,
    AppTypeError,
)
from overwinter.deploy.loading import load_app

pytestmark = pytest.mark.usefixtures("clean_environment")

APP = "from overwinter.bots.app import App\napp = App(name='office')\n"


def test_a_module_of_the_current_folder_is_found(tmp_path: Path) -> None:
    (tmp_path / "office_in_folder.py").write_text(APP)
    assert load_app("office_in_folder:app", folder=tmp_path).name == "office"


def test_a_file_is_loaded_with_what_lies_beside_it(tmp_path: Path) -> None:
    (tmp_path / "bots").mkdir()
    (tmp_path / "bots" / "office_names.py").write_text("NAME = 'office'\n")
    (tmp_path / "bots" / "office.py").write_text(
        "from office_names import NAME\nfrom overwinter.bots.app import App\nclass Apps:\n    main = App(name=NAME)\n"
    )
    assert load_app("bots/office.py:Apps.main", folder=tmp_path).name == "office"


def test_an_installed_module_is_found(tmp_path: Path) -> None:
    assert isinstance(load_app("overwinter.bots.examples.refund:app", folder=tmp_path), App)


@pytest.mark.parametrize(
    ("target", "error", "says"),
    [
        ("office", AppTargetError, "write MODULE:APP"),
        ("office:", AppTargetError, "write MODULE:APP"),
        (":app", AppTargetError, "write MODULE:APP"),
        ("office:app()", AppTargetError, "write MODULE:APP"),
        ("no_such_office:app", AppModuleError, "there is no module 'no_such_office': neither in"),
        ("no_such.office:app", AppModuleError, "there is no module 'no_such'"),
        ("bots/office:app", AppModuleError, "a file's name ends with .py"),
        ("no/office.py:app", AppModuleError, "there is no file"),
        ("whole.py:ap", AppAttributeError, "whole.py has no 'ap'. There is whole.py:app."),
        ("whole.py:number", AppTypeError, "'number' in whole.py is no App but a int. There is whole.py:app."),
        (
            "needs.py:app",
            AppImportError,
            "raised ModuleNotFoundError at {folder}/needs.py:2: No module named 'not_there'",
        ),
        ("wrong.py:app", AppImportError, "raised SyntaxError at {folder}/wrong.py:1"),
        ("exits.py:app", AppImportError, "raised SystemExit at {folder}/exits.py:1"),
        ("needs:app", AppImportError, "importing needs raised ModuleNotFoundError"),
    ],
)
def test_what_cannot_be_loaded_is_told_with_its_place(
    tmp_path: Path, target: str, error: type[AppLoadError], says: str
) -> None:
    (tmp_path / "whole.py").write_text(f"{APP}number = 3\n")
    (tmp_path / "needs.py").write_text("\nimport not_there\n")
    (tmp_path / "wrong.py").write_text("def\n")
    (tmp_path / "exits.py").write_text("raise SystemExit(3)\n")
    with pytest.raises(error) as caught:
        load_app(target, folder=tmp_path)
    assert says.format(folder=tmp_path) in str(caught.value)


def test_what_the_app_itself_finds_wrong_is_told_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "faulty.py").write_text(
        "from overwinter.bots.tools import tool\n@tool\nasync def nothing() -> str: ...\n"
    )
    for target in ("faulty.py:app", "faulty:app"):
        with pytest.raises(ToolDefinitionError, match="tool nothing has no body"):
            load_app(target, folder=tmp_path)
