#!/bin/sh
# Runs inside a root file system: takes out what a container never reads. Copyright files stay.
set -eu
find /usr/share/doc -mindepth 1 ! -type d ! -name copyright -delete
find /usr/share/doc -mindepth 1 -type d -empty -delete
rm -rf /usr/share/man /usr/share/info /usr/share/lintian /usr/share/locale /usr/share/i18n /usr/share/bash-completion \
  /usr/share/zsh /usr/share/bug /usr/share/doc-base /usr/share/menu /usr/share/pixmaps /usr/share/gcc /usr/share/gdb \
  /usr/share/readline /usr/lib/x86_64-linux-gnu/gconv /usr/lib/aarch64-linux-gnu/gconv \
  /var/lib/apt/lists /var/cache/apt /var/cache/debconf /var/log
mkdir -p /var/log
