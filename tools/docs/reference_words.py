"""What each key and figure means, for the tables that reference.py writes: words only, the rest is the code's."""

from __future__ import annotations

from enum import Enum

import msgspec

from hopcost.generators.engine_protocol import ArmTotals, End, Slice, Start, WarmedUp
from hopcost.plan.cores import Cores
from hopcost.plan.plan import LeftOut, Plan, PlannedArm, PlannedExperiment, Point
from hopcost.programs.definition import Build, Need, Program
from hopcost.programs.settings import SettingDefinition
from hopcost.record.block import ArmBlock, Block, Failure, OpenLoad
from hopcost.record.evidence import CheckedAnswer, Memory, MemorySample, Receipt, Surroundings, TimeWait
from hopcost.record.repeat import PeerRun, Repeat
from hopcost.record.run import Ending, Run
from hopcost.suites.arm import Arm, Hop
from hopcost.suites.claim import Claim, ClaimTest, Needs
from hopcost.suites.experiment import Experiment, Soak, Sweep, Workload
from hopcost.suites.published import Protocol, Published
from hopcost.suites.suite import Article, Suite


class Page(Enum):
    """The pages with key tables."""

    SUITE = "suite-format.md"
    PROGRAM = "adding-a-program.md"
    RECORD = "record-format.md"


KINDS = "error kind, one of `connect`, `tls`, `write`, `read`, `protocol`, `status`, `body`, `timeout`"

STRUCTURES: dict[type[msgspec.Struct], tuple[Page, dict[str, str]]] = {
    Suite: (
        Page.SUITE,
        {
            "name": "names the suite in reports and in the record's directory",
            "title": "one line, the head of every report",
            "arms": "the arms that experiments choose from, by name: `[arms.NAME]`",
            "experiments": "the experiments in the order in which they run: `[[experiments]]`",
            "article": "where published figures come from: `[article]`",
            "analysis": "prose about what the results mean; kept in the record",
            "claims": "what the article says, to be tested by `hopcost claims`: `[[claims]]`",
        },
    ),
    Article: (
        Page.SUITE,
        {
            "title": "the article's title",
            "author": "who wrote it",
            "date": "when it appeared; any text, `2013-12-15` is good",
            "source": "where it stands",
        },
    ),
    Arm: (
        Page.SUITE,
        {
            "hops": "from the one that the client reaches to the origin",
            "title": "the arm in words; stands in JSON reports",
            "stand_in": "true: runs only where another arm of the experiment is left out; never a baseline",
            "settings": "settings by program, for all its hops in this arm: `[arms.NAME.settings.PROGRAM]`;"
            " they win over the experiment's, a hop's own win over them",
            "sysctls": 'by name, for the stack and its client: `{ "net.ipv4.tcp_tw_reuse" = 0 }`; net.* in the'
            " stack's own network namespace, others cannot be had and are told",
            "open_files": "limit of open files of each program; absent: as many as this machine gives",
            "link_mbit_per_s": "the stack is reached over a link of this rate, both ways; absent: over loopback",
        },
    ),
    Hop: (
        Page.SUITE,
        {
            "program": "a program's name, as `hopcost list` shows it",
            "link": "how this hop is reached; the program must offer it, and the hop before it must forward over it",
            "settings": "the program's settings for this hop; they win over the experiment's",
            "port": "a fixed TCP port; not in a baseline, which runs twice at once; absent: a free one is taken",
            "copies": "instances of this hop, each with its own address; the hop before balances over them",
            "last_copy": "settings of the last of several copies, over `settings`: one that is slower than the others",
            "config": "a template in place of the program's own configuration; a path from the suite's folder. See"
            " [Another configuration](#another-configuration-another-binary)",
            "binary": "an executable in place of the installed or built program; a path from the suite's folder",
        },
    ),
    Experiment: (
        Page.SUITE,
        {
            "name": "unique in the file; names it on the command line",
            "question": "what it answers, in one sentence; printed above the table",
            "baseline": "the arm that the others are compared with; its second run, `NAME-aa`, is added by hopcost",
            "arms": "the arms in the order of the report, the baseline among them",
            "placement": "`one-core`: one core for the whole stack, another for the generator; `all-cores`: every core"
            " for the stack, the generator shares the last one",
            "workload": "what is asked, and over how many connections",
            "settings": "settings by program, for all its hops in this experiment; an arm's win over them, a hop's own"
            " over both",
            "needs_cores": "cores that the published conditions take; with fewer the report says so",
            "needs_cores_because": "why, in words that complete that sentence",
            "published": "the article's figures, one entry per arm: `[[experiments.published]]`",
            "published_conditions": "under which conditions they were measured",
            "control": "the article's control group; published ratios are taken to it; required where more than one arm"
            " is published",
            "sweep": "one key over a list of values; each is an experiment `NAME@VALUE`",
            "slices": "`interleaved`: all arms alive, slices of 0.1 s and more in shuffled turns; `whole`: one arm"
            " alive at a time, a slice of seconds each. hopcost takes `whole` by itself where arms would be frozen for"
            " longer than half of an idle time-out",
            "slice_s": "length of a whole slice in a full run; absent: 10 s. A quick run takes 2 s",
            "quick": "false: `--quick` leaves the experiment out, unless it is named on the command line",
            "soak": "a long run of one arm, instead of blocks: `{ length_s = 1800 }`",
            "as_published": "the article's own protocol, for `--as-published`",
            "sysctls": "as in an arm, for all arms; an arm's own win",
            "open_files": "the same",
            "link_mbit_per_s": "the same",
            "open_loop": "false: no offered loads after the closed loop. There are none anyhow with `--quick`, in whole"
            " slices and soaks, with `requests_per_connection` and with other generators",
            "weight": "its part of a run's time: one of 3 gets three times as much as one of 1, where blocks take long",
        },
    ),
    Workload: (
        Page.SUITE,
        {
            "connections": "connections that are always busy (closed loop), over all threads of the generator",
            "target": "path and query of the request",
            "timeout_s": "a request without a complete answer after this time on the arm's clock is a `timeout` error",
            "headers": 'header fields of every request, the check\'s too: `[["Accept-Encoding", "gzip"]]`; `Host` and'
            " `Connection` are hopcost's own",
            "requests_per_connection": "after so many requests a connection is closed, and opened anew for the next;"
            " 1: a connection per request; absent: kept for ever",
            "method": "what a request does; POST and PUT carry a body",
            "body_bytes": "how much each POST or PUT carries, up to 64 MiB: the ten digits over and over. The embedded"
            " origin's `/echo-length` answers with the length that arrived",
        },
    ),
    Soak: (
        Page.SUITE,
        {
            "length_s": "how long the article ran it; a run takes as much of it as its budget leaves, and"
            " `--soak-length` says otherwise",
        },
    ),
    Sweep: (
        Page.SUITE,
        {
            "key": "what is varied: `workload.KEY`, `settings.PROGRAM.SETTING`, `sysctls.NAME`, `link_mbit_per_s`,"
            " `open_files` or `placement`, as far as the experiment has that key",
            "values": "its values, in the order of the report; all of the key's type",
            "quick": "the values that `--quick` runs; absent: all",
        },
    ),
    Published: (
        Page.SUITE,
        {
            "arm": "one of the experiment's arms",
            "at": "the value of the sweep that the figures belong to; required in a sweep, forbidden without one",
            "throughput_per_s": "requests per second as printed; absent only where the article printed an error",
            "errored": "the article printed an error without a count, in place of the figure or beside it",
            "errors": "errors as printed, by kind in the article's words",
            "cpu_percent": "CPU use of the server's machine in per cent, as printed",
            "transfer_bytes_per_s": "bytes per second, as printed",
            "latency_mean_ms": "mean latency as printed",
            "latency_stdev_ms": "its standard deviation as printed",
            "latency_max_ms": "the longest as printed",
            "latency_quantiles_ms": "`{ p50 = 1.2, p99 = 8 }`, as printed",
            "requests": "requests in all",
            "duration_s": "how long it ran",
        },
    ),
    Claim: (
        Page.SUITE,
        {
            "name": "unique in the file",
            "says": "what is claimed, in one sentence",
            "source": "where in the article, with its words or its figures",
            "tests": "what must be so if the claim is right; it holds where all of them hold",
            "condition": "under which conditions the article saw it, and how they are read here",
            "needs": "what the condition takes; where the record does not have it, the claim is not testable here",
        },
    ),
    Needs: (
        Page.SUITE,
        {
            "cores": "cores that the experiment ran on, of hops and generator together",
            "link_mbit_per_s": "the rate of the link that its arms were reached over",
            "because": "why, in words that complete that sentence; required with the others",
        },
    ),
    ClaimTest: (
        Page.SUITE,
        {
            "experiment": "one of the suite's",
            "arm": "the arm of which something is said",
            "relation": "of a ratio or drift: `more` or `less` than 1, `at least`, `at most` or `about` the size; of"
            " errors: `some` or `none`",
            "figure": "`throughput`, `cpu_per_request` (where less is better), `errors`, or of a soak `drift` (of its"
            " throughput to the baseline's) and `memory_drift`",
            "to": "the arm that its figure is divided by; absent: the experiment's control, else its baseline",
            "at": "values of the experiment's sweep, each a comparison of its own; required in a sweep",
            "hop": "with `cpu_per_request`: of this program's hop alone",
            "size": "the number of `at least`, `at most`, `about`",
            "tolerance": "with `about`: 0.1 is from size ÷ 1.1 to size × 1.1",
            "published": "the article's own ratio, where the experiment's `published` figures do not give it",
        },
    ),
    Protocol: (
        Page.SUITE,
        {
            "peer": "the tool",
            "threads": "of the tool, where it has any",
            "connections": "connections; absent: those of the workload (of the point, in a sweep)",
            "requests": "requests of a repeat",
            "duration_s": "or its length",
            "repeats": "how often each arm was measured",
            "options": "more words for the tool's command line, before the URL",
        },
    ),
    Program: (
        Page.PROGRAM,
        {
            "name": "the same as the folder's name",
            "title": "one line for `hopcost list`",
            "links": "how it can be reached",
            "command": "the command line, a template for each word; must stay in the foreground",
            "version_command": "prints its version; `{executable}` stands for its path",
            "version_pattern": "a regular expression; its first group is the version",
            "install": "the command that would bring it, shown where it is missing",
            "executable": "sought on the PATH and in the folders for servers; leave it out with `[build]`",
            "upstream_links": "how it reaches the next hop; empty: it is an origin, and the last hop",
            "build": "how it is made from source",
            "files": "generated files: name in the stack's directory → template in the program's folder",
            "config": "which of `files` a hop's own `config` takes the place of; empty: it has no configuration file",
            "settings": "what an arm can set: `[settings.NAME]`",
            "version_least": "the oldest version that will do; an older one counts as missing",
            "needs": "files that it takes besides, always or under some settings: `[needs.NAME]`",
            "balances": "true: forwards to several copies of the next hop (`upstreams`)",
            "answers": "true: can be the last hop though it has `upstream_links`",
            "children": "a template: how many child processes it must have to be ready",
            "forks": "true, false, or a template for one of them: its processes come and go under load, or are very"
            " many; its CPU time is then that of a cgroup",
            "idle_timeout_s": "after how long it drops an idle connection, where no setting `keepalive_timeout_s`"
            " says it",
        },
    ),
    Need: (
        Page.PROGRAM,
        {
            "files": "paths where it may be, the first that exists is `needs.NAME` in templates",
            "install": "the command that would bring it",
            "when": 'settings with the values that need it: `when = { content = "lua" }`; the others go without',
        },
    ),
    Build: (
        Page.PROGRAM,
        {
            "tool": "the executable that must be installed to build it",
            "command": "what makes it; `{output}` stands for the file or folder to make, `{cache}` for a folder "
            "that the next build finds again",
            "sources": "files whose content names the build, lock files too: where one changes, it is built anew",
            "executable": "the executable in the folder `{output}`; leave it out where `{output}` is the executable",
        },
    ),
    SettingDefinition: (
        Page.PROGRAM,
        {
            "kind": '`cores`: a count, or `"cores"` for as many as the stack has; `count`: a whole number;'
            " `seconds`: a whole number of them; `switch`: on or off; `choice`: one of `choices`",
            "default": "its value where nothing is set",
            "doc": "what it does",
            "least": "the smallest number that it takes; 0 where nothing at all has a meaning",
            "choices": "the words of a `choice`",
            "receipt": "where its effect shows under load; see [Receipts](#receipts)",
            "when": "other settings with the values without which it has no effect: setting it is an error there",
        },
    ),
    Run: (
        Page.RECORD,
        {
            "format": "the record's format; a reader refuses any other",
            "hopcost": "the version that wrote it",
            "command": "the command line",
            "started_utc": "wall clock, for people; nothing is computed from it",
            "ended_utc": "null where the run was killed, interrupted or failed",
            "endings": "one per experiment that ended",
            "method": "the number of the method: records of one number compare; records without it are of method 1",
        },
    ),
    Receipt: (
        Page.RECORD,
        {
            "hop": "the hop's name",
            "setting": "the setting's name, or `cores`",
            "value": "what it was set to",
            "seen": "what showed under load, in words",
            "holds": "whether that fits; false fails the arm; null where it could not be seen",
        },
    ),
    Ending: (
        Page.RECORD,
        {
            "experiment": "its name",
            "why": "`precision`, `budget`, `blocks`, `failed` or `interrupted`",
            "detail": "the same in words",
        },
    ),
    Block: (
        Page.RECORD,
        {
            "experiment": "its name",
            "number": "from 0, void blocks counted",
            "seed": "shuffles the order of the arms in this block's rounds; derived from the run's",
            "started_utc": "wall clock, for people",
            "elapsed_ns": "the whole block, starting and stopping included",
            "slices_elapsed_ns": "the sum of its slices, those of the closed loop",
            "harness_cpu_ns": "CPU time of the Python process from the engine's first line to its last",
            "foreign_cpu_ns": "CPU time on the cores in use that neither the stacks, the engine nor the harness"
            " used, to the kernel's tick",
            "steal_ns": "CPU time of the cores in use that the hypervisor kept during the block",
            "validity": "`valid`, `suspect` or `void`",
            "reasons": "why it is not valid, in sentences",
            "failures": "arms that failed in it; they leave the experiment",
            "arms": "what was measured; empty where the block broke off",
            "engine": "the engine's first line",
            "end": "the engine's last line; its validity is part of the block's",
            "open_ends": "the engine's last lines of the open loop, one for each offered load",
            "throttled_ns": "how long a CPU quota of the harness's cgroup, or one above it, held it up; null: no quota",
            "swapped_pages": "swapped in and out by the machine; null where the kernel does not tell",
            "clock_step_ns": "what CLOCK_REALTIME went ahead of CLOCK_MONOTONIC",
            "longest_stall_ns": "longest time for which a core of the generator did not run a loop that looks at the"
            " clock, before the arms were started; null without an open loop",
        },
    ),
    Failure: (
        Page.RECORD,
        {"arm": "its name", "message": "what happened, with the program's last lines", "hint": "what to do"},
    ),
    ArmBlock: (
        Page.RECORD,
        {
            "name": "the arm",
            "copy_of": "the baseline's name in the A/A arm",
            "hops": "hop names from the client's side to the origin; a program that stands twice gets a number",
            "check": "what it answered before load",
            "warm_up": "the engine's line",
            "slices": "the engine's lines, in the order in which they ran",
            "totals": "the engine's line",
            "peer": "the run of another generator, in place of the engine's lines",
            "surroundings": "what the stack ran in; null in a record of format 1",
            "memory": "by hop, after the last slice",
            "memory_samples": "of a soak",
            "time_wait": "connections in TIME_WAIT after the last slice, by link",
            "notes": "what a reader of this arm's figures must know",
            "receipts": "what showed of the settings under load",
            "open_loop": "what came after the closed loop, one for each offered load",
            "worker_cpu_ns": "by hop, CPU time of each process but the one that started the others, over the closed"
            " loop, warm-up included; without the hops of more than 64",
            "restarts": "by hop, processes that ended under load: restarted, or lost. Not of hops whose processes come"
            " and go",
        },
    ),
    OpenLoad: (
        Page.RECORD,
        {
            "share": "of the slowest arm's throughput",
            "rate_per_s": "requests per second offered to every arm; Poisson arrivals, the same for all",
            "warm_up": "the engine's line",
            "slices": "the engine's lines, in the order in which they ran; each was drained",
            "totals": "the engine's line, with the response times",
        },
    ),
    CheckedAnswer: (
        Page.RECORD,
        {
            "status": "HTTP status",
            "header_bytes": "from the status line to the empty line",
            "body_bytes": "length of the body",
            "header_fields": "their names in the order they came",
        },
    ),
    PeerRun: (
        Page.RECORD,
        {
            "peer": "its name",
            "version": "as it prints it",
            "command": "its command line",
            "answers": "with a 2xx status, by its own count",
            "errors": "by kind, in its own words",
            "elapsed_ns": "as it prints it; else `wall_ns`",
            "wall_ns": "from its start to its end",
            "generator_cpu_ns": "CPU time of its process and its children",
            "cpu_ns": "by hop, while it ran",
            "throughput_per_s": "as it prints it, errors among it or not",
            "latency_ms": "as it prints it, under its own names",
            "output": "all that it wrote",
            "kept_alive": "answers after which the connection was kept; null where it does not count them",
        },
    ),
    MemorySample: (
        Page.RECORD,
        {"elapsed_ns": "since the soak began", "resident_bytes": "of all processes of the stack"},
    ),
    Repeat: (
        Page.RECORD,
        {
            "experiment": "its name",
            "arm": "its name",
            "number": "from 0",
            "connections": "as run here",
            "requests": "as run here; null where time ends it",
            "duration_s": "as run here; null where a number of requests ends it",
            "run": "null where it failed",
            "failure": "why",
            "check": "what the arm answered before load",
            "surroundings": "what the stack ran in; null where it failed",
            "memory": "by hop, after the repeat; the stack is the same in all of an arm's repeats",
            "time_wait": "connections in TIME_WAIT after the repeat, by link; the tool has closed its own by then",
        },
    ),
    Surroundings: (
        Page.RECORD,
        {
            "network": "`own`: a network namespace of its own; `host`: the host's loopback",
            "open_files": "limit of open files of each program",
            "sysctls": "those asked for, read back",
            "link_mbit_per_s": "the link's rate; null over loopback",
            "link_bits_per_s": "what a short transfer to the client came to before load",
            "notes": "what was asked for and not had",
        },
    ),
    Memory: (
        Page.RECORD,
        {
            "processes": "alive at the reading",
            "peak_bytes": "their largest resident sets ever, added up (VmHWM)",
            "proportional_bytes": "at the reading, shared pages divided (PSS)",
        },
    ),
    TimeWait: (
        Page.RECORD,
        {"hop": "the hop that listens", "server": "closed first by the hop", "client": "closed first by its client"},
    ),
    Start: (
        Page.RECORD,
        {
            "version": "the engine's",
            "io": "`uring` or `epoll`",
            "batch": "completions waited for before acting; 1 is no batching",
            "cores": "one thread on each",
            "compared_one_in": "of bodies above 64 KiB, the bytes of one answer in this many are compared",
        },
    ),
    WarmedUp: (
        Page.RECORD,
        {
            "arm": "its name",
            "elapsed_ns": "on the arm's clock",
            "plateau": "whether all connections were open and throughput rose no more, before time was up",
            "answers": "correct answers per slice",
            "errors": KINDS,
            "slices_elapsed_ns": "the same slices' length on the arm's clock",
            "cpu_ns": "CPU time of all hops in each; null where that of one is not known",
        },
    ),
    Slice: (
        Page.RECORD,
        {
            "arm": "its name",
            "round": "from 0",
            "place": "position in the round, from 0",
            "start_ns": "CLOCK_MONOTONIC at the thaw",
            "elapsed_ns": "thaw to frozen: the arm's own time",
            "freeze_ns": "how long the freezing took; within `elapsed_ns`",
            "frozen_ns": "since the arm's previous slice ended, warm-up slices included; null where there was none",
            "answers": "correct answers",
            "sent": "requests sent",
            "errors": KINDS,
            "reconnects": "connections opened again after an answer that closed them",
            "received_bytes": "heads included",
            "cpu_ns": "by hop, thaw to frozen; null where a process of the hop was gone",
            "cpu_outside_ns": "by hop, from the arm's previous slice to this thaw, when it was meant to be frozen",
            "generator_cpu_ns": "of the engine's process, thaw to frozen",
            "due": "requests that were due: sent and not sent; in the closed loop those sent",
            "not_sent": "requests of an open loop that were due and never sent",
            "drain_ns": "how long an open loop was drained, within `elapsed_ns`; null in the closed loop",
            "spin_ns": "time the engine polled for the next due request; within `generator_cpu_ns`",
            "late": "requests of an open loop sent more than 1 ms late though a connection was free",
            "in_flight_ns": "requests in flight, added up over the arm's time: of two for 3 ns it is 6",
            "aged_ns": "sum of the ages of the requests in flight at its end, less that at its beginning",
        },
    ),
    ArmTotals: (
        Page.RECORD,
        {
            "arm": "its name",
            "sent": "requests; warm-up and drain are included, as in all counts here",
            "answers": "correct ones",
            "compared": "answers whose every byte was compared",
            "in_flight": "sent and still not answered after the drain",
            "established": "connections open at the end",
            "reconnects": "connections opened again after an answer that closed them",
            "errors": KINDS,
            "service_time": "histogram of correct answers in slices, those of an open loop with their drains",
            "unanswered": "histogram of the ages, since sending, of those timed out or in flight",
            "due": "requests that were due: sent and not sent",
            "not_sent": "requests of an open loop that were due and never sent",
            "opened": "connections opened, the first time and again",
            "response_time": "histogram from the intended start, of correct answers; null in the closed loop",
            "response_unanswered": "the ages, since the intended start, of those timed out, in flight or never sent",
            "send_lag": "histogram from the intended start to sending",
            "unsent": "the ages, since the intended start, of those never sent",
            "all_opened": "whether every connection has been open; null where the load was not come to",
        },
    ),
    End: (
        Page.RECORD,
        {
            "elapsed_ns": "since the engine's start",
            "generator_cpu_ns": "of the engine's process, since its start",
            "validity": "the engine's own judgement",
            "reasons": "why it is not valid, in sentences",
        },
    ),
    Plan: (
        Page.RECORD,
        {
            "suite": "its name",
            "title": "its title",
            "analysis": "its analysis",
            "quick": "whether `--quick` was given",
            "seed": "the run's seed; each block's is derived from it",
            "budget_s": "time for all experiments",
            "warm_up_least_ns": "an arm's warm-up lasts at least so long",
            "warm_up_most_ns": "and at most so long, plateau or not",
            "looks": "numbers of valid blocks after which the width is looked at; the last is the most blocks",
            "target_width": "half-width of the ratios' intervals at which an experiment ends, as a share of the ratio",
            "margin": "the least that verdicts are read against, as a share of the ratio",
            "experiments": "those that run here",
            "left_out": "experiments that do not",
            "not_quick": "experiments and points that `--quick` leaves out",
            "peer": "the generator in the engine's place; null: the engine",
            "as_published": "whether the articles' own protocols were followed",
            "scale": "of the protocols' requests and durations",
        },
    ),
    PlannedExperiment: (
        Page.RECORD,
        {
            "name": "its name",
            "question": "its question",
            "baseline": "the baseline in use; another than the suite's where that is left out, with a note",
            "arms": "the arms that run here, the A/A arm last",
            "cores": "which cores the stack and the generator get",
            "workload": "as in the suite, with defaults",
            "settle_ns": "how long an arm is loaded before each of its slices, uncounted",
            "slice_ns": "length of a slice",
            "settings": "as in the suite",
            "left_out": "arms that do not run here",
            "notes": "what a reader of the result must know",
            "published": "as in the suite",
            "published_conditions": "as in the suite",
            "control": "as in the suite",
            "turns": "how arms take turns: `all` in slices; `threes`: the baseline, its copy and one other at a time;"
            " `whole`: one arm alive at a time; `soak`: one for long, the baseline in between",
            "slice_jitter": "by what share of that length the rounds' slices are longer or shorter at most",
            "slice_ns_least": "whole slices are not made shorter than this",
            "connections_asked": "those of the suite, where fewer fit here",
            "point": "of a sweep",
            "soak_s": "how long the soak is to last here",
            "soak_asked_s": "how long the article's lasted",
            "as_published": "the article's protocol",
            "protocol_connections": "connections of the protocol as they fit here",
            "open_loop_shares": "of the slowest arm's throughput, offered to all arms after the closed loop",
            "weight": "its part of the run's time, beside the others' weights",
        },
    ),
    Point: (
        Page.RECORD,
        {"experiment": "the sweep's name", "key": "what is varied", "value": "its value here"},
    ),
    PlannedArm: (
        Page.RECORD,
        {"name": "its name", "arm": "as in the suite", "copy_of": "the baseline's name in the A/A arm"},
    ),
    LeftOut: (
        Page.RECORD,
        {"name": "the arm or experiment", "reason": "why it does not run here", "remedy": "what would bring it"},
    ),
    Cores: (
        Page.RECORD,
        {"stack": "core numbers of every hop", "generator": "core numbers of the load engine, a thread on each"},
    ),
}

INTERVAL_END = "the interval's end; null where one block gives no spread"

REPORT = {
    "format": "the record's format",
    "hopcost": "the version that wrote the record",
    "suite": "its name",
    "quick": "whether `--quick` was given",
    "seed": "the run's seed",
    "started_utc": "wall clock",
    "ended_utc": "null where the run did not end by itself",
    "command": "the command line",
    "warnings": "what of the record could not be read",
    "environment": "as in environment.json",
    "left_out": "experiments that did not run, as in plan.json",
    "experiments[].name": "its name",
    "experiments[].question": "its question",
    "experiments[].baseline": "the arm that ratios are to",
    "experiments[].twice": "the arm that runs a second time in each block: the suite's baseline",
    "experiments[].aa_floor": "that arm's second run ÷ its first (throughput); null without a block",
    "experiments[].aa_floor.value": "the ratio",
    "experiments[].aa_floor.low": INTERVAL_END,
    "experiments[].aa_floor.high": INTERVAL_END,
    "experiments[].margin": "the least that verdicts are read against, a fraction; each figure's is its A/A floor where"
    " that is more",
    "experiments[].instrument_is_biased": "whether the run's A/A arms convict the instrument, at 1 % for all its"
    " experiments together; null without an interval",
    "experiments[].no_verdicts": "why nothing in the experiment has a verdict; null where arms may have one",
    "experiments[].p99_agrees": "for each `share` of the slowest arm's capacity, whether the p99 of the baseline's two"
    " runs are within 20 % (`agrees`; null where one has none)",
    "experiments[].hop_costs": "for each arm with a hop in front of another arm's stack: `arm`, `without` (that other"
    " arm), `hop`, `share` and `load_per_s` (null at saturation), and per request, in ns, `cpu_ns`, `p50_ns`, `p99_ns`:"
    " differences with `value`, `low`, `high`; null where not known",
    "experiments[].blocks": "blocks that count: valid and suspect ones",
    "experiments[].void_blocks": "`number` and `reasons` of each; they do not count",
    "experiments[].suspect_blocks": "`number` and `reasons` of each; they count",
    "experiments[].ending": "why it stopped, as in run.json; null where it did not get so far",
    "experiments[].cores": "as in plan.json",
    "experiments[].workload": "as in plan.json",
    "experiments[].notes": "as in plan.json",
    "experiments[].surroundings": "by arm, what it got of what it asked for: `sysctls` as read back, `notes`,"
    " `link_mbit_per_s` with what plain transfers before load came to (`link_bits_per_s`), over all blocks",
    "experiments[].left_out": "arms that did not run, as in plan.json",
    "experiments[].failures": "arms that failed, as in blocks.jsonl",
    "experiments[].harness_load": "the Python process's CPU time ÷ the engine's elapsed time, warm-up included:"
    " a share of one core",
    "experiments[].arms[].name": "the arm; the A/A arm is not listed, its ratio is `aa_floor`",
    "experiments[].arms[].title": "as in the suite",
    "experiments[].arms[].answers": "correct answers in slices of the blocks that count; the baseline's first run",
    "experiments[].arms[].throughput_per_s": "answers ÷ the arm's own time",
    "experiments[].arms[].ratio": "of throughput, to the mean of the baseline's two runs; the baseline's own is 1 by"
    " definition; null where there is none",
    "experiments[].arms[].ratio.value": "geometric mean over blocks",
    "experiments[].arms[].ratio.low": INTERVAL_END,
    "experiments[].arms[].ratio.high": INTERVAL_END,
    "experiments[].arms[].cpu_ns_per_request": "by hop name, and `generator`: CPU ns per correct answer; empty without"
    " answers",
    "experiments[].arms[].cpu_ratio": "as `ratio`, of the CPU time of all hops per correct answer",
    "experiments[].arms[].cpu_ratio.value": "geometric mean over blocks",
    "experiments[].arms[].cpu_ratio.low": INTERVAL_END,
    "experiments[].arms[].cpu_ratio.high": INTERVAL_END,
    "experiments[].arms[].service_time_ns.p50": "median service time; null without answers",
    "experiments[].arms[].service_time_ns.p99": "99th percentile",
    "experiments[].arms[].service_time_at_least": "which of `p50` and `p99` lie among unanswered requests: the figure"
    " is then a lower bound",
    "experiments[].arms[].throughput_is_a_bound": "whether the generator was full while the stack idled",
    "experiments[].arms[].comparisons": "with the baseline: `figure` (`throughput`, `cpu_per_request`,"
    " `cpu_per_request:HOP`, `response_p50`, `response_p99`), `load_per_s` (null at saturation), `ratio`, `verdict`"
    " (`faster`, `slower`, `cheaper`, `dearer`, `same`, `unknown`), `negligible`, the `margin` it was read against, and"
    " why there is `no_verdict`",
    "experiments[].arms[].open_loop": "at each offered load: `share`, `rate_per_s`, `answers`, `answered` (÷ due),"
    " `cpu_ns_per_request` by hop, `response_time_ns` (`p50`, `p90`, `p99`, `p999`; null with fewer than 100 samples"
    " beyond)",
    "experiments[].arms[].faults": "its own, in words: with one it has no verdict",
    "experiments[].arms[].errors": "by kind, all eight, in slices",
    "experiments[].arms[].reconnects": "connections opened again after an answer that closed them",
    "experiments[].arms[].cpu_outside": "CPU time while it was meant to be frozen ÷ CPU time in its own slices",
    "experiments[].arms[].steady": "whether it was by the end of its first warm-up; null where that was too short to"
    " tell",
    "experiments[].arms[].header_bytes": "of the checked answer",
    "experiments[].arms[].body_bytes": "of the checked answer",
    "experiments[].arms[].published": "the article's figures, as in the suite; null where there are none",
    "experiments[].arms[].published_ratio": "the article's throughput ÷ that of its control group",
    "experiments[].arms[].cpu_percent": "CPU time of all hops ÷ (the arm's own time × cores of the stack), in per cent;"
    " null where a CPU time is not known",
    "experiments[].arms[].time_wait": "by link, as in blocks.jsonl: the largest of each side over blocks",
    "experiments[].arms[].memory": "by hop, as in blocks.jsonl: the largest of each over blocks",
    "experiments[].arms[].notes": "as in blocks.jsonl, each once",
    "experiments[].arms[].peer": "the other load generator that drove it, and its version; null for hopcost's own",
    "experiments[].arms[].peer_figures": "of another load generator: `latency_ms`, each run's own figures by its own"
    " names; `kept` of `answers`, after which the connection was kept (null where it does not count them)",
    "experiments[].point": "of a sweep: `experiment`, `key` and `value`, as in plan.json; null without one",
    "experiments[].turns": "how arms took turns, as in plan.json",
    "experiments[].connections_asked": "those of the suite, where fewer ran here; else null",
    "experiments[].soak": "of a soak, for each figure and arm: `figure` (`ratio`, `service_time_p50_ns`,"
    " `memory_bytes`), `arm`, its `first` and `last` part, how many `parts`, and its `drift`: factors `over_run`"
    " (interval `low`, `high`) and `per_hour` (`per_hour_low`, `per_hour_high`), `length_s`; null where unknown",
    "experiments[].repeats": "of `--as-published`, by arm: `name`, `tool`, `connections`, `requests` or `duration_s`,"
    " `throughputs_per_s` of each repeat, `ratio` of means to the baseline's, the tool's own `errors`, `cpu_percent`,"
    " `failures`, `published` and `published_ratio`; `peer_figures`, `memory` and `time_wait` as an arm's",
}

CSV = {
    "suite": "its name",
    "experiment": "its name; a point of a sweep is `NAME@VALUE`",
    "point": "the value of the sweep",
    "arm": "the arm",
    "baseline": "the arm that `ratio` is to; of a hop's cost the stack without that hop",
    "figure": "what was measured",
    "load_per_s": "the offered load; empty at saturation",
    "value": "the figure, in `unit`",
    "value_low": "the ends of its interval, where it has one of its own (a difference, a factor)",
    "value_high": "the other end",
    "unit": "`1/s`, `ns`, `bytes`, `count`, `share` (of 1), `%` or `factor`",
    "at_least": "whether `value` is only a lower bound",
    "ratio": "of the figure, to the baseline's",
    "low": "the ends of the ratio's interval, which hold for all arms together at 95 %",
    "high": "the other end",
    "verdict": "`faster`, `slower`, `cheaper`, `dearer`, `same` or `unknown`; empty where the figure is not compared",
    "negligible": "whether the difference is real but wholly inside the margin",
    "margin": "the margin that the verdict was read against, a fraction",
    "no_verdict": "why the verdict is unknown whatever the interval",
    "blocks": "blocks of the experiment that count",
}

ENVIRONMENT = {
    "kernel": "release",
    "system": "the distribution's name",
    "architecture": "of the processor",
    "cpu": "the processor's name as the kernel gives it",
    "cores": "of the machine",
    "allowed_cores": "those that hopcost may use",
    "siblings": "for each allowed core, those that share its physical core",
    "governor": "of the frequency of core 0; null where none is visible",
    "hypervisor": "whether the processor says that it runs under one",
    "memory_bytes": "of the machine",
    "swap_used_bytes": "at the start",
    "open_files": "`soft` and `hard` limit",
    "load_average_1min": "at the start",
    "root": "whether hopcost ran as root",
    "clocksource": "the kernel's",
    "irq_time_apart": "whether interrupts are booked apart from processes; true if the kernel does not say",
    "cgroup": "/proc/self/cgroup",
    "sysctls": "those that matter, by name",
    "freezer": "how arms are frozen: `cgroup2`, `cgroup1` or `signal`",
    "network_namespaces": "whether stacks had network namespaces of their own",
    "network_namespaces_missing": "why not",
    "programs": "the version of every program of the suite; null where it is missing",
    "binaries": "by path, the binaries that hops bring in their programs' place: `program`, `version`, `sha256`",
}

CONSTANTS = {
    "plan.slices.SLICE_NS_LEAST": ("ns", "length of a slice at the least; not shorter than the settling before it"),
    "plan.slices.SLICE_NS_MOST": ("ns", "and at most, where the time is long; or as long as the settling"),
    "plan.slices.SLICE_JITTER": ("of it", "that the slices of single rounds are longer or shorter at most"),
    "plan.make.LOOKS": ("blocks", "looks of a full run; the last is the most blocks. A quick run has the first alone"),
    "plan.slices.SETTLE_NS_LEAST": ("ns", "load before each slice that does not count, at the least"),
    "plan.slices.BRIEF_SLICE_NS_LEAST": (
        "ns",
        "length of a slice with `--quick`, and where the time holds no six blocks",
    ),
    "plan.slices.BRIEF_SETTLE_NS_LEAST": ("ns", "and of the settling before it"),
    "plan.slices.SETTLE_NS_PER_CONNECTION": ("ns", "and for each connection, where that is more"),
    "plan.slices.WHOLE_SLICE_S": (
        "s",
        "length of a whole slice (one arm alive at a time), unless the suite says otherwise",
    ),
    "plan.slices.QUICK_WHOLE_SLICE_S": ("s", "the same with `--quick`"),
    "plan.experiment.QUICK_SOAK_S": ("s", "length of a soak with `--quick`"),
    "plan.make.BLOCK_S_AT_MOST": ("s", "load in a block at most"),
    "plan.method.TARGET_WIDTH": ("of the ratio", "half-width at which a full run stops"),
    "plan.make.FULL_BUDGET_S": ("s", "time for all experiments, unless `--budget` says otherwise"),
    "plan.make.FULL_S_PER_WEIGHT": ("s", "as much for each weight of an experiment, where that is more in all"),
    "plan.make.QUICK_BUDGET_S": ("s", "the same with `--quick`"),
    "plan.slices.WARM_UP_LEAST_NS": ("ns", "shortest warm-up of an arm in a block"),
    "plan.make.WARM_UP_MOST_NS": ("ns", "longest warm-up"),
    "plan.slices.WARM_UP_NS_PER_CONNECTION": ("ns", "and for each connection, that much more"),
    "plan.make.QUICK_WARM_UP_NS": ("ns", "warm-up with `--quick`"),
    "statistics.summary.warm_up.STEADY_SHARE": (
        "",
        "share of the pilot's warm-up, at its end, without a change: else no steady state",
    ),
    "statistics.summary.warm_up.SMALL": ("", "change of CPU per request in the warm-up for which nobody waits"),
    "statistics.intervals.CONFIDENCE_ERROR": ("", "error of all looks and all arms of an experiment together"),
    "plan.method.MIN_MARGIN": ("of the ratio", "margin of verdicts, unless `--margin` says otherwise"),
    "statistics.verdict.AA_ERROR": ("", "error with which a run's A/A arms are judged, together"),
    "statistics.comparisons.BLOCKS_AT_LEAST": ("blocks", "valid ones without which there is no verdict"),
    "statistics.summary.open_loop.BEYOND_AT_LEAST": ("samples", "beyond a quantile that is shown"),
    "statistics.summary.open_loop.BEYOND_IN_A_BLOCK": ("samples", "beyond one of a block that enters an interval"),
    "statistics.summary.open_loop.P99_AGREES": (
        "times",
        "that the p99 of the baseline's two runs may differ for p99 to be shown",
    ),
    "measure.sizing.PILOT_S": ("s", "load in the first block of a full run at most"),
    "plan.experiment.OPEN_LOOP_SHARES": (
        "",
        "offered loads of the open loop, as shares of the slowest arm's throughput",
    ),
    "plan.slices.OPEN_LOOP_SHARE_OF_BUDGET": (
        "",
        "share of an experiment's time that the open loop may take; with less time there is none",
    ),
    "plan.open_loop.SLICE_NS_LEAST": ("ns", "length of a slice of the open loop at the least"),
    "plan.open_loop.STALLS_PER_SLICE": ("", "times the longest stall of the generator's cores that it is at the least"),
    "plan.open_loop.SLICE_NS_MOST": ("ns", "and at most; where it ought to be longer the block is suspect"),
    "plan.open_loop.PHASE_NS": ("ns", "slices of the open loop for each arm and offered load in a full block"),
    "machine.stall.STALL_LOOK_NS": (
        "ns",
        "how long each of the generator's cores is looked at for stalls, before a block",
    ),
    "statistics.validity.FOREIGN_AT_MOST": (
        "",
        "share of CPU time that other programs took; above it the block is suspect",
    ),
    "statistics.validity.STEAL_AT_MOST": (
        "",
        "share of the time of the cores in use that the hypervisor kept; above: void",
    ),
    "statistics.validity.THROTTLED_AT_MOST": ("", "share of a block's time that a CPU quota held it up; above: void"),
    "statistics.validity.SWAPPED_AT_MOST": ("pages", "swapped in and out during a block; above: void"),
    "statistics.validity.CLOCK_STEP_AT_MOST_NS": ("ns", "step of the wall clock during a block; above: void"),
    "statistics.validity.LITTLE_AT_MOST": ("", "service times off from requests in flight over time; above: void"),
    "statistics.validity.LITTLE_ANSWERS_LEAST": ("answers", "with fewer that is not judged"),
    "statistics.validity.LITTLE_ERRORS_AT_MOST": ("", "errors per answer; with more that is not judged"),
    "statistics.validity.TAIL_ANSWERS_LEAST": ("answers", "with fewer nobody asks whether the mean is above p99"),
    "statistics.validity.STALL_FACTOR": ("", "times the median slice's mean time in flight that makes a slice a stall"),
    "statistics.validity.FULL": ("", "share of its cores at which the generator is full"),
    "statistics.validity.IDLE_LEAST": ("", "share of its cores above which a stack is idle"),
    "statistics.validity.LATE_AT_MOST": (
        "",
        "share of due requests sent over 1 ms late though a connection was free; above: void",
    ),
    "statistics.validity.MISSED_AT_MOST": ("", "share of due requests never sent; above: void, or the arm's result"),
    "statistics.validity.UNEVEN": ("", "times its even share at which a worker's CPU time is uneven"),
    "stacks.workers.WORKERS_AT_MOST": ("workers", "of one hop whose CPU times are listed"),
    "measure.loop.VOID_BLOCKS_AT_MOST": (
        "blocks",
        "void blocks that are done again, or as many as there are valid ones; with one more the experiment fails",
    ),
    "stacks.sandbox.ports.FIRST_PORT": ("", "listening ports begin here"),
    "stacks.sandbox.ports.LAST_PORT": ("", "and end before this"),
    "stacks.stack.READY_S": ("s", "a program must accept connections within"),
}
