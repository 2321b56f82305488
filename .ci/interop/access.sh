#!/usr/bin/env bash
# Who may use the recorder, and where to: a stranger in a network namespace of its own, beyond a
# veth pair, tries to reach through it what the stranger cannot reach: services on the recorder's
# loopback and in its private networks, a metadata address, this and another recorder on the
# machine, in all spellings. Every address is one of three namespaces: the recorder's (house), the
# stranger's, and that of everything else (world), where servers note who was asked.
#
# ACCESS_BEFORE names another binary, which goes through the table first; both are shown then.
set -euo pipefail
if [[ ${1-} != inside ]]; then
  unshare -nm true 2>/dev/null || users=(--user --map-root-user)
  exec unshare "${users[@]}" --net --mount bash "$0" inside
fi
. "$(dirname "$0")/recorder.sh"

work=$T/access
mkdir -p "$work"
touch "$work/asked"

# What is asked for, and what must come of it: when strangers are let in by `clients` or by
# `proxy-users`; when `deny` is all and `allow` a few; and for a client on loopback, where only
# names that flip are denied. See stranger.py.
cat >"$work/table" <<'TABLE'
what                      | form    | target                    | strangers | white   | loopback
an address                | get     | 198.51.100.10             | public    | 403     | public
the same, in a tunnel     | connect | 198.51.100.10             | public    | 403     | public
the same, by TLS          | tls     | 198.51.100.10             | tls       | 403     | tls
a name                    | get     | pub.test                  | public    | public  | public
a name, in a tunnel       | connect | pub.test                  | public    | public  | public
a name, by TLS            | tls     | pub.test                  | tls       | tls     | tls
a name and its dot        | get     | pub.test.                 | public    | public  | public
first address is dead     | get     | several.test              | public    | 403     | public
first address, by TLS     | tls     | several.test              | tls       | 403     | tls
of both families          | get     | both.test                 | public    | 403     | public
IPv6                      | get     | [2001:db8:1::10]          | public    | 403     | public
no such name              | get     | nowhere.test              | none      | none    | none
denied by name            | get     | evil.test                 | 403       | 403     | 403
denied, case and dot      | get     | EVIL.test.                | 403       | 403     | 403
denied, in a tunnel       | connect | evil.test                 | 403       | 403     | 403
denied, by TLS            | tls     | evil.test                 | 403       | 403     | 403
denied below a pattern    | get     | a.b.evil.test             | 403       | 403     | 403
denied by SNI             | sni     | pub.test evil.test        | 403       | tls     | 403
denied by Host in tunnel  | host    | pub.test evil.test        | public    | public  | public
denied by address         | get     | 198.51.100.12             | 403       | 403     | 403
denied by name's address  | get     | twelve.test               | 403       | 403     | 403
loopback                  | get     | 127.0.0.1                 | 403       | 403     | loopback
loopback, in a tunnel     | connect | 127.0.0.1                 | 403       | 403     | loopback
loopback, by TLS          | tls     | 127.0.0.1                 | 403       | 403     | looptls
loopback, https absolute  | https   | 127.0.0.1                 | none      | none    | -
loopback, port of no use  | connect | 127.0.0.1:22              | 403       | 403     | none
loopback, another port    | get     | 127.0.0.1:9000            | 403       | 403     | loopport
all of loopback           | get     | 127.9.9.9                 | 403       | 403     | none
localhost                 | get     | localhost                 | 403       | 403     | loopback
localhost and its dot     | get     | localhost.                | none      | none    | -
localhost in capitals     | get     | LocalHost                 | 403       | 403     | loopback
below localhost           | get     | a.localhost               | none      | none    | -
short                     | get     | 127.1                     | none      | none    | -
decimal                   | get     | 2130706433                | none      | none    | -
octal                     | get     | 0177.0.0.1                | none      | none    | -
octal, one number         | get     | 017700000001              | none      | none    | -
hex                       | get     | 0x7f000001                | none      | none    | -
hex, in parts             | get     | 0x7f.0.0.1                | none      | none    | -
decimal, in a tunnel      | connect | 2130706433                | none      | none    | -
hex, by TLS               | tls     | 0x7f000001                | none      | none    | -
with a dot                | get     | 127.0.0.1.                | none      | none    | -
percent-encoded           | get     | %31%32%37.0.0.1           | none      | none    | -
full width                | get     | １２７.０.０.１                 | none      | none    | -
ideographic stops         | get     | 127。0。0。1                 | none      | none    | -
an enclosed name          | get     | ⓛocalhost                 | none      | none    | -
with a user               | get     | pub.test@127.0.0.1        | none      | none    | -
zero                      | get     | 0.0.0.0                   | 403       | 403     | -
zero, short               | get     | 0                         | none      | none    | -
IPv6 loopback             | get     | [::1]                     | 403       | 403     | loop6
IPv6 loopback, tunnel     | connect | [::1]                     | 403       | 403     | loop6
IPv6 loopback, long       | get     | [0:0:0:0:0:0:0:1]         | 403       | 403     | loop6
IPv6 loopback, zone       | get     | [::1%25lo]                | none      | none    | -
IPv6 loopback, bare zone  | get     | [::1%lo]                  | none      | none    | -
IPv6 zero                 | get     | [::]                      | 403       | 403     | -
mapped                    | get     | [::ffff:127.0.0.1]        | 403       | 403     | loopback
mapped, in hex            | get     | [::ffff:7f00:1]           | 403       | 403     | loopback
mapped, in a tunnel       | connect | [::ffff:7f00:1]           | 403       | 403     | loopback
compatible                | get     | [::127.0.0.1]             | 403       | 403     | none
behind a translator       | get     | [64:ff9b::7f00:1]         | 403       | 403     | none
by a tunnel of IPv6       | get     | [2002:7f00:1::]           | 403       | 403     | none
private                   | get     | 10.20.0.2                 | 403       | private | private
private, in a tunnel      | connect | 10.20.0.2                 | 403       | private | private
private, by TLS           | tls     | 10.20.0.2                 | 403       | privtls | privtls
private, decimal          | get     | 169082882                 | none      | none    | -
private, mapped           | get     | [::ffff:10.20.0.2]        | 403       | private | private
private IPv6              | get     | [fd00:20::2]              | 403       | 403     | private6
another private network   | get     | 172.16.5.2                | 403       | 403     | private
of a provider             | get     | 100.64.0.2                | 403       | 403     | private
metadata                  | get     | 169.254.169.254           | 403       | 403     | metadata
metadata, in a tunnel     | connect | 169.254.169.254           | 403       | 403     | metadata
metadata, decimal         | get     | 2852039166                | none      | none    | -
metadata, mapped          | get     | [::ffff:a9fe:a9fe]        | 403       | 403     | metadata
metadata by name          | get     | metadata.test             | 403       | 403     | metadata
link-local IPv6, zone     | get     | [fe80::1%25world]         | none      | none    | none
to many                   | get     | 224.0.0.1                 | 403       | 403     | none
to all                    | get     | 255.255.255.255           | 403       | 403     | none
the machine's own         | get     | 203.0.113.1               | 403       | 403     | own
the machine's own, tunnel | connect | 203.0.113.1               | 403       | 403     | own
its other address         | get     | 198.51.100.1              | 403       | 403     | own
its private address       | get     | 10.20.0.1                 | 403       | 403     | own
its own IPv6              | get     | [2001:db8:1::1]           | 403       | 403     | own6
its own by name           | get     | own.test                  | 403       | 403     | own
a name for loopback       | get     | loop.test                 | 403       | 403     | loopback
the same, in a tunnel     | connect | loop.test                 | 403       | 403     | loopback
the same, by TLS          | tls     | loop.test                 | 403       | 403     | looptls
a name for private        | get     | private.test              | 403       | private | private
the same, in a tunnel     | connect | private.test              | 403       | private | private
for mapped IPv6           | get     | mapped.test               | 403       | 403     | -
for a translator          | get     | translated.test           | 403       | 403     | -
public and loopback       | get     | public-loop.test          | public    | 403     | public
loopback and public       | get     | loop-pub.test             | public    | 403     | public
the same, in a tunnel     | connect | loop-pub.test             | public    | 403     | public
dead and private          | get     | dead-private.test         | none      | private | none
public first              | get     | flip.test                 | public    | 403     | public
loopback then             | get     | flip.test                 | 403       | 403     | 403
loopback then, in tunnel  | connect | flip.test                 | 403       | 403     | 403
loopback then, by TLS     | tls     | flip.test                 | 403       | 403     | 403
private first             | get     | flop.test                 | 403       | private | private
public then               | get     | flop.test                 | public    | 403     | 403
private then              | get     | flop.test                 | 403       | private | private
by SNI                    | sni     | pub.test loop.test        | tls       | tls     | -
by SNI that flips         | sni     | 198.51.100.10 flip.test   | tls       | 403     | tls
by Host in absolute-form  | mixed   | pub.test 127.0.0.1        | public    | public  | public
by Host in a tunnel       | host    | pub.test 127.0.0.1        | public    | public  | public
absolute-form in a tunnel | inner   | pub.test 127.0.0.1        | 400       | 400     | -
by Host, own pages        | host    | pub.test 127.0.0.1:8080   | public    | public  | public
redirect to loopback      | to      | pub.test 127.0.0.1        | 403       | 403     | loopback
redirect to localhost     | to      | pub.test localhost        | 403       | 403     | loopback
redirect to private       | to      | pub.test 10.20.0.2        | 403       | private | private
redirect to metadata      | to      | pub.test 169.254.169.254  | 403       | 403     | metadata
redirect to decimal       | to      | pub.test 2130706433       | none      | none    | -
redirect to what flips    | to      | pub.test flip.test        | 403       | 403     | 403
redirect to public        | to      | pub.test 198.51.100.10    | public    | 403     | public
its own status            | page    | 127.0.0.1:8080/status     | 403       | 403     | -
its own export            | page    | 127.0.0.1:8080/export     | 403       | 403     | -
its own gaps              | page    | localhost:8080/gaps       | 403       | 403     | -
its own by its address    | page    | 203.0.113.1:8080/status   | 403       | 403     | -
its own name              | page    | warcorder.internal/status | none      | none    | -
another's status          | page    | 127.0.0.1:8181/status     | 403       | 403     | 200
another's export          | page    | 127.0.0.1:8181/export     | 403       | 403     | 200
another's gaps            | page    | [::ffff:7f00:1]:8181/gaps | 403       | 403     | -
another's by name         | page    | loop.test:8181/export     | 403       | 403     | -
TABLE
zone() {
  cat <<'ZONE'
pub.test 198.51.100.10
evil.test 198.51.100.10
a.b.evil.test 198.51.100.10
twelve.test 198.51.100.12
several.test 198.51.100.11 198.51.100.10
both.test 198.51.100.10 2001:db8:1::10
private.test 10.20.0.2
loop.test 127.0.0.1
own.test 203.0.113.1
metadata.test 169.254.169.254
mapped.test ::ffff:127.0.0.1
translated.test 64:ff9b::7f00:1
public-loop.test 198.51.100.10 127.0.0.1
loop-pub.test 127.0.0.1 198.51.100.10
dead-private.test 198.51.100.11 10.20.0.2
flip.test 198.51.100.10 then 127.0.0.1
flop.test 10.20.0.2 then 198.51.100.10 then 10.20.0.2
a.localhost 127.0.0.1
127.1 127.0.0.1
2130706433 127.0.0.1
0177.0.0.1 127.0.0.1
017700000001 127.0.0.1
0x7f000001 127.0.0.1
0x7f.0.0.1 127.0.0.1
169082882 10.20.0.2
2852039166 169.254.169.254
0 127.0.0.1
ZONE
}

# in_space NAME COMMAND...: in the namespace of that name.
declare -A space
in_space() { nsenter "--net=/proc/${space[$1]}/ns/net" -- "${@:2}"; }
new_space() {
  unshare --net sleep 1000 &
  space[$1]=$!
  pids[$!]=$!
  apart() { [[ $(readlink "/proc/${space[$1]}/ns/net") != "$(readlink /proc/self/ns/net)" ]]; }
  wait_for 10 apart "$1"
  ip link add "$1" type veth peer name house netns "${space[$1]}"
  ip link set "$1" up
  in_space "$1" ip link set lo up
  in_space "$1" ip link set house up
}
# at NAME HERE THERE: an address on each side of the pair.
at() {
  local nodad=
  [[ $2 != *:* ]] || nodad=nodad
  ip address add "$2" dev "$1" $nodad && in_space "$1" ip address add "$3" dev house $nodad
}

ip link set lo up
new_space world
new_space stranger
at stranger 203.0.113.1/24 203.0.113.66/24
in_space stranger ip address add 203.0.113.67/24 dev house
at world 198.51.100.1/24 198.51.100.10/24
for address in 11 12; do in_space world ip address add "198.51.100.$address/24" dev house; done
at world 10.20.0.1/24 10.20.0.2/24
at world 172.16.5.1/24 172.16.5.2/24
at world 100.64.0.1/24 100.64.0.2/24
at world 169.254.169.1/24 169.254.169.254/24
ipv6=yes
if [[ ! -e /proc/sys/net/ipv6/conf/all ]] || ! { at world 2001:db8:1::1/64 2001:db8:1::10/64 \
  && at world fd00:20::1/64 fd00:20::2/64; } 2>/dev/null; then
  ipv6=
  echo '# no IPv6 here'
  sed -i '/| *\[/d' "$work/table"
fi

# Those who note what they are asked.
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=access \
  -addext 'subjectAltName=DNS:*.test' -keyout "$work/key" -out "$work/cert" 2>/dev/null
witness() {
  "${@:2}" "$VENV/bin/python" "$here/access/world.py" witness "$work/asked" \
    "$work/cert" "$work/key" ${witnesses[$1]} >"$work/$1.up" 2>"$work/$1.err" &
  pids[$!]=$!
}
declare -A witnesses=(
  [house]="loopback=127.0.0.1:80 looptls=127.0.0.1:443 loopport=127.0.0.1:9000
    own=203.0.113.1:80 own=198.51.100.1:80 own=10.20.0.1:80
    ${ipv6:+loop6=[::1]:80 own6=[2001:db8:1::1]:80}"
  [world]="public=198.51.100.10:80 tls=198.51.100.10:443 twelve=198.51.100.12:80
    private=10.20.0.2:80 privtls=10.20.0.2:443 private=172.16.5.2:80 private=100.64.0.2:80
    metadata=169.254.169.254:80
    ${ipv6:+public=[2001:db8:1::10]:80 private6=[fd00:20::2]:80}"
)
witness house env
witness world nsenter "--net=/proc/${space[world]}/ns/net" --
zone >"$work/zone"
for name in house world; do wait_for 20 grep -qx up "$work/$name.up"; done
# start_names: a name server that has been asked nothing yet; sets names, its address.
start_names() {
  if [[ -n ${names_pid-} ]]; then
    kill "$names_pid"
    wait "$names_pid" || true
    unset "pids[$names_pid]"
  fi
  : >"$work/names.up"
  nsenter "--net=/proc/${space[world]}/ns/net" -- "$VENV/bin/python" "$here/access/world.py" names \
    10.20.0.2:53 "$work/zone" >"$work/names.up" 2>>"$work/names.err" &
  names_pid=$!
  pids[names_pid]=$names_pid
  wait_for 20 grep -qx up "$work/names.up"
}
# What the binary of before asks: the machine's name server.
echo 'nameserver 10.20.0.2' >"$work/resolv.conf"
mount --bind "$work/resolv.conf" /etc/resolv.conf

# table COLLECTION COLUMN LISTEN SPACE LOGIN FLAG...: the rows, as that client finds them.
table() {
  local name=$1 column=$2 rows wrong denied blocked
  start_names
  start_recorder "$name" --listen "$3" --insecure-upstream=true --complete never "${@:6}"
  : >"$work/asked"
  "$4" "$VENV/bin/python" "$here/access/stranger.py" "${3/0.0.0.0/203.0.113.1}" "$work/table" \
    "$column" "$work/asked" ${5:+"$5"} >"$work/$name.rows" || not_ok "stranger.py broke off"
  stop_recorder
  "$WARCORDER" gaps --dir "$T/collections" --collection "$name" --json -n 0 >"$work/$name.gaps"
  rows=$(wc -l <"$work/$name.rows")
  wrong=$(grep -c '^not ok' "$work/$name.rows" || true)
  sed -nE "s/^not ok \| (.*) \| (.*) \| .* \| (.*)/not ok - $name: \3: \2, not \1/p" \
    "$work/$name.rows"
  if ((rows > 60 && !wrong)); then ok "$name: $rows ways of asking end as the table says"
  else not_ok "$name: of $rows ways of asking $wrong end in another way"; fi
  # The recorder's own name leads nowhere: what it refuses there is its page's matter.
  denied=$(grep -v 'page warcorder\.internal' "$work/$name.rows" | grep -c '^[^|]*|[^|]*| 403 |' || true)
  blocked=$(grep -c '"reason": "blocked"' "$work/$name.gaps" || true)
  equal "$name: what is denied is a gap, each" "$blocked" "$denied"
}
stranger() { in_space stranger "$@"; }
house() { "$@"; }

# refused NAME FLAG...: no recorder comes of it, and a sentence.
refused() {
  local name=$1 status=0
  timeout 10 "$WARCORDER" record --dir "$T/collections" --collection refused-start --log json \
    "${@:2}" </dev/null >"$work/refused" 2>&1 || status=$?
  if ((status == 1)) && grep -q 'clients.*proxy-users' "$work/refused"; then
    ok "$name is refused with a sentence, status 1"
  else
    not_ok "$name is refused: status $status, $(head -c 300 "$work/refused")"
  fi
}

start_recorder another --listen 127.0.0.1:8181
if [[ -n ${ACCESS_BEFORE-} ]]; then
  now=$WARCORDER
  WARCORDER=$ACCESS_BEFORE
  table before strangers 203.0.113.1:8080 stranger '' >"$work/before.out"
  table before-loopback loopback 127.0.0.1:8080 house '' >>"$work/before.out"
  WARCORDER=$now
fi
umount /etc/resolv.conf

refused 'an address of the network without clients and proxy-users' --listen 203.0.113.1:8080
refused 'every address' --listen 0.0.0.0:8080
refused 'every address of both families' --listen '[::]:8080'

denied=(--deny 'evil.test,*.evil.test,198.51.100.12' --resolver 10.20.0.2:53)
guest=$("$WARCORDER" password guest <<<'A-strangers-password')
table clients strangers 203.0.113.1:8080 stranger '' --clients 203.0.113.0/24 "${denied[@]}"
table every-address strangers 0.0.0.0:8080 stranger '' --clients 203.0.113.66 "${denied[@]}"
table passwords strangers 203.0.113.1:8080 stranger guest:A-strangers-password \
  --proxy-users "$guest" "${denied[@]}"
table white white 203.0.113.1:8080 stranger '' --clients 203.0.113.0/24 --resolver 10.20.0.2:53 \
  --deny '*' --allow 'pub.test,10.20.0.2'
table loopback loopback 127.0.0.1:8080 house '' "${denied[@]}"

# status SPACE OPTION... URL: what is answered there.
status() {
  "$1" curl --disable --silent --max-time 20 --noproxy '*' --output "$work/body" \
    --write-out '%{http_code}' "${@:2}" || true
}

# What allow opens, and it alone; of a name, wherever it leads.
# opened NAME LISTEN SPACE FLAG...: who answers, or the status.
opened() {
  local host code got=
  start_names
  start_recorder "$1" --listen "$2" --resolver 10.20.0.2:53 "${@:4}"
  for host in 10.20.0.2 private.test 172.16.5.2 169.254.169.254 127.0.0.1 flip.test flip.test; do
    code=$(status "$3" --header 'Connection: close' --noproxy '' --proxy "http://$2" \
      "http://$host/")
    if [[ $code == 200 ]]; then got+="$(sed 's/here is //' "$work/body") "; else got+="$code "; fi
  done
  stop_recorder
  equal "allow, $1" "$got" "$want "
}
want='private private 403 metadata 403 public loopback'
opened beyond-loopback 203.0.113.1:8080 stranger --clients 203.0.113.0/24 \
  --allow 10.20.0.2,@metadata,flip.test
want='private private private metadata loopback public loopback'
opened on-loopback 127.0.0.1:8080 house --allow flip.test
want='private private private metadata loopback public 403'
opened nothing-on-loopback 127.0.0.1:8080 house

# Who is no client, and who has no password, uses nothing, and nobody is asked for it.
by() { status "$1" --noproxy '' --proxy http://203.0.113.1:8080 "${@:2}"; }
other() { stranger "$1" --interface 203.0.113.67 "${@:2}"; }
start_names
: >"$work/asked"
start_recorder guests --listen 0.0.0.0:8080 --clients 203.0.113.66 "${denied[@]}"
tunnel=(--write-out '%{http_connect}' https://pub.test/other)
equal 'another address than clients has: absolute-form' "$(by other http://pub.test/other)" 403
equal 'another address than clients has: a tunnel' "$(by other "${tunnel[@]}")" 403
equal 'loopback, if clients does not have it' \
  "$(status house --noproxy '' --proxy http://127.0.0.1:8080 http://pub.test/other)" 403
try 'the log says whom it turned away' grep -q '203\.0\.113\.67' "$T/guests.log"
stop_recorder
start_recorder users-only --listen 203.0.113.1:8080 --proxy-users "$guest" "${denied[@]}"
equal 'without a password: absolute-form' "$(by stranger http://pub.test/other)" 407
equal 'without a password: a tunnel' "$(by stranger "${tunnel[@]}")" 407
equal 'with a wrong password' "$(by stranger --proxy-user guest:wrong http://pub.test/other)" 407
equal 'own pages need no password of a user' "$(status stranger http://203.0.113.1:8080/ca.pem)" 200
stop_recorder
try 'nobody was asked for any of these' test ! -s "$work/asked"

# Own pages: what each gets of them, without a token and with one.
gets() { # SPACE WANT OPTION... URL
  local got
  got=$(status "$1" "${@:3}")
  pages=$((pages + 1))
  [[ $got =~ ^($2)$ ]] || wrong+="${*:3} is $got, not $2; "
}
# own_pages NAME SPACE BASE READ: READ are the statuses of what readers may read.
own_pages() {
  local path wrong='' pages=0 refused='401|403'
  local token="Authorization: Bearer $token" other='Authorization: Bearer 0123'
  for path in /trust /proxy.pac /ca.{pem,crt,p12,mobileconfig} /healthz /readyz; do gets "$2" 200 "http://$3$path"; done
  for path in /status /gaps /export; do
    gets "$2" "$4" "http://$3$path"
    gets "$2" 200 --header "$token" "http://$3$path"
    gets "$2" "$refused|$4" --header "$other" "http://$3$path"
    gets "$2" '403|421' --header 'Host: evil.test' "http://$3$path"
    gets "$2" '401|403|421' --header 'Origin: http://evil.test' "http://$3$path"
  done
  for path in '/record?type=resource&uri=urn:x' /pause /resume /settle /rotate; do
    gets "$2" "$refused" --request POST --data x "http://$3$path"
    gets "$2" "$refused" --request POST --data x --header "$other" "http://$3$path"
    gets "$2" '200|201|204' --request POST --data x --header "$token" "http://$3$path"
  done
  if [[ -z $wrong ]]; then ok "$1, asked from $2: $pages requests for own pages"
  else not_ok "$1, asked from $2: $wrong"; fi
}
# read_by NAME STRANGER HOUSE FLAG...: own pages of a recorder with that flag.
read_by() {
  local file=$T/collections/own-pages/recorder.token
  start_recorder own-pages --listen 0.0.0.0:8080 --clients 203.0.113.0/24 "${@:4}"
  token=$(<"$file")
  equal "$1: the token's file is its owner's alone" "$(stat -c %a "$file")" 600
  own_pages "$1" stranger 203.0.113.1:8080 "$2"
  own_pages "$1" house 127.0.0.1:8080 "$3"
  try "$1: the command line reads by the token" \
    "$WARCORDER" gaps --dir "$T/collections" --collection own-pages
  stop_recorder
  try "$1: the token is gone with the recorder" test ! -e "$file"
}
read_by 'readers by itself' '401|403' 200
read_by 'readers: none' '401|403' '401|403' --readers=
read_by 'readers: a network' 200 '401|403' --readers=203.0.113.0/24

# What was so before, and what is so now.
if [[ -n ${ACCESS_BEFORE-} ]]; then
  echo '# | what | asked | expected | before | now |'
  for pair in 'before clients' 'before-loopback loopback'; do
    read -r old new <<<"$pair"
    paste -d '|' "$work/$new.rows" <(cut -d '|' -f 3 "$work/$old.rows") \
      | awk -F ' *[|] *' -v mode="$new" '{
          split($5, asked, ": "); sub(/ \(.*/, "", asked[2])
          print "# | " mode ": " asked[1] " | " asked[2] " | " $2 " | " $6 " | " $3 " |" }'
  done
fi
