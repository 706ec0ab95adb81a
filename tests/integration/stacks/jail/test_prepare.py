"""Real configurations in real jails: the files as they are, all that they name, and nothing of it left behind."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest
from jails import BODY_BYTES, arm_of, ask, running, site_of
from known import known
from texts.nginx_texts import OTHERS, OWN, others_configurations, own_configurations

from hopcost.errors import UsageError
from hopcost.machine import binaries
from hopcost.nginx.edits import Edit
from hopcost.stacks.jail.outcome import outcome_of
from hopcost.suites.arms.app import App
from hopcost.suites.arms.arm import Arm, Hop, Link
from hopcost.suites.arms.configuration import Configuration

NOT_FOR_ALL = ("limited",)  # its second request may be refused
LOGIN = ("Authorization", "Basic aG9wY29zdDpob3Bjb3N0")


@pytest.mark.parametrize("file", own_configurations(), ids=lambda file: file.parent.name)
def test_each_of_our_own_configurations_answers_in_its_jail(file: Path) -> None:
    configuration, site = site_of(file)
    with running(arm_of(configuration, site)) as stack:
        answer = ask(stack, "/", LOGIN)
        assert answer.status == 200, stack.last_lines("mine")
        assert len(answer.decoded) > 500
        assert stack.failure() is None
        mounts = Path(f"/proc/{stack.processes['mine'][0]}/mountinfo").read_text()
    assert "/ / rw" in mounts and "tmpfs hopcost" in mounts  # its root folder
    assert str(stack.session.directory) not in Path("/proc/self/mountinfo").read_text()
    assert not stack.session.directory.exists()


@pytest.mark.skipif(not os.environ.get(OTHERS), reason=f"{OTHERS} names no folder")
@pytest.mark.parametrize("file", others_configurations(), ids=lambda file: str(file.parent.name))
def test_other_peoples_configurations_answer_in_their_jails(file: Path) -> None:
    configuration, site = site_of(file)
    with running(arm_of(configuration, site)) as stack:
        assert ask(stack).status == 200, stack.last_lines("mine")


def write(folder: Path, text: str) -> Path:
    file = folder / "nginx.conf"
    file.write_text(text)
    return file


def test_the_users_file_is_in_the_jail_byte_for_byte_and_cannot_be_written_there(tmp_path: Path) -> None:
    file = OWN / "few-kept-connections" / "nginx.conf"
    configuration, site = site_of(file)
    with running(arm_of(configuration, site)) as stack:
        root = Path(f"/proc/{stack.processes['mine'][0]}/root")
        assert (root / "etc/nginx/nginx.conf").read_bytes() == file.read_bytes()
        if os.geteuid() == 0:
            with pytest.raises(OSError, match="Read-only"):
                (root / "etc/nginx/nginx.conf").open("ab")
        assert not (root / "etc/shadow").exists() and not (root / "root").exists()


def test_edits_change_the_copy_and_not_the_file(tmp_path: Path) -> None:
    text = "events {}\nhttp { server { listen 80; return 200 before; } }\n"
    file = write(tmp_path, text)
    start = text.index("before")
    edits = [Edit("/etc/nginx/nginx.conf", start, start + 6, "after")]
    configuration = Configuration(file=str(file), port=80, host="localhost", edits=edits)
    with running(Arm(hops=[Hop("mine", Link.HTTP_TCP, configuration=configuration)])) as stack:
        assert ask(stack).body == b"after"
    assert file.read_text() == text


def test_secrets_of_a_copy_are_in_the_jail_and_not_in_what_is_shown(tmp_path: Path) -> None:
    text = (
        "events {}\nhttp { server { listen 80; set $token planted-tok3n; "
        'location / { if ($http_x = "") { return 200 $token; } } } }\n'
    )
    file = write(tmp_path, text)
    at = text.index("location")
    edits = [Edit("/etc/nginx/nginx.conf", at, at, "add_header X-Api-Key planted-k3y; ")]
    configuration = Configuration(file=str(file), port=80, host="localhost", edits=edits)
    with running(Arm(hops=[Hop("mine", Link.HTTP_TCP, configuration=configuration)])) as stack:
        answer = ask(stack)
        assert answer.body == b"planted-tok3n" and "planted-k3y" in answer.head
        (hop,) = stack.prepared.hops
        shown = "".join(hop.shown_files.values())
        assert "listen 80" in shown and "planted" not in shown
        assert "PRIVATE KEY" not in shown


def test_a_changed_file_is_refused_by_its_digest(tmp_path: Path) -> None:
    file = write(tmp_path, "events {}\nhttp { server { listen 80; return 200 a; } }\n")
    configuration, _ = site_of(file)
    digest = outcome_of(configuration).text.digest
    kept = Configuration(file=str(file), port=80, host="localhost", digest=digest)
    outcome_of(kept)
    file.write_text("events {}\nhttp { server { listen 80; return 200 b; } }\n")
    with pytest.raises(UsageError, match="not what they were"):
        outcome_of(kept)


def test_an_apps_socket_and_every_other_upstream_answer(tmp_path: Path) -> None:
    file = write(
        tmp_path,
        "user somebody;\nevents {}\nhttp {\n"
        " server { listen 8080; location / { proxy_pass http://unix:/run/app/app.sock; }\n"
        "  location /two/ { proxy_pass http://two:9000; } location /php { fastcgi_pass unix:/run/php.sock; } } }\n",
    )
    configuration, site = site_of(file)
    with running(arm_of(configuration, site)) as stack:
        assert len(ask(stack, "/any/path?x=1").body) == BODY_BYTES
        for target in ("/two/a", "/php"):
            answer = ask(stack, target)
            assert (answer.status, answer.body) == (200, b"Hello World\n")
        assert set(stack.processes) == {"mine", "origin", "other-upstreams"}


PASSING = """
events {{}}
http {{ upstream app {{ server {server}; keepalive 4; }}
server {{ listen 80; location / {{ proxy_pass http://app; }} }} }}
"""


@pytest.mark.parametrize(
    ("server", "link", "port", "note"),
    [
        ("app:3000", Link.HTTP_TCP, None, None),
        ("app:3000", Link.HTTP_TCP, 3005, "127.0.0.1:3000 is 127.0.0.1:3005 here"),
        ("app", Link.HTTP_TCP, None, "127.0.0.1:80 is 127.0.0.1:2900 here"),
        ("10.4.5.6:3000", Link.HTTP_TCP, None, "10.4.5.6:3000 is 127.0.0.1:3000 here"),
        ("unix:/run/app/a.sock", Link.HTTP_UNIX, None, None),
        ("app:3000", Link.HTTP_UNIX, None, "127.0.0.1:3000 is unix:/run/hopcost-app.sock here"),
    ],
)
def test_the_users_app_answers_where_the_configuration_sends_requests(
    tmp_path: Path, server: str, link: Link, port: int | None, note: str | None
) -> None:
    file = write(tmp_path, PASSING.format(server=server))
    configuration, _ = site_of(file)
    place = "http+unix:{socket}" if link.is_unix else f"http+tcp:127.0.0.1:{port or '{port}'}"
    app = App(command=[str(binaries.require("hopcost-origin")), "--listen", place], port=port)
    front = Hop("mine", Link.HTTP_TCP, configuration=configuration)
    with running(Arm(hops=[front, Hop("shop", link, app=app)])) as stack:
        assert ask(stack, "/hello").body == b"Hello World\n"
        assert set(stack.processes) == {"mine", "shop"}
        notes = known(stack.surroundings).notes
    assert notes == ([] if note is None else [f"nginx.conf:3: {note}"])
    assert file.read_text() == PASSING.format(server=server)


def test_names_that_are_looked_up_under_load_are_this_machine(tmp_path: Path) -> None:
    file = write(
        tmp_path,
        "events {}\nhttp { resolver 10.9.8.7 valid=10s;\n"
        " server { listen 80; location / { set $app app.internal; proxy_pass http://$app:3000; } } }\n",
    )
    configuration, site = site_of(file)
    with running(arm_of(configuration, site)) as stack:
        assert ask(stack).status == 200, known(stack.failure() or "")
        assert "name-server" in stack.processes


def test_workers_are_as_many_as_the_stacks_cores(tmp_path: Path) -> None:
    file = write(tmp_path, "worker_processes auto;\nevents {}\nhttp { server { listen 80; return 200 a; } }\n")
    configuration, site = site_of(file)
    with running(arm_of(configuration, site)) as stack:
        ask(stack)
        assert len(stack.processes["mine"]) == 2  # the master, and one for the one core


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "events {}\nhttp {\n gzip maybe;\n server { listen 80; return 200 a; } }\n",
            'nginx.conf:3: nginx .* refuses it: invalid value "maybe"',
        ),
        ("events {}\nhttp { server { listen 80; listen 80; return 200 a; } }\n", "nginx.conf:2: .*duplicate listen"),
    ],
)
def test_what_nginx_refuses_is_told_with_its_line(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        outcome_of(site_of(write(tmp_path, text))[0])


def test_a_hop_that_nobody_would_ask_or_that_speaks_otherwise_is_refused(tmp_path: Path) -> None:
    configuration, _ = site_of(write(tmp_path, "events {}\nhttp { server { listen 80; return 200 a; } }\n"))
    front = Hop("mine", Link.HTTP_TCP, configuration=configuration)
    with pytest.raises(UsageError, match="passes no request on"), running(Arm([front, Hop("origin", Link.HTTP_TCP)])):
        pass
    with (
        pytest.raises(UsageError, match="is not reached over https"),
        running(Arm([Hop("mine", Link.HTTPS_TCP, configuration=configuration)])),
    ):
        pass
    passing, _ = site_of(OWN / "fastcgi" / "nginx.conf")
    front = Hop("mine", Link.HTTP_TCP, configuration=passing)
    with (
        pytest.raises(UsageError, match="passes requests on by fastcgi"),
        running(Arm([front, Hop("origin", Link.HTTP_TCP)])),
    ):
        pass


def test_an_nginx_of_ones_own_reads_it_and_tells_its_version(tmp_path: Path) -> None:
    binary = tmp_path / "own" / "nginx"
    binary.parent.mkdir()
    binary.write_text(
        '#!/bin/sh\n[ "$1" != -V ] || { echo "nginx version: nginx/1.14.2" >&2; exit 0; }\nexec nginx "$@"\n'
    )
    binary.chmod(0o755)
    configuration, site = site_of(OWN / "few-kept-connections" / "nginx.conf")
    own = msgspec.structs.replace(configuration, nginx=str(binary))
    with running(arm_of(own, site)) as stack:
        assert stack.prepared.hops[0].version == "1.14.2"
        assert ask(stack, "/").status == 200
    assert outcome_of(own).nginx.version == (1, 14, 2)
