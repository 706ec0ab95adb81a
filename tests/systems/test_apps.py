"""The apps themselves, without hopcost: each answers, and drops idle connections when the other tests say it does."""

from __future__ import annotations

import socket
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from systems import apps
from systems.apps import DJANGO, EXPRESS, GUNICORN, THREADS, UVICORN, RealApp
from systems.database import Database

LONGEST_S = 8.0  # an app that keeps an idle connection for so long counts as one that keeps it
REQUEST = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"


def test_each_app_answers_and_keeps_an_idle_connection_for_as_long_as_is_said(shop: Database, tmp_path: Path) -> None:
    all_apps = [EXPRESS, UVICORN, GUNICORN, THREADS, DJANGO, apps.go_app(tmp_path)]
    with ThreadPoolExecutor(len(all_apps)) as pool:
        kept = dict(zip(all_apps, pool.map(lambda app: kept_for(app, shop), all_apps), strict=True))
    for app, seconds in kept.items():
        assert (seconds is not None and seconds < 1) == (not app.keeps_connections), app.name
        if app.keeps_connections and app.idle_timeout_s is not None:
            assert seconds is not None and seconds > app.idle_timeout_s - 0.1, app.name  # how much later is chance
        elif app.keeps_connections:
            assert seconds is None, app.name


def kept_for(app: RealApp, shop: Database) -> float | None:
    """Seconds from an answer until the app closes the connection; None if it has not."""
    with apps.running(app, shop.environment()) as port, socket.create_connection(("127.0.0.1", port)) as connection:
        connection.settimeout(60)  # a busy machine
        connection.sendall(REQUEST)
        answer = connection.recv(65536)
        assert answer.startswith(b"HTTP/1.1 200 OK\r\n"), answer
        connection.settimeout(LONGEST_S)
        answered = time.monotonic()
        try:
            while connection.recv(65536):
                answered = time.monotonic()
        except TimeoutError:
            return None
        return time.monotonic() - answered
