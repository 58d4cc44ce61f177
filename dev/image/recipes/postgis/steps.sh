#!/bin/sh
# PostgreSQL with PostGIS of Debian sid, without raster, topology, SFCGAL and their libraries. Unpacked without maintainer
# scripts: the account and the name that CREATE EXTENSION looks for are made here.
set -eu
. /recipe/account.sh
rm -rf /usr/lib/systemd /usr/lib/postgresql/18/lib/bitcode /usr/share/postgresql/18/contrib
cd /usr/lib/postgresql/18/lib
rm postgis_raster-3.so postgis_sfcgal-3.so postgis_topology-3.so
cd /usr/share/postgresql/18/extension
mv postgis-3.control postgis.control
# The scripts that lead from every older version to this one.
rm -f postgis_* postgis--*--*.sql
sh /recipe/trim.sh
rm -rf /recipe
