#!/bin/sh
# runc, asked for the capabilities that this machine has: of all it may lack some (CAP_SYS_RESOURCE), and runc refuses a privileged container then.
set -eu
bundle= process= verb= next=
for word; do
  case $next in bundle) bundle=$word ;; process) process=$word ;; esac
  next=
  case $word in
    create | exec) verb=${verb:-$word} ;;
    --bundle | -b) next=bundle ;;
    --process | -p) next=process ;;
  esac
done
lacks() {
  bound=$((0x$(sed -n 's/^CapBnd:[[:space:]]*//p' /proc/self/status)))
  [ $((bound >> 24 & 1)) = 1 ] || echo CAP_SYS_RESOURCE
}
without() { # FILE PATH: takes a missing capability out of every set
  [ -n "$missing" ] && [ -f "$1" ] || return 0
  jq --arg missing "$missing" "$2 |= (if .capabilities then .capabilities |= map_values((. // []) - [\$missing]) else . end)" "$1" > "$1.bounded"
  cat "$1.bounded" > "$1"
  rm "$1.bounded"
}
missing=$(lacks)
case $verb in
  create) without "${bundle:-.}/config.json" .process ;;
  exec) without "${process:-none}" . ;;
esac
exec /usr/sbin/runc "$@"
