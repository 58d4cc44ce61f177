#!/bin/sh
# PgBouncer of Debian 13, through which the engine's tests reach PostgreSQL. Unpacked without maintainer scripts.
set -eu
echo 'root:x:0:0:root:/tmp:/bin/sh' > /etc/passwd
echo 'root:x:0:' > /etc/group
rm -rf /usr/lib/systemd
sh /recipe/trim.sh
rm -rf /recipe
