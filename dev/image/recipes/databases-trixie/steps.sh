#!/bin/sh
# MariaDB of Debian 13.
set -eu
. /recipe/account.sh
rm -rf /usr/lib/systemd /usr/share/perl /usr/share/perl5 /usr/lib/*-linux-gnu/perl /usr/lib/*-linux-gnu/perl-base \
  /usr/lib/*-linux-gnu/systemd /usr/lib/*-linux-gnu/libperl.so.* /usr/bin/perl*
sh /recipe/trim.sh
rm -rf /recipe
