"""Tests lie where their modules lie: room/x.py has its tests in unit/room/test_x.py or integration/room/test_x.py."""

from __future__ import annotations

from pathlib import Path

from places import ROOT

PACKAGE = ROOT / "src" / "hopcost"
DATA = {"served", "shipped"}  # what programs and suites bring along
WITHOUT_A_FILE = {
    "structures alone; the tests of those who fill and read them use them": (
        "page/kept "
        "nginx/ablations/ablation nginx/traps/trap plan/options plan/plan plan/until "
        "programs/generators/agent programs/generators/generator_slice programs/generators/server_faults "
        "record/contents/block "
        "record/contents/evidence record/contents/offered_load record/contents/reason "
        "record/contents/repeat record/contents/run stacks/prepare/prepared "
        "statistics/change_points/segments "
        "statistics/questions/capacity/question statistics/questions/claims/result "
        "statistics/questions/conf/question statistics/questions/front/question "
        "history/points record/contents/restart statistics/questions/two_records/result "
        "suites/arms/configuration "
        "suites/articles/published suites/experiments/experiment suites/experiments/request "
        "suites/experiments/restart suites/experiments/shown suites/experiments/soak "
        "suites/experiments/tls_sessions suites/peer_name suites/suite"
    ),
    "whole commands show it: tests/end_to_end and tests/integration/cli": (
        "cli/measure/conf measure/protocols/conf/ask measure/protocols/conf/learning "
        "cli/measure/capacity cli/shared/requests/vs "
        "cli/measure/front cli/set_up/init cli/shared/requests/front measure/protocols/front/learning "
        "cli/shared/requests/newest "
        "cli/look/about cli/look/serve cli/look/show cli/measure/gate cli/measure/load cli/measure/run "
        "cli/measure/vs cli/set_up/build "
        "cli/set_up/list_ cli/set_up/up cli/shared/verbs/app cli/shared/arm cli/shared/verbs/verb "
        "cli/shared/complete cli/shared/description cli/shared/doctor/findings cli/shared/screen "
        "errors programs/generators/engine measure/load/peer measure/run record/names"
    ),
    "the loop on a mock engine shows it: tests/unit/measure/blocks/test_block.py and test_loop.py": (
        "measure/load/arm measure/load/context measure/load/part "
        "measure/protocols/as_published measure/protocols/whole "
        "measure/rig measure/watcher"
    ),
    "running stacks show it: tests/integration/stacks and tests/conformance": (
        "stacks/jail/prepare/addresses stacks/jail/prepare/hop stacks/jail/prepare/jail stacks/jail/plain/copy "
        "stacks/jail/handshakes stacks/jail/held "
        "measure/protocols/conf/looks/burst measure/protocols/conf/looks/starting "
        "stacks/jail/outcome stacks/jail/made/contents stacks/jail/made/script stacks/jail/tried/start "
        "stacks/client/address stacks/attached/processes stacks/attached/request stacks/attached/thawer "
        "stacks/running/programs stacks/running/stack stacks/sandbox/keeper "
        "stacks/sandbox/processes stacks/sandbox/session/keeper_process stacks/sandbox/usage stacks/stack"
    ),
    "running apps show it: tests/integration/measure/learn/test_learn.py": (
        "measure/learn/answers measure/learn/idle measure/learn/learned measure/learn/load"
    ),
    "two machines show it: tests/systems/fleet": (
        "measure/fleet/address measure/fleet/agent measure/fleet/ssh/connection measure/fleet/generator "
        "measure/fleet/ssh/login measure/fleet/sent_engine measure/two_machines"
    ),
    "sites show it: tests/systems/fleet": (
        "cli/set_up/fleet measure/sites/dask/cluster measure/sites/dask/fleet measure/sites/dask/settings "
        "measure/sites/dask/task measure/sites/dask/worker measure/sites/fleet measure/sites/messages "
        "measure/sites/report measure/sites/there/bench measure/sites/there/leader "
        "measure/sites/there/leader_process"
    ),
    "this machine's own figures: the doctor's tests, and every run's record": (
        "machine/binaries machine/cpu_time machine/facts machine/proc"
    ),
    "golden files of the whole report, and the tables' and the page's tests": (
        "report/questions/claims/data report/questions/claims/words "
        "report/questions/conf/data report/questions/conf/details report/questions/conf/words "
        "report/questions/front/data report/questions/front/details "
        "report/questions/capacity/data report/questions/capacity/details report/questions/capacity/sentence "
        "report/questions/capacity/words report/formats/html/capacity "
        "report/brief/load report/brief/outcome report/brief/reasons report/brief/forms/repeats "
        "report/brief/forms/soak "
        "report/brief/words report/brief/next_command report/document report/formatting report/formats/html/caveats "
        "report/formats/html/charts report/formats/json_arm report/formats/html/series report/formats/html/vega "
        "report/questions/closing report/questions/gate/details report/questions/gate/words "
        "report/questions/history/data report/questions/history/newest/data report/questions/history/newest/settling "
        "report/questions/history/rows report/questions/history/words "
        "report/questions/two_records_details "
        "report/formats/html/stacks report/live/so_far report/notes/conditions report/notes/head "
        "report/notes/merge report/notes/scope report/notes/verdicts report/record_report report/tables/about "
        "report/tables/cpu report/tables/experiment report/tables/keyed report/tables/offered_load "
        "report/tables/published report/tables/verdicts"
    ),
    "summaries and questions are made of it: tests/unit/statistics": (
        "statistics/figures statistics/questions/machine_spread statistics/questions/gate/figures "
        "statistics/questions/claims/run statistics/questions/conf/screened statistics/questions/evidence "
        "statistics/questions/two_records/side statistics/summary/cpu statistics/summary/open_loop "
        "statistics/summary/published statistics/summary/repeats statistics/summary/service_time "
        "statistics/summary/usage statistics/validity/accounts statistics/validity/grounds"
    ),
    "in files of other names": (
        "page/templating page/views/asked_trend page/views/cells page/views/kept_figures "  # page/test_app.py, views
        "history/contents/read history/contents/summary history/database/rows history/database/writes "
        "history/default_file "  # history/database/test_place.py
        "history/database/schema history/database/migrations/env "
        "history/database/migrations/versions/first "  # history/test_history.py, history/database/test_migrate.py
        "nginx/ablations/access nginx/ablations/buffers nginx/ablations/cache nginx/ablations/files "
        "nginx/ablations/headers nginx/ablations/process nginx/ablations/tls "  # nginx/ablations/test_families.py
        "nginx/traps/of_headers nginx/traps/of_the_process nginx/traps/to_the_app "  # nginx/traps/test_traps.py
        "programs/generators/peers/ab programs/generators/peers/h2load programs/generators/peers/hey "
        "programs/generators/peers/oha programs/generators/peers/ours programs/generators/peers/peer "
        "programs/generators/peers/wrk programs/generators/process "  # programs/generators/test_peers.py
        "measure/protocols/front/ask "  # measure/protocols/front/test_suite.py
        "programs/generators/beside "  # integration/programs/generators/test_engine_lines.py
        "measure/protocols/capacity/ask measure/protocols/capacity/load measure/protocols/capacity/plan "
        "measure/protocols/capacity/start measure/protocols/capacity/watcher "
        "statistics/questions/capacity/result "  # measure/protocols/capacity/test_course.py
        "plan/method programs/read "  # tools/test_reference.py; programs/definition/test_definition.py
        "machine/listeners/listening "  # listeners/test_tcp.py, test_unix.py
        "record/secrets/names record/secrets/patterns "  # secrets/test_masker.py
        "suites/read/hosts programs/configuration "  # suites/arms/test_configuration.py
        "report/brief/cautions/explanations report/brief/cautions/faults "  # brief/cautions/test_cautions.py
        "stacks/prepare/addresses stacks/prepare/fit stacks/prepare/hop "  # stacks/prepare/test_stack.py
        "suites/checks/claims suites/checks/published "  # suites/articles/test_claim.py
        "suites/checks/hops suites/checks/known suites/checks/load "  # suites/checks/test_suite.py
    ),
}


def has_a_file(module: Path) -> bool:
    place = module.parent / f"test_{module.name}.py"
    return any((ROOT / "tests" / kind / place).exists() for kind in ("unit", "integration"))


def test_every_module_has_its_tests_or_a_reason_why_not() -> None:
    paths = (path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py") if path.name != "__init__.py")
    modules = {path.with_suffix("") for path in paths if DATA.isdisjoint(path.parts)}
    listed = {Path(name) for names in WITHOUT_A_FILE.values() for name in names.split()}
    assert {module for module in modules if not has_a_file(module)} - listed == set(), "give it tests, or a reason"
    assert listed - modules == set(), "a reason for what is no more"
