"""Loads the app an operator names as MODULE:APP: a module that Python can import, or a file."""

from __future__ import annotations

import importlib
import importlib.util
import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import Any

from ..bots.app import App
from ..store.errors import OverwinterError
from .errors import AppAttributeError, AppImportError, AppModuleError, AppTargetError, AppTypeError


def load_app(target: str, *, folder: Path) -> App:
    """Load an app.

    Args:
        target: ``office:app``, ``office.bots:app`` or ``bots/office.py:app``.
        folder: the current one; modules in it can be imported.

    Raises:
        AppLoadError: (assembly.app-*) it cannot be loaded; says why and what to do.
        OverwinterError: what the module itself raised, such as ``assembly.tool-definition``.
    """
    place, colon, name = target.rpartition(":")
    if not colon or not place or not all(part.isidentifier() for part in name.split(".")):
        raise AppTargetError(f"{target!r} names no app: write MODULE:APP, such as office:app or bots/office.py:app")
    is_file = place.endswith(".py")
    module = _load_file(folder / place) if is_file else _load_module(place, folder=folder)
    return _app_in(module, name, place=place)


def _load_module(name: str, *, folder: Path) -> ModuleType:
    if not all(part.isidentifier() for part in name.split(".")):
        raise AppModuleError(f"{name!r} is no module's name; a file's name ends with .py")
    _make_importable(folder)
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(f"{error.name}.")):
            raise AppModuleError(
                f"there is no module {error.name!r}: neither in {folder} nor installed. "
                "Run the command where it is, or name its file, such as path/to/office.py:app"
            ) from error
        raise _import_error(name, error) from error
    except OverwinterError:
        raise
    except (Exception, SystemExit) as error:
        raise _import_error(name, error) from error


def _load_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise AppModuleError(f"there is no file {path}; name the file of the app, such as path/to/office.py:app")
    _make_importable(path.parent)
    # A name of its own: office.py must not stand in for an installed module called office.
    name = f"overwinter_app_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise AppModuleError(f"{path} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except OverwinterError:
        del sys.modules[name]
        raise
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise _import_error(str(path), error) from error
    return module


def _make_importable(folder: Path) -> None:
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))


def _import_error(name: str, error: BaseException) -> AppImportError:
    where = f"{error.filename}:{error.lineno}" if isinstance(error, SyntaxError) else _last_place(error)
    text = error.msg if isinstance(error, SyntaxError) else str(error)
    return AppImportError(f"importing {name} raised {type(error).__name__} at {where}: {text}")


def _last_place(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if not frame.filename.startswith("<frozen") and frame.filename != __file__]
    return f"{own[-1].filename}:{own[-1].lineno}" if own else "its first line"


def _app_in(module: ModuleType, name: str, *, place: str) -> App:
    found: Any = module
    for part in name.split("."):
        try:
            found = getattr(found, part)
        except AttributeError as error:
            raise AppAttributeError(f"{place} has no {name!r}.{_apps_in(module, place)}") from error
    if not isinstance(found, App):
        raise AppTypeError(
            f"{name!r} in {place} is no App but a {type(found).__name__}.{_apps_in(module, place)}"
            " Make one in the module: app = App(name=..., agents=[...])"
        )
    return found


def _apps_in(module: ModuleType, place: str) -> str:
    names = [name for name, value in vars(module).items() if isinstance(value, App)]
    return f" There is {', '.join(f'{place}:{name}' for name in names)}." if names else ""
