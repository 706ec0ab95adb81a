"""The servers behind the URLs: where each is reached, which processes on this machine serve it, what people call it."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import msgspec

from hopcost.errors import CannotMeasure, UsageError
from hopcost.machine.listeners import Listener
from hopcost.measure.protocols.versus.places import (
    Place,
    host_and_port,
    own_addresses,
    place_of,
    refuse_public,
    resolve,
)
from hopcost.measure.protocols.versus.url import Url, read_url
from hopcost.stacks.attached import processes
from hopcost.stacks.attached.freezing import refuse_unfreezable
from hopcost.stacks.sandbox import usage
from hopcost.suites.arms.arm import Link
from hopcost.suites.arms.server import RunningServer, ServerHop

CGROUPS = Path("/sys/fs/cgroup")
NAMED = re.compile(r"(\d+)=(.+)")
PIDS_SHOWN = 6


class Wishes(msgspec.Struct, frozen=True):
    """What the command line says of the servers besides their URLs; `pids` and `cgroups` by the number of the URL."""

    pids: Mapping[int, list[int]] = {}
    cgroups: Mapping[int, list[str]] = {}
    freeze: bool = False
    may_load: bool = False
    method: str = "GET"
    body_file: str | None = None
    verify: bool = True
    ca_file: str | None = None
    http2: frozenset[int] = frozenset()  # the numbers of the URLs


class Found(msgspec.Struct, frozen=True):
    """A server, its name in reports, and a line for the screen about who it is."""

    name: str
    server: RunningServer
    words: str


def read_named(option: str, words: Sequence[str], urls: int) -> dict[int, list[str]]:
    """`2=4711` as the second URL's, several of one together; UsageError for anything else.

    >>> read_named("--pid", ["2=4711", "2=4712"], 2)
    {2: ['4711', '4712']}
    """
    named: dict[int, list[str]] = {}
    for word in words:
        match = NAMED.fullmatch(word)
        if match is None or not 1 <= int(match[1]) <= urls:
            raise UsageError(
                f"{option} {word}: expected the number of a URL, from 1 to {urls}, and what belongs to it",
                f"as in {option} 2=…: of the second URL",
            )
        named.setdefault(int(match[1]), []).append(match[2])
    return named


def find_servers(texts: Sequence[str], wishes: Wishes) -> list[Found]:
    """All servers in their order; UsageError or CannotMeasure for one that cannot be, or must not be, loaded."""
    urls = [read_url(text) for text in texts]
    names = names_of(urls, wishes.http2)
    return [_find(number, url, names[number - 1], wishes) for number, url in enumerate(urls, start=1)]


def names_of(urls: Sequence[Url], http2: Collection[int] = ()) -> list[str]:
    """Short names, each once: host and port, and whether HTTP/2 is spoken; the path too if they are alike; a number.

    >>> names_of([read_url(text) for text in (":80/a", ":80/b", "unix:/run/app.sock:/", ":80/b")])
    ['localhost:80-a', 'localhost:80-b', 'app.sock', 'localhost:80-b-2']
    >>> names_of([read_url("https://localhost"), read_url("https://localhost")], http2=[2])
    ['localhost:443', 'localhost:443-http2']
    """
    numbered = enumerate(urls, start=1)
    places = [_place_name(url) + ("-http2" if number in http2 else "") for number, url in numbered]
    names: list[str] = []
    for url, place in zip(urls, places, strict=True):
        path = re.sub(r"[^A-Za-z0-9._-]+", "-", url.target.partition("?")[0].strip("/"))  # a query may hold a key
        name = f"{place}-{path}" if path and places.count(place) > 1 else place
        taken = sum(known == name or re.fullmatch(re.escape(name) + r"-\d+", known) is not None for known in names)
        names.append(f"{name}-{taken + 1}" if taken else name)
    return names


def _place_name(url: Url) -> str:
    if url.link is Link.HTTP_UNIX:
        return re.sub(r"[^A-Za-z0-9._-]+", "-", Path(url.host).name).lstrip("-._") or "socket"
    return f"ip6.{url.host}:{url.port}" if ":" in url.host else f"{url.host}:{url.port}"


def _find(number: int, url: Url, name: str, wishes: Wishes) -> Found:
    is_unix = url.link is Link.HTTP_UNIX
    link = _link(number, url, wishes)
    ip = "" if is_unix else resolve(url)
    if not is_unix:
        refuse_public(url, ip, may_load=wishes.may_load)
    server = RunningServer(
        url=url.text,
        link=link.value,
        address=url.host if is_unix else host_and_port(ip, url.port),
        host=url.authority,
        target=url.target,
        method=wishes.method,
        body_file=wishes.body_file,
        server_name=url.host if link.is_tls else None,
        verify=wishes.verify,
        ca_file=wishes.ca_file,
        is_here=is_unix or place_of(ip, own_addresses()) is Place.HERE,
        freeze=wishes.freeze,
    )
    listener = processes.listener_of(server) if server.is_here else None
    hops = _counted_once(number, [*_listening(listener), *_behind(number, wishes)])
    names = [hop.name for hop in hops]
    hops = [
        hop if names.index(hop.name) == at else msgspec.structs.replace(hop, name=f"{hop.name}-{at + 1}")
        for at, hop in enumerate(hops)
    ]
    server = msgspec.structs.replace(server, hops=hops)
    _refuse_unfreezable(name, server)
    return Found(name, server, f"{name} {_words(number, server, listener)}")


def _link(number: int, url: Url, wishes: Wishes) -> Link:
    if number not in wishes.http2:
        return url.link
    if not url.link.is_tls:
        raise UsageError(f"--http2 {number}: `{url.text}` is reached without TLS", "https://…")
    return Link.HTTP2_TLS


def _listening(listener: Listener | None) -> list[ServerHop]:
    """The hop that the client reaches; none if its CPU time cannot be known."""
    if listener is None or listener.is_docker_proxy:
        return []
    cgroup = processes.own_cgroup(listener)
    if not listener.pids and cgroup is None:
        return []
    return [ServerHop(name=processes.hop_name(listener), pids=listener.pids, cgroup=cgroup)]


def _behind(number: int, wishes: Wishes) -> list[ServerHop]:
    """The hops that --pid and --cgroup name."""
    hops = []
    for pid in wishes.pids.get(number, []):
        name = processes.name_of(pid)
        if name is None:
            raise UsageError(f"--pid {number}={pid}: there is no such process", "pgrep -a NAME lists pids")
        hops.append(ServerHop(name=name, pids=[pid], listens=False))
    for word in wishes.cgroups.get(number, []):
        folder = Path(word) if word.startswith("/") else CGROUPS / word
        try:
            usage.account_ns(folder)
        except (OSError, ValueError, IndexError) as error:
            raise UsageError(
                f"--cgroup {number}={word}: no CPU time is counted in {folder}", "a folder with a file cpu.stat in it"
            ) from error
        hops.append(ServerHop(name=folder.name, cgroup=str(folder), listens=False))
    return hops


def _counted_once(number: int, hops: Sequence[ServerHop]) -> list[ServerHop]:
    """The hops with each process in one of them: in two its CPU time would count twice.

    What is known already is left out. A cgroup that has all processes of a hop and others counts in its place, under
    its name. UsageError for processes of which some are known already and the others are not.
    """
    kept: list[ServerHop] = []
    for hop in hops:
        own = processes.members_of(hop)
        shared = [other for other in kept if own & processes.members_of(other)]
        known = {pid for other in shared for pid in processes.members_of(other)}
        if not shared:
            kept.append(hop)
        elif hop.cgroup is not None and len(shared) == 1 and own > known:
            kept[kept.index(shared[0])] = msgspec.structs.replace(shared[0], cgroup=hop.cgroup)
        elif not own <= known:
            names = " and ".join(other.name for other in shared)
            raise UsageError(
                f"URL {number}: {hop.name}: some of its processes count as {names} already, and others do not",
                "--pid for each of the others, or --cgroup for all of them",
            )
    return kept


def _refuse_unfreezable(name: str, server: RunningServer) -> None:
    if not server.freeze:
        return
    pids = [pid for hop in server.hops for pid in processes.present_pids(server, hop)]
    if not pids:
        raise CannotMeasure(f"{name}: --freeze: no process of it is known here", "name one with --pid, or --freeze not")
    refuse_unfreezable(name, pids)


def _words(number: int, server: RunningServer, listener: Listener | None) -> str:
    """`is gunicorn ×3 (pids 41, 42, 43)`, or why its CPU time is not known."""
    behind = [hop.name for hop in server.hops if not hop.listens]
    also = f", with {' and '.join(behind)} behind it" if behind else ""
    if listener is not None and listener.is_docker_proxy:
        if behind:
            return f"is reached through docker-proxy{also}"
        return f"is docker-proxy, which only forwards: name the container's process with --pid {number}=PID"
    if listener is not None and (listener.pids or listener.names):
        shown = ", ".join(map(str, listener.pids[:PIDS_SHOWN])) + (", …" if len(listener.pids) > PIDS_SHOWN else "")
        pids = f" (pid{'s' * (len(listener.pids) > 1)} {shown})" if listener.pids else ""
        return f"is {', '.join(listener.names)}{pids}{also}"
    if behind:
        return f"is {' and '.join(behind)}"
    if not server.is_here:
        return "runs elsewhere: throughput and response times only"
    why = "another user's" if listener is not None else "not to be seen from here"
    return f"has processes that are {why}: no CPU time; --pid {number}=PID names one"
