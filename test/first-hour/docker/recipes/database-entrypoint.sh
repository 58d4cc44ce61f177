#!/bin/sh
# Stands for docker-entrypoint.sh of the official images mysql, mariadb and postgres: a first start makes the data from their
# variables, without opening a port; then it becomes the server.
set -eu
export LC_ALL=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
for folder in /usr/lib/postgresql/*/bin; do PATH=$PATH:$folder; done
server=$1
shift
quoted() { printf "'%s'" "$(printf %s "$1" | sed "s/'/''/g")"; }

accounts() { # PASSWORD DATABASE
  echo "DROP USER IF EXISTS 'root'@'localhost', 'root'@'127.0.0.1', 'root'@'::1';"
  echo "CREATE USER 'root'@'%' IDENTIFIED BY $(quoted "$1");"
  echo "GRANT ALL ON *.* TO 'root'@'%' WITH GRANT OPTION;"
  [ -z "$2" ] || echo "CREATE DATABASE \`$2\`;"
}

case $server in
  mysqld)
    data=/var/lib/mysql
    if [ ! -d $data/mysql ]; then
      accounts "$MYSQL_ROOT_PASSWORD" "${MYSQL_DATABASE:-}" > /tmp/accounts.sql
      mysqld --no-defaults --initialize-insecure --datadir=$data --init-file=/tmp/accounts.sql
      rm /tmp/accounts.sql
    fi
    exec mysqld --no-defaults --datadir=$data --socket=/run/mysqld/mysqld.sock --pid-file=/run/mysqld/mysqld.pid \
      --mysqlx=OFF --secure-file-priv=NULL "$@"
    ;;
  mariadbd)
    data=/var/lib/mysql
    if [ ! -d $data/mysql ]; then
      mariadb-install-db --no-defaults --datadir=$data --auth-root-authentication-method=normal --skip-test-db --force > /tmp/install.log
      { echo 'FLUSH PRIVILEGES;'; accounts "$MARIADB_ROOT_PASSWORD" "${MARIADB_DATABASE:-}"; } \
        | mariadbd --no-defaults --datadir=$data --bootstrap
    fi
    exec mariadbd --no-defaults --datadir=$data --socket=/run/mysqld/mysqld.sock --pid-file=/run/mysqld/mysqld.pid "$@"
    ;;
  postgres)
    if [ ! -s "$PGDATA/PG_VERSION" ]; then
      printf %s "$POSTGRES_PASSWORD" > /tmp/password
      initdb --pgdata="$PGDATA" --username=postgres --pwfile=/tmp/password --auth-local=trust --auth-host=scram-sha-256 --encoding=UTF8
      rm /tmp/password
      echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
      [ -z "${POSTGRES_DB:-}" ] || echo "CREATE DATABASE \"$POSTGRES_DB\";" | postgres --single -D "$PGDATA" postgres > /dev/null
    fi
    exec postgres -D "$PGDATA" -c listen_addresses='*' -c unix_socket_directories=/run/postgresql "$@"
    ;;
  *) exec "$server" "$@" ;;
esac
