#!/usr/bin/env bash
# The units of doc/deploy/systemd: systemd has nothing against them, and finds little that they leave
# open; and a systemd of its own, the first process of a namespace, runs them: systemd/inside.sh.
set -euo pipefail
. "$(dirname "$0")/recorder.sh"

units=$here/../../doc/deploy/systemd
work=$T/systemd
mkdir -p "$work/units"
# where the program is, at this moment
for unit in "$units"/*.{service,socket}; do
  sed "s|/usr/local/bin/warcorder|$WARCORDER|" "$unit" >"$work/units/$(basename "$unit")"
done
cp "$work/units/warcorder@.service" "$work/units/warcorder@news.service"

for unit in warcorder.service warcorder@news.service warcorder.socket; do
  equal "systemd-analyze verify $unit says nothing" \
    "$(cd "$work/units" && systemd-analyze verify --man=no --recursive-errors=no "./$unit" 2>&1)" ''
done
# exposure UNIT: of 0 (none) to 10. What is left at 1.1 is the network, and the system's own files to read.
exposure() {
  (cd "$work/units" && systemd-analyze security --offline=true --no-pager "./$1" 2>&1) >"$work/security"
  echo "# $(tail -n 1 "$work/security" | tr -d '→')"
}
exposure warcorder.service
for unit in warcorder.service warcorder@news.service; do
  try "systemd-analyze security finds an exposure of 1.2 at most in $unit" \
    bash -c "cd '$work/units' && systemd-analyze security --offline=true --no-pager --threshold=12 './$unit'"
done
mkdir -p "$work/loose"
grep -v '^SystemCallFilter\|^Restrict\|^Protect' "$work/units/warcorder.service" >"$work/loose/warcorder.service"
is_exposed() { ! (cd "$work/loose" && systemd-analyze security --offline=true --threshold=12 ./warcorder.service); }
if ! is_exposed >/dev/null 2>&1; then
  not_ok 'a unit that is not hardened is found to be exposed'
else
  ok 'a unit that is not hardened is found to be exposed'
fi
told() { grep -v '^#\|^Description=\|^ExecStart=\|^ExecReload=.*config check\|^SyslogIdentifier=' "$1"; }
equal 'the unit for each of several collections is the same in all else' \
  "$(told "$units/warcorder@.service")" "$(told "$units/warcorder.service")"

# launchd is not here: its property list is read as one, and has the keys that launchd.plist(5) knows.
plist=$here/../../doc/deploy/launchd/org.warcorder.warcorder.plist
"$VENV/bin/python" - "$plist" <<'PYTHON' || not_ok 'the property list broke off'
import plistlib, sys
job = plistlib.load(open(sys.argv[1], "rb"))
types = dict(Label=str, ProgramArguments=list, UserName=str, GroupName=str, WorkingDirectory=str, Umask=int,
             EnvironmentVariables=dict, RunAtLoad=bool, KeepAlive=dict, ThrottleInterval=int, ExitTimeOut=int,
             ProcessType=str, SoftResourceLimits=dict, HardResourceLimits=dict, StandardOutPath=str,
             StandardErrorPath=str)
wrong = [name for name, value in job.items() if type(value) is not types.get(name)]
wrong += [name for name in types if name not in job]
print("not ok - the keys of launchd: " + str(wrong) if wrong else "ok - the property list has the keys of launchd")
meant = (job["Label"] + ".plist" == sys.argv[1].rsplit("/", 1)[1] and job["Umask"] == 0o077
         and job["KeepAlive"] == {"SuccessfulExit": False} and job["ExitTimeOut"] > 20)
print(f"{'ok' if meant else 'not ok'} - and the values that are meant")
PYTHON

# A systemd of its own: all that it changes is in memory, and goes with it.
try 'a systemd boots, runs the units, and ends' timeout 120 \
  bash "$here/systemd/boot.sh" "$work/root" "$WARCORDER" "$units" "$here/systemd/inside.sh" "$work/said"
cat "$work/said" 2>/dev/null || not_ok 'it has said something'
