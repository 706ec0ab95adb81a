"""What a configuration needs of its machine is found wherever it stands."""

from __future__ import annotations

from pathlib import Path

import pytest
from texts.nginx_texts import configuration_of, others_configurations, own, own_configurations

from hopcost.nginx.needs import find_needs
from hopcost.nginx.read import read_configuration


@pytest.mark.parametrize("path", [*own_configurations(), *others_configurations()], ids=lambda path: path.parent.name)
def test_every_configuration_has_needs(path: Path, tmp_path: Path) -> None:
    needs = find_needs(read_configuration(path, tmp_path), tmp_path)
    assert needs.ports
    assert {"/var/log/nginx", "/run"} <= {folder.path for folder in needs.folders}


def test_users_names_and_the_process(tmp_path: Path) -> None:
    needs = find_needs(
        configuration_of(
            tmp_path,
            "user web staff; daemon off; load_module modules/x.so; worker_rlimit_nofile 99;\n"
            "events { worker_connections 33; }\n"
            "http { resolver 10.0.0.53:5353 [::1] dns.test valid=1s; access_log syslog:server=logs.test:514;\n"
            "server { listen 10.0.0.1:80; listen host.test:81; location / { proxy_pass http://app.test:1; } } }",
        )
    )
    assert (needs.users, needs.groups) == (("web",), ("staff",))
    assert needs.hosts == ("app.test", "dns.test", "host.test", "logs.test")
    assert needs.addresses == ("10.0.0.53", "10.0.0.1")
    assert needs.resolvers == ("10.0.0.53:5353", "[::1]", "dns.test")
    assert needs.modules == ("modules/x.so",)
    assert (needs.worker_connections, needs.open_files) == (33, 99)
    assert [directive.name for directive in needs.of_the_process] == ["daemon"]
    assert needs.ports == (80, 81)


def test_a_user_without_group_is_his_own_group(tmp_path: Path) -> None:
    needs = find_needs(configuration_of(tmp_path, "user web; http { server { listen 80; } }"))
    assert needs.groups == ("web",)


def test_an_upstream_of_our_own(tmp_path: Path) -> None:
    assert find_needs(own("few-kept-connections")).hosts == ("shop.internal", "search.internal")
