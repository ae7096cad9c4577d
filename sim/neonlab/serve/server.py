"""Run the server of `neonlab serve`, on this machine only and for holders of the token."""

from __future__ import annotations

import gc
import multiprocessing.util
import secrets
import socket
import tempfile
import webbrowser
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from importlib import import_module
from importlib.resources import files
from pathlib import Path

from neonlab.contract.options import Given
from neonlab.errors import InputError
from neonlab.lab.repository.library import open_library
from neonlab.lab.watch.saves import saves_in
from neonlab.lab.watch.session import folders_of
from neonlab.measure.cores.modelled import ModelledCore
from neonlab.serve.answers import Answers, add_answers
from neonlab.serve.guard import Guard
from neonlab.serve.script import SCRIPT
from neonlab.serve.studio import Studio

HOST = "127.0.0.1"
_PATIENCE = 30.0  # seconds that a page may be silent, on a busy or sleeping computer, before it must load again


def variants_of(path: Path, root: Path) -> tuple[Path, ...]:
    """Return the file `path`, then those of the repository's kernels of the same operator and instruction set.

    Only `path` is returned if the repository or the file cannot be read.
    """
    try:
        kernels = open_library(root).kernels if root in path.parents else ()
    except InputError:
        return (path,)
    here = next((kernel for kernel in kernels if kernel.path == path), None)
    if here is None or here.operator is None:
        return (path,)
    others = [k.path for k in kernels if k.operator is here.operator and k.isa is here.isa and k.path != path]
    return (path, *others)


def serve(
    path: Path, root: Path, *, given: Given, shape: str | None, cores: Sequence[ModelledCore], seed: int, port: int,
    browser: bool, tell: Callable[[str], None],
) -> None:  # fmt: skip
    """Serve until interrupted.  Raises InputError if the file cannot be edited, or NiceGUI is not installed."""
    try:
        import nicegui  # noqa: F401
    except ModuleNotFoundError:
        raise InputError("`neonlab serve` needs NiceGUI: pip install 'neonlab[serve]'") from None
    paths = variants_of(path, root)
    token, kept_in = secrets.token_urlsafe(24), Path(tempfile.gettempdir())
    with ExitStack() as stack:
        stack.enter_context(_own_temporary_folder())
        studio = Studio(paths, root, given=given, shape=shape, cores=cores, seed=seed)
        listening = stack.enter_context(_listen(port))
        port = listening.getsockname()[1]
        stack.enter_context(studio.desk)
        stack.enter_context(studio.searcher)
        stack.enter_context(studio.comparer)
        stack.enter_context(saves_in(folders_of(path, root), studio.heard))
        address = f"http://{HOST}:{port}/?token={token}"
        tell(f"{path.name} at {address}")
        if browser:
            webbrowser.open(address)
        try:
            _run(studio, Answers({paths[0]: given}, cores), token, port, listening)
        finally:
            for kept in studio.unsaved_texts(kept_in):
                tell(f"unsaved text is kept in {kept}")
            gc.freeze()  # the process ends now: to search all of its objects for garbage takes a second


@contextmanager
def _own_temporary_folder() -> Iterator[None]:
    """Let all temporary folders lie in one, which goes with the server though a thread may still compute there."""
    multiprocessing.util.get_temp_dir()  # made before, as multiprocessing removes it later
    before = tempfile.tempdir
    with tempfile.TemporaryDirectory(prefix="neonlab-", ignore_cleanup_errors=True) as tempfile.tempdir:
        try:
            yield
        finally:
            tempfile.tempdir = before


def _listen(port: int) -> socket.socket:
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port))
    except OSError as error:
        listening.close()
        raise InputError(f"cannot open port {port} on {HOST}: {error.strerror}; choose another with --port") from None
    listening.listen(64)
    return listening


def _run(studio: Studio, answers: Answers, token: str, port: int, listening: socket.socket) -> None:
    import uvicorn
    from fastapi import FastAPI
    from nicegui import app as nicegui_app
    from nicegui import ui

    from neonlab.report.page.render import pipeline_assets
    from neonlab.serve.page import Page
    from neonlab.serve.parts import first_paint

    static = files("neonlab.serve") / "static"
    pictures, behaviour = pipeline_assets()
    style = (static / "serve.css").read_text(encoding="utf-8") + pictures

    async def build() -> None:
        ui.add_css(style)
        ui.add_body_html(first_paint(studio.front.name, studio.drafts[studio.front].text))
        ui.add_body_html(f"<script>{behaviour}</script>")
        await Page(studio).start()

    import_module("nicegui.elements.codemirror")  # before the first page, which lists the scripts known by then
    nicegui_app.add_static_files(SCRIPT.rpartition("/")[0], str(static))
    app = FastAPI(openapi_url=None)
    add_answers(app, answers, lambda path: path in studio.drafts)
    ui.page("/", title="neonlab", dark=None)(build)
    ui.run_with(
        app, title="neonlab", dark=None, tailwind=False, favicon=_ICON, show_welcome_message=False,
        binding_refresh_interval=None, reconnect_timeout=_PATIENCE,
    )  # fmt: skip
    config = uvicorn.Config(
        Guard(app, token, port), log_level="critical", access_log=False, timeout_graceful_shutdown=1, ws="wsproto"
    )
    uvicorn.Server(config).run(sockets=[listening])


_ICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#0b62c4"/>'
    '<path d="M4 12V4l8 8V4" fill="none" stroke="#fff" stroke-width="2"/></svg>'
)
