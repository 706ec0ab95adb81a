"""The figures and protocols of the articles, copied exactly."""

from __future__ import annotations

from hopcost.suites.articles.published import Published
from hopcost.suites.experiments.experiment import Experiment
from hopcost.suites.read import read_suite

MIB = 2**20  # wrk's "MB"


def experiment(name: str) -> Experiment:
    file, _, rest = name.partition("/")
    return read_suite(file).experiment(rest)


def row(name: str, arm: str, at: int | None = None) -> Published:
    (published,) = [each for each in experiment(name).published if (each.arm, each.at) == (arm, at)]
    return published


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
