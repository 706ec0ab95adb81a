"""What runs on the generator's machine besides the engine: scripts of `sh` with what every Linux has; and its ends."""

from __future__ import annotations

import shlex
from typing import NamedTuple

LEASE_S = 10  # of the folder and the engine there: longer than the agent's, which ends the engine first
BEAT_S = 2.5

# $1: the engine's file name. Prints where the engine belongs, and its digest if it is there.
FIND_ENGINE = """
file="${XDG_CACHE_HOME:-$HOME/.cache}/hopcost/$1"
echo "$file"
if [ -x "$file" ]; then sha256sum "$file" | cut -d " " -f 1; fi
"""

# $1: the file; gzip on standard input. It is whole or not there.
PUT_ENGINE = """
umask 077
mkdir -p "$(dirname "$1")" || exit 1
new=$(mktemp "$1.XXXXXX") || exit 1
if gzip -dc >"$new" && chmod 700 "$new" && mv "$new" "$1"; then exit 0; fi
rm -f "$new"
exit 1
"""

# $1: the engine. An engine of another architecture must be there already.
VERSION = 'exec "$1" --version'

# $1: after how many silent seconds all of it ends. Makes the run's folder, prints it, and removes it at the end of its
# input or of the lease: what of the engine is left by then is killed. Folders whose script is dead are removed first.
HOLD = """
umask 077
trap "" HUP INT TERM
base=${TMPDIR:-/tmp}
for old in "$base"/hopcost-generator-[0-9]*-*; do
  pid=${old##*/hopcost-generator-}
  if [ -O "$old" ] && [ ! -d "/proc/${pid%%-*}" ]; then rm -rf "$old"; fi
done
folder=$(mktemp -d "$base/hopcost-generator-$$-XXXXXX") || exit 1
echo "$folder"
while [ -n "$(timeout "$1" head -c 1)" ]; do :; done
pid=$(cat "$folder/engine.pid" 2>/dev/null)
case "$(readlink "/proc/${pid:-none}/exe")" in */hopcost-engine*) kill -KILL "$pid" ;; esac
rm -rf "$folder"
"""

# $1: the folder; a tar of files on standard input.
PUT_FILES = 'umask 077; exec tar -xf - -C "$1"'

# $1: the folder, $2: the engine; the plan on standard input.
RUN_ENGINE = """
echo $$ >"$1/engine.pid" || exit 3
if command -v setpriv >/dev/null; then exec setpriv --pdeathsig KILL -- "$2" run; fi
exec "$2" run
"""

# $1: the folder. Ends what RUN_ENGINE started, if it still runs.
STOP_ENGINE = """
pid=$(cat "$1/engine.pid" 2>/dev/null)
case "$(readlink "/proc/${pid:-none}/exe")" in */hopcost-engine*) kill -KILL "$pid" ;; esac
rm -f "$1/engine.pid"
"""

# Facts that a record keeps, as `key: value` lines.
FACTS = """
echo "host: $(uname -n)"
echo "architecture: $(uname -m)"
echo "kernel: $(uname -r)"
echo "cpu: $(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -n 1)"
echo "microcode: $(sed -n 's/^microcode[^:]*: *//p' /proc/cpuinfo | head -n 1)"
echo "hypervisor: $(grep -cm 1 '^flags.* hypervisor' /proc/cpuinfo)"
echo "allowed_cores: $(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status)"
echo "clocksource: $(cat /sys/devices/system/clocksource/clocksource0/current_clocksource 2>/dev/null)"
echo "memory_kib: $(sed -n 's/^MemTotal: *\\([0-9]*\\).*/\\1/p' /proc/meminfo)"
echo "python: $(command -v python3)"
exit 0
"""

# Counters at one moment, in parts between lines of `==`: uptime, cores, swapping, processes, CPU quotas.
READ = """
cat /proc/uptime
echo ==
cat /proc/stat
echo ==
cat /proc/vmstat
echo ==
cat /proc/[0-9]*/stat 2>/dev/null
echo ==
own=/sys/fs/cgroup$(sed -n 's/^0:://p' /proc/self/cgroup)
while :; do
  case "$own" in /sys/fs/cgroup*) ;; *) break ;; esac
  cat "${own%/}/cpu.stat" 2>/dev/null
  echo ==
  if [ "${own%/}" = /sys/fs/cgroup ]; then break; fi
  own=${own%/*}
done
exit 0
"""

# $1: for how many ns each core is looked at; then the cores. Prints the longest time for which one stood still, in ns.
STALL = """
exec python3 - "$@"
"""
STALL_PROGRAM = b"""
import os, sys, time
longest = 0
for core in sys.argv[2:]:
    os.sched_setaffinity(0, {int(core)})
    last = time.monotonic_ns()
    end = last + int(sys.argv[1])
    while last < end:
        now = time.monotonic_ns()
        longest = max(longest, now - last)
        last = now
print(longest)
"""


class Finished(NamedTuple):
    """A command that has ended: its exit code (None: a signal ended it), and what it wrote."""

    status: int | None
    output: str
    errors: str

    @property
    def last_line(self) -> str:
        """Of its standard error; its exit code if that is empty."""
        lines = self.errors.strip().splitlines()
        return lines[-1] if lines else f"exit code {self.status}"


def shell_command(script: str, *words: str) -> str:
    """The command line for a login shell of any kind: `sh` runs the script.

    >>> shell_command('echo "$1"', "a b")
    "exec sh -c 'echo \\"$1\\"' sh 'a b'"
    """
    return " ".join(["exec", "sh", "-c", *(shlex.quote(word) for word in (script, "sh", *words))])


def text_of(part: object) -> str:
    """What a command wrote; empty if nothing was kept."""
    return bytes(part).decode(errors="replace") if isinstance(part, (bytes, bytearray, memoryview)) else str(part or "")
