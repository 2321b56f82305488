#!/usr/bin/env bash
# Starts a systemd as the first process of namespaces of its own, with the machine's files below a layer
# in memory, the units, the program, and inside.sh, which ends it. What inside.sh says is in OUTPUT.
#
#   boot.sh FOLDER PROGRAM UNITS INSIDE OUTPUT
set -euo pipefail
if [[ ${1-} != namespaced ]]; then
  group=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts) # where there is one, processes are in it
  if [[ -n $group ]]; then
    group=$group/warcorder-interop-$$
    mkdir -p "$group"
    remove() { find "$group" -depth -type d -exec rmdir {} + 2>/dev/null; } # with those that systemd has made
    trap 'for ((i = 0; i < 50; i++)); do remove && break; sleep 0.05; done' EXIT
  fi
  bash -c '[[ -z $1 ]] || echo $$ >"$1/cgroup.procs"; exec unshare -m -p -f -C -n -i -u --kill-child bash "${@:2}"' \
    - "$group" "$0" namespaced "$@"
  exit
fi
shift
folder=$1 program=$2 units=$3 inside=$4 output=$5
mkdir -p "$folder"
: >"$output"
mount --make-rprivate /
mount -t tmpfs tmpfs "$folder"
mkdir "$folder"/{upper,work,root}
mount -t overlay overlay -o "lowerdir=/,upperdir=$folder/upper,workdir=$folder/work" "$folder/root"
cd "$folder/root"
install -m 755 "$program" usr/local/bin/warcorder
rm -rf etc/systemd/system/*.wants usr/lib/systemd/system/{sysinit,basic,sockets,timers,local-fs,multi-user}.target.wants
install -m 644 "$units"/*.{service,socket} etc/systemd/system/
install -m 644 -D "$units/sysusers.conf" usr/lib/sysusers.d/warcorder.conf
install -m 644 -D "$units/tmpfiles.conf" usr/lib/tmpfiles.d/warcorder.conf
install -m 644 -D "$units/warcorder.yaml" etc/warcorder/warcorder.yaml
install -m 644 "$units/browser.conf" etc/warcorder/browser.conf
install -m 755 "$inside" usr/local/bin/inside
cat >etc/systemd/system/inside.service <<'UNIT'
[Unit]
DefaultDependencies=no
[Service]
Type=oneshot
ExecStart=/bin/bash /usr/local/bin/inside
StandardOutput=append:/said
StandardError=append:/said
TimeoutStartSec=100
ExecStopPost=/bin/systemctl --no-block exit 0
UNIT
touch said
mount --bind "$output" said
: >etc/machine-id
mount -t proc proc proc
mount -t sysfs -o ro sysfs sys
mount -t tmpfs tmpfs sys/fs/cgroup
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs run
mount -t tmpfs -o mode=1777 tmpfs tmp
mount --rbind /dev dev
pivot_root . mnt
umount -l /mnt
ip link set lo up
exec env -i container=warcorder PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
  /usr/lib/systemd/systemd --system --unit=inside.service --log-target=console --log-level=warning </dev/null
