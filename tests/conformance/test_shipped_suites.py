"""The suites that come with hopcost: they load, their arms resolve, the articles' figures are copied exactly."""

from __future__ import annotations

import itertools

import pytest

from hopcost.programs.read import read_program
from hopcost.suites.experiments.experiment import Experiment, Placement, Slices
from hopcost.suites.experiments.shown import ShownTable
from hopcost.suites.experiments.sweep import points
from hopcost.suites.read import read_suite, shipped_suites

# Experiment: arms, points of its sweep, published rows, the sum of the published throughputs (of the articles' text).
FILES = {
    "hello": {"one-core": (4, 1, 0, 0.0), "all-cores": (5, 1, 3, 380909.33), "workers": (3, 1, 0, 0.0)},
    "nginx-go": {
        "one-core": (6, 1, 0, 0.0),
        "one-thread": (6, 1, 0, 0.0),
        "all-cores": (6, 1, 0, 0.0),
        "one-thread-5000": (6, 1, 4, 103988.19),
        "workers": (3, 1, 0, 0.0),
        "all-cores-5000": (6, 1, 4, 257197.06),
        "http-or-fastcgi-5000": (3, 2, 6, 190037.22),
        "fastcgi-5000": (2, 2, 4, 75602.74),
        "tcp-nodelay": (5, 1, 0, 0.0),
        "tls": (5, 1, 0, 0.0),
        "balance": (6, 1, 3, 132000.0),
        "balance-closing": (4, 1, 0, 0.0),
    },
    "nginx-go-512": {
        "short-connections": (2, 6, 12, 132589.08),
        "keep-alive": (2, 6, 12, 655608.81),
        "go-before-nginx": (2, 6, 12, 527550.36),
        "nginx-before-go": (2, 6, 12, 512071.63),
        "proxies": (2, 2, 4, 125898.23),
        "pitfall-keep-alive": (2, 1, 0, 0.0),
        "pitfall-reset": (2, 2, 0, 0.0),
        "soak-5000": (2, 1, 1, 24751.0),
        "soak-1000": (2, 1, 1, 27651.1),
    },
    "nginx-express": {
        "connections": (5, 5, 19, 608362.0),
        "gzip-loopback": (2, 1, 0, 0.0),
        "gzip": (2, 3, 2, 106445.0),
        "worker-connections": (2, 7, 7, 153094.0),
        "worker-processes": (6, 1, 6, 266365.0),
        "express-pm2": (2, 1, 2, 60656.0),
        "nginx-express": (6, 1, 4, 78430.0),
        "proxy-cache": (2, 1, 2, 77352.0),
        "tuning": (5, 1, 5, 299333.0),
    },
    "proxies": {"tcp": (6, 1, 0, 0.0), "unix": (6, 1, 0, 0.0), "tls": (5, 1, 0, 0.0), "all-cores": (6, 1, 0, 0.0)},
    "work": {"one-core": (3, 5, 0, 0.0)},
    "static": {"sizes": (6, 4, 0, 0.0)},
    "upload": {"post": (3, 4, 0, 0.0), "put": (3, 4, 0, 0.0)},
    "balance": {"copies": (6, 1, 0, 0.0), "slow": (4, 1, 0, 0.0)},
    "http2": {
        "streams-nginx": (2, 3, 0, 0.0),
        "streams-caddy": (2, 3, 0, 0.0),
        "streams-go": (2, 3, 0, 0.0),
        "hops": (3, 1, 0, 0.0),
        "body-nginx": (2, 2, 0, 0.0),
        "body-caddy": (2, 2, 0, 0.0),
        "body-go": (2, 2, 0, 0.0),
        "cookies-nginx": (2, 1, 0, 0.0),
        "cookies-caddy": (2, 1, 0, 0.0),
        "cookies-go": (2, 1, 0, 0.0),
        "new-nginx": (2, 1, 0, 0.0),
        "new-caddy": (2, 1, 0, 0.0),
        "new-go": (2, 1, 0, 0.0),
    },
    "worth": {
        "slow-gunicorn": (2, 4, 0, 0.0),
        "slow-express": (2, 4, 0, 0.0),
        "slow-go": (2, 4, 0, 0.0),
        "idle-gunicorn": (2, 2, 0, 0.0),
        "idle-express": (2, 2, 0, 0.0),
        "idle-go": (2, 2, 0, 0.0),
        "tls-express": (2, 1, 0, 0.0),
        "tls-express-new": (2, 2, 0, 0.0),
        "tls-go": (2, 1, 0, 0.0),
        "tls-go-new": (2, 2, 0, 0.0),
        "files": (2, 3, 0, 0.0),
        "cache": (2, 1, 0, 0.0),
        "restart-express": (4, 1, 0, 0.0),
        "restart-go": (4, 1, 0, 0.0),
    },
}

OF_READERS = [
    "balance",
    "http2",
    "proxies",
    "static",
    "upload",
    "work",
    "worth",
]  # questions under the articles, without published figures


def experiment(name: str) -> Experiment:
    file, _, rest = name.partition("/")
    return read_suite(file).experiment(rest)


@pytest.mark.parametrize("name", FILES)
def test_experiments_arms_points_and_figures(name: str) -> None:
    read = read_suite(name)
    assert shipped_suites() == sorted(FILES)
    assert {
        each.name: (
            len(each.arms),
            len(points(each)),
            len(each.published),
            pytest.approx(sum(figures.throughput_per_s or 0 for figures in each.published), abs=0.001),
        )
        for each in read.experiments
    } == FILES[name]


@pytest.mark.parametrize("name", FILES)
def test_every_arm_asks_only_for_what_its_programs_have(name: str) -> None:
    read = read_suite(name)
    used = set()
    for each in read.experiments:
        for _, point in points(each):
            for arm in each.arms:
                used.add(arm)
                hops = read.arms[arm].hops
                for hop in hops:
                    definition = read_program(hop.program)
                    given = point.settings.get(hop.program, {}) | read.arms[arm].settings.get(hop.program, {})
                    definition.resolve_settings(given | hop.settings, 2, f"{point.name}/{arm}/{hop.program}")
                    assert hop.link.value in [link.value for link in definition.links]
                for before, behind in itertools.pairwise(hops):
                    links = [link.value for link in read_program(before.program).upstream_links]
                    assert behind.link.value in links
    assert used == set(read.arms)


@pytest.mark.parametrize("name", FILES)
def test_where_figures_are_their_conditions_and_the_protocol_are_too(name: str) -> None:
    read = read_suite(name)
    assert (read.article is None) == (name in OF_READERS)
    assert read.analysis
    for each in read.experiments:
        assert bool(each.published) == bool(each.published_conditions), each.name
        # The reader of nginx-go did not say how he measured; neither did 002 of its pitfall, which has no figures.
        without = each.name == "balance" or not each.published
        assert (each.as_published is None) == (without and each.name != "pitfall-keep-alive"), each.name


def test_what_quick_runs() -> None:
    quick = {
        name: [
            f"{each.name}@{value}" if value is not None else each.name
            for each in read_suite(name).experiments
            if each.quick
            for value, _ in points(each)
            if value is None or each.sweep is None or value in (each.sweep.quick or each.sweep.values)
        ]
        for name in FILES
    }
    assert quick == {
        "hello": ["one-core", "all-cores"],
        "nginx-go": ["one-core", "all-cores"],
        "nginx-go-512": ["short-connections@100", "keep-alive@100", "go-before-nginx@100", "nginx-before-go@100"],
        "nginx-express": ["gzip-loopback", "express-pm2", "tuning"],
        "proxies": ["tcp", "tls"],
        "work": ["one-core@0", "one-core@50", "one-core@200", "one-core@1000"],
        "static": ["sizes@/files/1k", "sizes@/files/1m"],
        "upload": ["post@1024", "post@65536", "post@1048576", "post@10485760"],
        "balance": ["copies", "slow"],
        "http2": ["streams-nginx@10", "streams-caddy@10", "streams-go@10", "cookies-nginx"],
        "worth": [
            "slow-gunicorn@0",
            "slow-gunicorn@10",
            "tls-express",
            "files@/files/100k",
            "cache",
            "restart-express",
        ],
    }


def test_kernel_settings() -> None:
    express = read_suite("nginx-express")
    # A fresh namespace has 2, which reuses ports on loopback: the article's 0 must be said, and one arm turns it on.
    assert express.arms["plain"].sysctls == {"net.ipv4.tcp_tw_reuse": 0}
    around = express.experiment("nginx-express")
    given = {name: around.surrounded(express.arms[name]).sysctls["net.ipv4.tcp_tw_reuse"] for name in around.arms}
    assert [name for name, value in given.items() if value != 0] == ["tw-reuse"]
    # "/proc/sys/net/core/somaxconn 128", "…/ip_local_port_range 8192 65535", "…/tcp_tw_reuse 0"
    for each in read_suite("nginx-go-512").experiments:
        for value, point in points(each):
            expected = value if each.name == "pitfall-reset" else 128
            assert point.sysctls["net.core.somaxconn"] == expected
            assert point.sysctls["net.ipv4.ip_local_port_range"] == "8192 65535"
            assert point.sysctls["net.ipv4.tcp_tw_reuse"] == 0
            assert len(point.sysctls) == 19
    # "net.ipv4.tcp_max_tw_buckets 400000"; the range is the article's, less the ports that servers here listen on
    tuned = experiment("nginx-go/all-cores-5000").sysctls
    assert tuned["net.ipv4.tcp_max_tw_buckets"] == 400000
    assert len(tuned) == 19


def test_one_worker_of_nginx_can_hold_all_clients_and_their_connections_to_go() -> None:
    # It closes idle ones if a sixteenth is left ("worker_connections are not enough, reusing connections").
    suite = read_suite("nginx-go")
    default = read_program("nginx").settings["worker_connections"].default
    for asked in suite.experiments:
        connections = asked.settings.get("nginx", {}).get("worker_connections", default)
        assert isinstance(connections, int) and connections * 15 // 16 > 2 * asked.workload.connections


@pytest.mark.parametrize(
    ("name", "slice_s"),
    [
        ("nginx-go-512/short-connections", 70),
        ("nginx-go-512/pitfall-reset", 70),
        ("nginx-express/nginx-express", 70),
        ("nginx-express/proxy-cache", 20),
    ],
)
def test_what_lives_in_wall_time_runs_in_whole_slices(name: str, slice_s: int) -> None:
    assert (experiment(name).slices, experiment(name).slice_s) == (Slices.WHOLE, slice_s)


def test_http2_is_compared_with_http1_at_the_same_server() -> None:
    suite = read_suite("http2")
    for asked in suite.experiments:
        links = {suite.arms[arm].hops[0].link.value for arm in asked.arms}
        assert links == ({"http2+tls"} if asked.name == "hops" else {"https+tcp", "http2+tls"}), asked.name
        assert asked.name == "hops" or len({suite.arms[arm].hops[0].program for arm in asked.arms}) == 1
    for server in ("nginx", "caddy", "go"):
        (cookies,) = suite.experiment(f"cookies-{server}").workload.header_fields
        assert (cookies[0], len(cookies[1]), cookies[1].count("; ")) == ("Cookie", 2048, 15)
        swept = [point.workload.streams for _, point in points(suite.experiment(f"streams-{server}"))]
        assert swept == [1, 10, 100]


def test_what_a_hop_buys_is_measured_beside_the_app_alone() -> None:
    suite = read_suite("worth")
    for asked in suite.experiments:
        programs = {name: [hop.program for hop in suite.arms[name].hops] for name in asked.arms}
        assert len(programs.pop(asked.baseline)) == 1, asked.name
        assert all(hops[0] == "nginx" for hops in programs.values()), asked.name
        assert asked.placement is Placement.ONE_CORE
        assert (asked.table is ShownTable.WORTH) == (asked.restart is None)
        assert len(f"{asked.name} · {asked.question}") <= 80, "one line of the report"


@pytest.mark.parametrize("name", FILES)
def test_a_quick_run_shares_its_time_evenly(name: str) -> None:
    assert len({each.weight for each in read_suite(name).experiments if each.quick}) == 1
