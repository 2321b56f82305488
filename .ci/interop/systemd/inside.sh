#!/usr/bin/env bash
# What the units do under a real systemd. boot.sh has it run there.
set -uo pipefail
ok() { echo "ok - systemd: $*"; }
not_ok() { echo "not ok - systemd: $*"; }
equal() { if [[ $2 == "$3" ]]; then ok "$1"; else not_ok "$1: ${2:0:400}, not ${3:0:100}"; fi; }
try() {
  local name=$1 said
  shift
  if said=$("$@" 2>&1); then ok "$name"; else not_ok "$name: $(tail -n 3 <<<"$said" | tr '\n' ' ')"; fi
}
wait_for() {
  local deadline=$((SECONDS + $1))
  until "${@:2}"; do
    ((SECONDS < deadline)) || return 1
    sleep 0.05
  done
}
shown() { systemctl show --value -p "$1" "${2:-warcorder.service}"; }
by_proxy() {
  curl --disable --silent --show-error --fail --max-time 20 --noproxy '' --proxy http://127.0.0.1:8080 "$@"
}
as_user() {
  (cd /var/lib/warcorder &&
    HOME=/var/lib/warcorder setpriv --reuid warcorder --regid warcorder --clear-groups "$@")
}

# dropin UNIT LINE...: what this run is in a hurry for, and where the log goes, which no journal takes.
dropin() {
  mkdir -p "/etc/systemd/system/$1.d"
  printf '[Service]\n%s\n' "${@:2}" >"/etc/systemd/system/$1.d/interop.conf"
}
dropin warcorder.service RestartSec=100ms WatchdogSec=2s StandardError=append:/log
dropin warcorder@.service StandardError=append:/log
mkdir -p /site && echo a page >/site/page
python3 -m http.server --bind 127.0.0.1 --directory /site 9000 >/dev/null 2>&1 &
site=$!
is_up() { curl --disable --silent --noproxy '*' -o /dev/null http://127.0.0.1:9000/page; }
wait_for 10 is_up

systemd-sysusers /usr/lib/sysusers.d/warcorder.conf
systemd-tmpfiles --create /usr/lib/tmpfiles.d/warcorder.conf
equal 'the configuration is for root and the recorder' "$(stat -c '%a %U %G' /etc/warcorder/warcorder.yaml)" \
  '640 root warcorder'
systemctl daemon-reload

try 'start returns when it records' systemctl start warcorder.service
equal 'status --check at that moment' "$(as_user warcorder status --check | cut -d ';' -f 1)" recording
says() { [[ $(shown StatusText) == *"$1"* ]]; }
try 'it says what it does' wait_for 5 says 'recording; 0 exchanges'
pid=$(shown MainPID)
equal 'its user' "$(stat -c %U "/proc/$pid")" warcorder
equal 'it can gain no right' "$(grep -E '^(CapEff|CapBnd|NoNewPrivs|Seccomp):' "/proc/$pid/status" | tr -d '\t\n')" \
  'CapEff:0000000000000000CapBnd:0000000000000000NoNewPrivs:1Seccomp:2'
equal 'a page by it' "$(by_proxy http://127.0.0.1:9000/page)" 'a page'
equal 'it is in the export' "$(as_user warcorder export -o - | grep -c '/page"')" 1
equal 'what is recorded is for its owner alone' \
  "$(find /var/lib/warcorder/collections /var/lib/warcorder/.config -perm /0077 | head -n 3)" ''

try 'reload' systemctl reload warcorder.service
runs_on() { [[ "$(shown MainPID) $(shown SubState)" == "$pid running" ]]; }
try 'the same process goes on' wait_for 10 runs_on
reloaded() { grep -q '"by":"SIGHUP"' /log; }
try 'it has read its settings anew' wait_for 10 reloaded
cp -p /etc/warcorder/warcorder.yaml /right.yaml
echo 'lisen: 127.0.0.1:8080' >>/etc/warcorder/warcorder.yaml
systemctl reload warcorder.service 2>/dev/null && not_ok 'a configuration that is wrong is reloaded'
try 'a reload of what is wrong fails, says what, and ends nothing' \
  bash -c 'grep -q "unknown key .*lisen" /log'
try 'the same process goes on after it' runs_on
cp -p /right.yaml /etc/warcorder/warcorder.yaml

kill -KILL "$pid"
restarted() { [[ $(shown MainPID) != "$1" && $(shown MainPID) != 0 && $(shown SubState) == running ]]; }
try 'killed, it is started anew' wait_for 10 restarted "$pid"
pid=$(shown MainPID)
kill -STOP "$pid"
try 'silent, it is ended by the watchdog and started anew' wait_for 15 restarted "$pid"
equal 'a page by it then' "$(by_proxy http://127.0.0.1:9000/page)" 'a page'

# What the sandbox lets through, tried by a shell in its place.
sed -e 's|^ExecStart=.*|ExecStart=/bin/sh /probe|' -e 's|^Type=.*|Type=oneshot|' -e '/^Watchdog\|^Restart=/d' \
  /etc/systemd/system/warcorder.service >/etc/systemd/system/probe.service
dropin probe.service StandardOutput=append:/probed StandardError=append:/probed
cat >/probe <<'PROBE'
try() { name=$1; shift; if "$@" >/dev/null 2>&1; then echo "$name: yes"; else echo "$name: no"; fi; }
try state touch /var/lib/warcorder/probe
try etc touch /etc/warcorder/probe
try usr touch /usr/local/bin/probe
try root ls /root
try mount mount -t tmpfs tmpfs /tmp
try namespace unshare -U true
try reboot unshare -n true
try tune sh -c 'echo 1 >/proc/sys/kernel/sysrq'
try packet python3 -c 'import socket; socket.socket(socket.AF_PACKET, socket.SOCK_RAW)'
try execute python3 -c 'import mmap; mmap.mmap(-1, 4096, prot=mmap.PROT_WRITE|mmap.PROT_EXEC)'
try disks sh -c 'ls /dev | grep -q vda'
PROBE
systemctl start probe.service
equal 'the sandbox' "$(tr '\n' ' ' </probed)" 'state: yes etc: no usr: no root: no mount: no namespace: no reboot: no '`
  `'tune: no packet: no execute: no disks: no '

try 'stop' systemctl stop warcorder.service
equal 'it has ended well' "$(shown Result) $(shown SubState)" 'success dead'
equal 'all files are finished' "$(find /var/lib/warcorder/collections -name '*.open')" ''

try 'the socket' systemctl start warcorder.socket
equal 'the first client starts it' "$(by_proxy http://127.0.0.1:9000/page)" 'a page'
equal 'it is the service' "$(shown ActiveState)" active
: >/asked
(until [[ -e /enough ]]; do
  if by_proxy http://127.0.0.1:9000/page >/dev/null 2>>/refused; then echo yes; else echo no; fi >>/asked
done) &
asker=$!
answers() { (($(wc -l </asked) >= $1)); }
for n in 3 6 9; do
  wait_for 20 answers "$n" || not_ok "there are $n answers"
  systemctl restart warcorder.service
done
touch /enough
wait $asker
equal 'nobody finds the port closed while it is started anew three times' "$(grep -c '^curl: (7)' /refused)" 0
# one that is taken in the moment of an end, and has not asked yet, is cut, as at every end
if (($(grep -c no /asked) <= 3)); then ok 'and all but who came in the moment of an end are served'; else
  not_ok "not all are served: $(tr '\n' ' ' </refused)"
fi
systemctl stop warcorder.socket warcorder.service
equal 'stopped with its socket' "$(shown Result) $(shown SubState)" 'success dead'

printf 'listen: 127.0.0.1:8081\n' >/etc/warcorder/news.yaml
systemd-tmpfiles --create /usr/lib/tmpfiles.d/warcorder.conf
try 'one of several collections' systemctl start warcorder@news.service
equal 'it has its own' "$(as_user warcorder status --check --collection news | cut -d ';' -f 1)" recording
systemctl stop warcorder@news.service

if command -v chromium >/dev/null; then
  mkdir -p /etc/systemd/system/warcorder.service.d
  cp /etc/warcorder/browser.conf /etc/systemd/system/warcorder.service.d/
  systemctl daemon-reload
  systemctl start warcorder.service
  echo '<title>for a browser</title><script>fetch("/page")</script>' >/site/script.html
  curl --disable --silent --noproxy '*' --data-urlencode url=http://127.0.0.1:9000/script.html -H \
    "Authorization: Bearer $(</var/lib/warcorder/collections/default/recorder.token)" \
    http://127.0.0.1:8080/live/capture >/captured
  # the script has run: it has asked for the page once more
  is_captured() { as_user warcorder export --all -o - 2>/dev/null | grep -q script.html; }
  has_shot() { as_user warcorder export --all -o - 2>/dev/null | grep -q urn:thumbnail; }
  try 'with browser.conf a page is captured from the live page' wait_for 30 is_captured
  try 'and its picture' wait_for 30 has_shot || { cat /captured; tail -n 5 /log; }
  systemctl stop warcorder.service
  equal 'its browser has gone with it' "$(pgrep -c chromium)" 0
fi

printf 'listen: 0.0.0.0:8080\n' >/etc/warcorder/warcorder.yaml
dropin warcorder.service Restart=no StandardError=append:/refusal
systemctl daemon-reload
systemctl start warcorder.service 2>/dev/null && not_ok 'it starts for everybody'
equal 'where other machines would come in, and nobody says who may, it does not start, and says what to set' \
  "$(grep -c 'set clients to their networks' /refusal)" 1
kill $site
