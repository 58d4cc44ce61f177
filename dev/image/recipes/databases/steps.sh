#!/bin/sh
# MySQL and PostgreSQL of Debian sid. Unpacked without maintainer scripts: the account is made here.
set -eu
. /recipe/account.sh
rm -rf /usr/lib/systemd /usr/share/perl /usr/share/perl5 /usr/lib/*-linux-gnu/perl /usr/lib/*-linux-gnu/perl-base \
  /usr/lib/*-linux-gnu/systemd /usr/lib/*-linux-gnu/libperl.so.* /usr/bin/systemd* /usr/bin/perl* \
  /usr/lib/postgresql/18/lib/bitcode
cd /usr/bin
rm -f mysql_migrate_keyring perror mysqlbinlog myisam* mysqlcheck mysqlslap mysqlimport mysqlshow ibd2sdi innochecksum \
  mysql_secure_installation mysql_config_editor
cd /usr/lib/mysql/plugin
rm -f telemetry_client.so authentication_*_client.so group_replication.so component_telemetry.so
sh /recipe/trim.sh
rm -rf /recipe
