"""Loads plugins that are a single Python file, for a quick try: `--plugin ./mymethod.py`.

A file that implements hooks registers by them; of any other each method that it defines is registered. Its text is read
once, here, and every process that needs the file gets that text.
"""

from __future__ import annotations

import contextlib
import importlib
import sys
import time
from collections.abc import Iterable
from importlib.util import decode_source, find_spec
from pathlib import Path
from types import ModuleType

from lcbench.contract.specs import MethodSpec
from lcbench.errors import PluginError, error_text
from lcbench.reading import MOST_TEXT_BYTES, read_regular
from lcbench.registry.catalogue import Source
from lcbench.registry.file_modules import SourceFile, serve, served, withdraw
from lcbench.registry.host import Plugin, PluginHost, plugin_host
from lcbench.registry.plugin_code import fault_of, importing

SUFFIX = ".py"
ALONE = "a plugin file stands alone. Put all into the one file, or make a package of it, as 'lcbench new' does"


def load_plugin_files(paths: Iterable[str], host: PluginHost | None = None) -> None:
    """Load plugin files; PluginError, and nothing registered of the file, if one cannot be used.

    One that was loaded before is loaded anew if its text has changed, and then replaces what it registered.
    """
    files: dict[str, tuple[str, SourceFile]] = {}
    for path in paths:
        name, file = read_plugin_file(path)
        if files.setdefault(name, (path, file))[1].path != file.path:
            raise PluginError(f"Two plugin files are called {name}{SUFFIX}: rename one of them.")
    for name, (path, file) in files.items():
        _load(name, file, path, host or plugin_host())


def read_plugin_file(path: str) -> tuple[str, SourceFile]:
    """The name of the module that a plugin file makes, and the file; PluginError if there is no such file."""
    try:
        return _read(path)
    except OSError as error:
        raise PluginError(f"The plugin file '{path}' cannot be read ({error.strerror}).") from error
    except RuntimeError as error:  # a user who is not there, or links in a circle
        raise PluginError(f"The plugin file '{path}' cannot be found ({error_text(error)}).") from error
    except (UnicodeDecodeError, SyntaxError, LookupError):
        raise PluginError(f"The plugin file '{path}' is no text in UTF-8.") from None


def _read(path: str) -> tuple[str, SourceFile]:
    typed = Path(path).expanduser()
    where = typed.parent.resolve() / typed.name  # a link keeps its name, which is the user's
    if where.is_dir():
        raise PluginError(f"'{path}' is a folder: --plugin takes one Python file. A package is installed with pip.")
    if where.suffix != SUFFIX:
        raise PluginError(f"'{path}' does not end in {SUFFIX}: --plugin takes the path of a Python file.")
    if not where.exists():
        raise PluginError(f"There is no plugin file '{path}'.")
    if not where.is_file():
        raise PluginError(f"'{path}' is no plain file: --plugin takes the path of a Python file.")
    if not where.stem.isidentifier():
        raise PluginError(
            f"The plugin file '{path}' has a name that Python cannot import: rename it, as in my_method.py."
        )
    return where.stem, SourceFile(str(where), decode_source(read_regular(where, MOST_TEXT_BYTES)))


def _load(name: str, file: SourceFile, path: str, host: PluginHost) -> None:
    source = Source(name, f"file {name}{SUFFIX}", file=path)
    known, module = served().get(name), sys.modules.get(name)
    if known == file and any(plugin.source.distribution == source.distribution for plugin in host.plugins):
        return
    if known is None:
        _refuse_taken(name, file, source)
    start = time.perf_counter()
    serve({name: file})
    try:
        plugin = Plugin(source, file.path)
        made = _imported(name, file, source)
        host.load_file(plugin, made, lambda: _derived(made, source))
        plugin.seconds = time.perf_counter() - start
    except BaseException:
        withdraw(name)
        if known is not None:
            serve({name: known})
        if module is not None:
            sys.modules[name] = module
        raise


def _refuse_taken(name: str, file: SourceFile, source: Source) -> None:
    """Refuse a file with the name of another module, which could not be imported any more."""
    if name not in sys.modules:
        with contextlib.suppress(ImportError, ValueError, OSError):
            found = find_spec(name)
            if found is None or (found.has_location and found.origin and Path(found.origin).samefile(file.path)):
                return
    raise PluginError(f"{source} has the name of another module, '{name}', that can be imported: rename the file.")


def _imported(name: str, file: SourceFile, source: Source) -> ModuleType:
    """The module of a file; what it prints goes to standard error."""
    with importing(source):
        try:
            return importlib.import_module(name)
        except ImportError as error:
            if beside := _beside(error, file):
                why = f"it imports {beside} ({fault_of(error).place}), and {ALONE}"
                raise PluginError(f"{source} could not be loaded: {why}.") from error
            raise


def _beside(error: ImportError, file: SourceFile) -> str:
    """The module beside a file that it could not import, in words; empty if that was not the reason."""
    if "relative import" in error_text(error):
        return "what lies beside it"
    top = (error.name or "").partition(".")[0]
    folder = Path(file.path).parent
    there = top and ((folder / f"{top}{SUFFIX}").exists() or (folder / top).is_dir())
    return f"'{top}', which lies beside it" if there else ""


def _derived(module: ModuleType, source: Source) -> list[MethodSpec]:
    from lcbench.registry.derived_specs import derived_specs

    provenance = f"not known: it comes from the file {module.__name__}{SUFFIX}"
    try:
        return derived_specs(module, provenance)
    except PluginError as error:
        raise PluginError(f"{source} cannot be used: {error}") from None
