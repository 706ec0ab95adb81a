"""What runs on the generator's machine besides the engine: scripts of `sh` with what every Linux has; and its ends."""

from __future__ import annotations

import io
import shlex
import tarfile
from collections.abc import Mapping
from typing import NamedTuple

LEASE_S = 8  # of the folder and the engine there: longer than the agent's and the engine's, which end first
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

# $1: after how many silent seconds all of it ends. Makes a folder, prints it, and removes it at the end of its input or
# of the lease, with what runs there by then. Folders whose script is dead are removed first.
# PIPE is ignored: nobody may be there to read the name, and the folder must go all the same.
_HOLD = """
umask 077
trap "" HUP PIPE
base=${TMPDIR:-/tmp}
for old in "$base"/hopcost-ROLE-[0-9]*-*; do
  pid=${old##*/hopcost-ROLE-}
  if [ -O "$old" ] && [ ! -d "/proc/${pid%%-*}" ]; then rm -rf "$old"; fi
done
folder=$(mktemp -d "$base/hopcost-ROLE-$$-XXXXXX") || exit 1
echo "$folder"
while [ -n "$(timeout -s KILL "$1" head -c 1)" ]; do :; done
END
rm -rf "$folder"
"""
_KILL_ENGINE = """pid=$(cat "$folder/engine.pid" 2>/dev/null)
case "$(readlink "/proc/${pid:-none}/exe")" in */hopcost-engine*) kill -KILL "$pid" ;; esac"""
_END_RUN = """pid=$(cat "$folder/run.pid" 2>/dev/null)
mark=-INT
for second in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  if ! grep -qa "$folder" "/proc/${pid:-none}/environ" 2>/dev/null; then break; fi
  kill "$mark" "$pid"
  mark=-0
  sleep 1
done
if grep -qa "$folder" "/proc/${pid:-none}/environ" 2>/dev/null; then kill -KILL "$pid"; fi"""
HOLD = _HOLD.replace("ROLE", "generator").replace("END", _KILL_ENGINE)
HOLD_RUN = _HOLD.replace("ROLE", "run").replace("END", _END_RUN)

# Prints the version of the hopcost that a run there would be.
HOPCOST = 'PATH="$PATH:$HOME/.local/bin"; exec hopcost --version'

# $1: the folder; then the words of `hopcost run`, of which FOLDER/ is the folder's.
RUN_HOPCOST = """
folder=$1
shift
PATH="$PATH:$HOME/.local/bin"
HOPCOST_RUN_FOLDER=$folder
export PATH HOPCOST_RUN_FOLDER
echo $$ >"$folder/run.pid" || exit 3
cd "$folder" || exit 3
exec hopcost run "$@"
"""

# $1: the folder.
INTERRUPT_RUN = 'kill -INT "$(cat "$1/run.pid")"'

# $1: the folder. Prints the record as base64 of a tar; nothing if there is none.
FETCH_RECORD = 'cd "$1" && [ -d record ] && tar -czf - record | base64'

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

# Counters at one moment, in parts between lines of `==`: its own pid, uptime, cores, swapping, processes, CPU quotas.
READ = """
echo $$
echo ==
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

    >>> print(shell_command('echo "$1"', "a b"))
    exec sh -c 'echo "$1"' sh 'a b'
    """
    return " ".join(["exec", "sh", "-c", *(shlex.quote(word) for word in (script, "sh", *words))])


def text_of(part: object) -> str:
    """What a command wrote; empty if nothing was kept."""
    return bytes(part).decode(errors="replace") if isinstance(part, (bytes, bytearray, memoryview)) else str(part or "")


def packed(files: Mapping[str, bytes]) -> bytes:
    """A tar of files that their owner alone may read, for PUT_FILES."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as archive:
        for name, text in files.items():
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(text), 0o600
            archive.addfile(entry, io.BytesIO(text))
    return content.getvalue()
