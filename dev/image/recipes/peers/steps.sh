#!/bin/sh
# The programs that `npm run bench` measures Rowferry against, of Debian sid. Unpacked without maintainer scripts.
set -eu
echo 'root:x:0:0:root:/tmp:/bin/sh' > /etc/passwd
echo 'root:x:0:' > /etc/group
mkdir -p /mnt
sh /recipe/trim.sh
rm -rf /recipe
