#!/bin/sh
# Runs inside the root file system after `packages` were installed: by the Dockerfile and by the offline build alike.
set -eu

# pg_dump writes no archive of a server newer than itself, and older minors lack fixes that a copy relies on.
version=$(/usr/lib/postgresql/18/bin/pg_dump --version | sed 's/^.* \([0-9.]*\)[^0-9.].*$/\1/; s/^.* //')
newest=$(printf '18.6\n%s\n' "$version" | sort -V | tail -n 1)
[ "$newest" = "$version" ] || { echo "pg_dump is $version, 18.6 or newer is needed" >&2; exit 1; }

# The certificates are made by a trigger; everything below removes the tools that could make them again.
[ -s /etc/ssl/certs/ca-certificates.crt ]

# Only Debian's wrappers around PostgreSQL's programs are Perl: PATH leads to the programs themselves.
rm -f /usr/bin/pg_* /usr/bin/psql /usr/bin/createdb /usr/bin/createuser /usr/bin/dropdb /usr/bin/dropuser \
  /usr/bin/clusterdb /usr/bin/reindexdb /usr/bin/vacuumdb /usr/bin/vacuumlo /usr/bin/pgbench
cd /usr/lib/postgresql/18/bin
for program in *; do
  case $program in pg_dump | pg_restore | psql) ;; *) rm -f "$program" ;; esac
done
cd /
rm -rf /usr/lib/postgresql/18/lib/bitcode

echo 'rowferry:x:65532:65532::/nonexistent:/usr/sbin/nologin' >> /etc/passwd
echo 'rowferry:x:65532:' >> /etc/group

# An image is replaced, never upgraded in place: neither package tools nor Perl.
rm -rf /usr/bin/perl* /usr/bin/cpan* /usr/bin/corelist /usr/share/perl /usr/share/perl5 /usr/lib/*-linux-gnu/perl \
  /usr/lib/*-linux-gnu/perl-base /usr/lib/*-linux-gnu/libperl.so.* /usr/lib/apt /usr/bin/apt* /usr/lib/*-linux-gnu/libapt* \
  /etc/apt /var/lib/apt /usr/bin/dpkg* /usr/lib/dpkg /usr/share/dpkg /var/lib/dpkg/info \
  /usr/share/debconf /usr/share/postgresql /usr/lib/*-linux-gnu/libdb-5.3.so /usr/lib/*-linux-gnu/krb5/plugins/preauth

# Nothing in it needs to become somebody else.
find / -xdev -type f -perm /6000 -exec chmod a-s {} +

sh /recipe/trim.sh
rm -rf /recipe
