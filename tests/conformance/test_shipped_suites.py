"""The suites that come with hopcost: they load, their arms resolve, the articles' figures are copied exactly."""

from __future__ import annotations

import itertools

import pytest

from hopcost.programs.read import read_program
from hopcost.suites.articles.published import Published
from hopcost.suites.experiments.experiment import Experiment, Slices
from hopcost.suites.experiments.sweep import points
from hopcost.suites.read import read_suite, shipped_suites

MIB = 2**20  # wrk's "MB"

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
        "gzip": (2, 2, 2, 106445.0),
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
}

OF_READERS = [
    "balance",
    "http2",
    "proxies",
    "static",
    "upload",
    "work",
]  # questions under the articles, without published figures


def experiment(name: str) -> Experiment:
    file, _, rest = name.partition("/")
    return read_suite(file).experiment(rest)


def row(name: str, arm: str, at: int | None = None) -> Published:
    (published,) = [each for each in experiment(name).published if (each.arm, each.at) == (arm, at)]
    return published


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
    }


def test_figures_of_nginx_and_go() -> None:
    # "Latency   425.64ms   80.53ms 925.03ms   76.88%" / "350162 requests in 30.00s, 58.77MB read"
    # "Socket errors: connect 0, read 0, write 0, timeout 210" / "Requests/sec:  11670.72" / "Transfer/sec:      1.96MB"
    published = row("nginx-go/one-thread-5000", "nginx-fastcgi-unix")
    assert (published.latency_mean_ms, published.latency_stdev_ms, published.latency_max_ms) == (425.64, 80.53, 925.03)
    assert (published.requests, published.duration_s, published.throughput_per_s) == (350162, 30.00, 11670.72)
    assert published.errors == {"connect": 0, "read": 0, "write": 0, "timeout": 210}
    assert published.transfer_bytes_per_s == round(1.96 * MIB)
    # "Latency   217.69ms  121.22ms   1.80s    75.14%" / "Socket errors: connect 0, read 0, write 176, timeout 1343"
    published = row("nginx-go/all-cores-5000", "nginx-fastcgi-tcp")
    assert published.latency_max_ms == 1800
    assert published.errors == {"connect": 0, "read": 0, "write": 176, "timeout": 1343}
    # "But when I use ngix as load balancer over golang server the throughput drops to ~22k qps"
    assert row("nginx-go/balance", "nginx-over-2").throughput_per_s == 22000


def test_figures_of_nginx_apache_and_express() -> None:
    # "Nginx | 64,050 | 63,556 | 61,421 | 54,867 | 44,350 |"
    assert [row("nginx-express/connections", "nginx", at).throughput_per_s for at in (100, 500, 1000, 5000, 10000)] == [
        64050,
        63556,
        61421,
        54867,
        44350,
    ]
    # "Apache(500) | 34,659 | 34,429 | エラー | - | - |"
    assert [
        (each.at, each.errored)
        for each in experiment("nginx-express/connections").published
        if each.arm == "apache-500"
    ] == [(100, False), (500, False), (1000, True)]
    # "圧縮有効 | 100 | 61,616 | 70% |", on a gigabit link
    published = row("nginx-express/gzip", "nginx-gzip", 1000)
    assert (published.throughput_per_s, published.cpu_percent) == (61616, 70)
    # "圧縮有効, worker_process=1 | c1000 | エラー |"
    published = row("nginx-express/worker-processes", "gzip-workers-1")
    assert (published.throughput_per_s, published.errored) == (None, True)
    # "追加設定なし | c100 | 1,748* |" and below it "*エラーあり"
    published = row("nginx-express/nginx-express", "plain")
    assert (published.throughput_per_s, published.errored) == (1748, True)


def test_figures_of_512_bytes_and_of_hello() -> None:
    # "nginx(tps) | 12741.62 | … | 6047.29", short connections at 5000
    assert row("nginx-go-512/short-connections", "nginx", 5000).throughput_per_s == 6047.29
    # "go（tps） | … | 46362.55 | …", kept connections at 1000
    assert row("nginx-go-512/keep-alive", "go", 1000).throughput_per_s == 46362.55
    # "Latency   310.94us  163.45us  14.41ms   93.42%" / "593327 requests in 5.10s, 63.37MB read"
    # "Transfer/sec:     12.43MB"
    nginx = row("hello/all-cores", "nginx")
    assert (nginx.latency_mean_ms, nginx.latency_stdev_ms, nginx.latency_max_ms) == (0.31094, 0.16345, 14.41)
    assert (nginx.requests, nginx.duration_s) == (593327, 5.10)
    assert nginx.transfer_bytes_per_s == round(12.43 * MIB)


def test_the_articles_protocols() -> None:
    wrk = experiment("nginx-go/all-cores-5000").as_published  # wrk -t100 -c5000 -d30s
    assert wrk is not None
    assert (wrk.peer, wrk.threads, wrk.duration_s, wrk.repeats) == ("wrk", 100, 30, 1)
    wrk = experiment("hello/all-cores").as_published  # wrk -c36 -t12 -d 5s
    assert wrk is not None
    assert (wrk.peer, wrk.threads, wrk.duration_s, wrk.repeats) == ("wrk", 12, 5, 1)
    assert experiment("hello/all-cores").workload.connections == 36
    for name in ("short-connections", "keep-alive", "go-before-nginx", "nginx-before-go"):  # ab -n 1000000 -c N [-k]
        ab = experiment(f"nginx-go-512/{name}").as_published
        assert ab is not None
        assert (ab.peer, ab.requests, ab.repeats) == ("ab", 1_000_000, 3)
    for each in read_suite("nginx-express").experiments:  # h2load -n 1000000 --clients=100 --h1 … -t 4, six times
        if each.published:
            assert each.as_published is not None
            protocol = each.as_published
            assert (protocol.peer, protocol.threads, protocol.requests, protocol.repeats) == ("h2load", 4, 1_000_000, 6)
            assert each.workload.headers == [["Accept-Encoding", "gzip,deflate"]]


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


@pytest.mark.parametrize("name", FILES)
def test_a_quick_run_shares_its_time_evenly(name: str) -> None:
    assert len({each.weight for each in read_suite(name).experiments if each.quick}) == 1
