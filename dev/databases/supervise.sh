#!/bin/sh
# Process 1 of a database outside the cluster: supervise.sh ROOT FOLDER MEGABYTES TEMPLATE VERB KIND [ARGS…]
#
# Runs in mount, process and IPC namespaces of its own. Standard input takes `start` lines; its end, which also comes when
# the parent is killed, ends every process and deletes FOLDER. Standard output says `pid N` (in this namespace) and
# `exited CODE`. MEGABYTES above 0 puts the data on a file system of that size. TEMPLATE, if not empty, is the data at first.
set -eu
root=$1 folder=$2 megabytes=$3 template=$4
shift 4

mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
mount -t tmpfs -o mode=1777 tmpfs "$root/run"
if [ "$megabytes" -gt 0 ]; then
  mount -t tmpfs -o "mode=700,uid=65533,gid=65533,size=${megabytes}m" tmpfs "$root/data"
else
  mount --bind "$folder/data" "$root/data"
fi
# A server's logs are mostly zeros: as holes they cost neither time nor memory. A file system with a bound holds them from the start.
sparse=always
[ "$megabytes" -eq 0 ] || sparse=never
[ -z "$template" ] || cp -a --sparse=$sparse "$template/." "$root/data/"

# Ends what outlives its server (PostgreSQL's backends for a moment), which would hold the data against the next start, and
# returns when it is gone: a signal is only the beginning of that. What is left then is this shell, process 1 and zombies.
end_all() {
  read -r self _ < "$root/proc/self/stat"
  while kill -KILL -1 2> /dev/null; do
    alive=
    for stat in "$root"/proc/[0-9]*/stat; do
      read -r line 2> /dev/null < "$stat" || continue
      rest=${line##*) }
      case ${line%% *}:${rest%% *} in
        1:* | "$self":* | *:Z | *:X) ;;
        *) alive=yes ;;
      esac
    done
    [ -n "$alive" ] || return 0
    sleep 0.01
  done
}

trap '' INT TERM HUP
while read -r _; do
  (
    code=0
    # shellcheck disable=SC2016
    chroot --userspec=65533:65533 "$root" /bin/sh -c 'echo "pid $$" >&3; exec database "$@" 3>&-' sh "$@" \
      3>&1 >> "$folder/log" 2>&1 < /dev/null || code=$?
    end_all
    echo "exited $code"
  ) &
done
kill -KILL -1 2> /dev/null || true
rm -rf "$folder"
