#!/bin/sh
# MariaDB (it excludes MySQL's packages) and an older PostgreSQL, both of Debian 12.
set -eu
. /recipe/account.sh
rm -rf /usr/lib/systemd /usr/share/perl /usr/share/perl5 /usr/lib/*-linux-gnu/perl /usr/lib/*-linux-gnu/perl-base \
  /usr/lib/*-linux-gnu/systemd /usr/lib/*-linux-gnu/libperl.so.* /usr/bin/perl* \
  /usr/lib/postgresql/15/lib/bitcode /usr/lib/llvm-* /usr/lib/*-linux-gnu/libLLVM* /usr/lib/*-linux-gnu/libz3.so.*
sh /recipe/trim.sh
rm -rf /recipe
