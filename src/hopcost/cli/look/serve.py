"""`hopcost serve`: the kept records in a browser."""

from __future__ import annotations

from typing import Annotated

import typer

from hopcost.cli.shared.history import Database
from hopcost.cli.shared.verbs.app import app, examples

EPILOG = examples(
    "hopcost serve",
    "hopcost serve --database postgresql://reader@db.example/hopcost --port 9000",
    then="Records come from hopcost keep, or from --keep of a verb that measures. The page listens on 127.0.0.1 and"
    " nowhere else: docs/tutorial/history-page.md has a reverse proxy with a login before it. Ctrl-C stops it.",
)


@app.command("serve", epilog=EPILOG)
def serve(
    database: Database = None,
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, metavar="PORT", help="The port; 0 takes a free one.")
    ] = 8420,
) -> None:
    """Show the kept records in a browser, on this machine alone.

    A list to search, reports, two records compared, histories with their changes. The page only reads.
    """
    import contextlib
    import sys

    from hopcost.cli.shared.history import open_history
    from hopcost.errors import needs_extra, printable

    with needs_extra("html", "hopcost serve"):
        import hopcost.report.formats.html.page  # noqa: F401  # altair loads for a second: now, not at the first report
    with needs_extra("page", "hopcost serve"):
        from hopcost.page import server
    with open_history(database) as history, contextlib.closing(server.bind(port)) as listener:
        page = server.make_server(history)
        print(server.address_of(listener), flush=True)
        print(printable(f"the records of {history.place}; Ctrl-C stops it"), file=sys.stderr)
        with contextlib.suppress(KeyboardInterrupt):
            page.run(sockets=[listener])
    print("stopped", file=sys.stderr)
