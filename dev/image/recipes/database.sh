#!/bin/sh
# A test database's whole life, the same in a pod and outside the cluster:
#   database init KIND          makes /data/db and /data/tls if they are not there
#   database run KIND [ARGS…]   init, then becomes the server
#   database ready KIND         whether a login succeeds
# KIND: mysql | mariadb | postgres. Environment: DATABASE_PASSWORD (of the administrator and of `app`), DATABASE_NAME (of
# the first database, `app` if absent), DATABASE_PORT, DATABASE_BIND (an address, or * for all), DATABASE_HOSTS (names for
# the certificate, `DNS:a,IP:b`), DATABASE_ROOT (a folder in which /data, /run and /tmp are, where the server is an ordinary
# process; its programs are on PATH then).
set -eu
verb=$1
kind=$2
shift 2
export LC_ALL=C.UTF-8
root=${DATABASE_ROOT:-}
if [ -z "$root" ]; then
  export PATH=/usr/sbin:/usr/bin
  for folder in /usr/lib/postgresql/*/bin; do PATH=$PATH:$folder; done
fi
name=${DATABASE_NAME:-app}
data=$root/data/db
tls=$root/data/tls
tmp=$root/tmp
run=$root/run

make_certificate() {
  [ -e "$tls/server.crt" ] && return
  rm -rf "$tls"
  mkdir "$tls.new"
  curve='-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 3650'
  # shellcheck disable=SC2086
  {
    openssl req -x509 $curve -subj '/CN=Rowferry test authority' -keyout "$tmp/ca.key" -out "$tls.new/ca.crt"
    openssl req $curve -subj '/CN=database' -keyout "$tls.new/server.key" -out "$tmp/server.csr"
  } 2> /dev/null
  echo "subjectAltName=${DATABASE_HOSTS:-DNS:localhost,IP:127.0.0.1,IP:::1}" > "$tmp/names"
  openssl x509 -req -in "$tmp/server.csr" -CA "$tls.new/ca.crt" -CAkey "$tmp/ca.key" -days 3650 -extfile "$tmp/names" \
    -out "$tls.new/server.crt" 2> /dev/null
  rm "$tmp/ca.key" "$tmp/server.csr" "$tmp/names"
  chmod 600 "$tls.new/server.key"
  mv "$tls.new" "$tls"
}

# A quoted SQL string: quotes doubled, for MySQL backslashes too.
mysql_string() { printf "'%s'" "$(printf %s "$1" | sed "s/\\\\/\\\\\\\\/g; s/'/''/g")"; }
postgres_string() { printf "'%s'" "$(printf %s "$1" | sed "s/'/''/g")"; }

mysql_accounts() {
  password=$(mysql_string "$DATABASE_PASSWORD")
  # The root of a fresh server has no password, and comes first for who connects from this host.
  cat << EOF
DROP USER IF EXISTS 'root'@'localhost', 'root'@'127.0.0.1', 'root'@'::1';
CREATE USER 'root'@'%' IDENTIFIED BY $password;
GRANT ALL ON *.* TO 'root'@'%' WITH GRANT OPTION;
CREATE DATABASE \`$name\` CHARACTER SET utf8mb4;
CREATE USER 'app'@'%' IDENTIFIED BY $password;
GRANT ALL ON \`$name\`.* TO 'app'@'%';
EOF
}

init() {
  make_certificate
  [ -e "$data" ] && return
  rm -rf "$data.new"
  case $kind in
    mysql)
      mysql_accounts > "$tmp/accounts.sql"
      mysqld --no-defaults --initialize-insecure --datadir="$data.new" --init-file="$tmp/accounts.sql" \
        --innodb-redo-log-capacity=64M --disable-log-bin
      ;;
    mariadb)
      { echo 'FLUSH PRIVILEGES;'; mysql_accounts; } > "$tmp/accounts.sql"
      mkdir "$data.new"
      mariadb-install-db --no-defaults --datadir="$data.new" --auth-root-authentication-method=normal --skip-test-db \
        --force > "$tmp/install.log" 2>&1 || { cat "$tmp/install.log" >&2; exit 1; }
      mariadbd --no-defaults --datadir="$data.new" --bootstrap --innodb-log-file-size=64M < "$tmp/accounts.sql"
      ;;
    postgres)
      printf %s "$DATABASE_PASSWORD" > "$tmp/password"
      initdb --pgdata="$data.new" --username=postgres --pwfile="$tmp/password" --auth-local=trust --auth-host=scram-sha-256 \
        --encoding=UTF8 --locale=C.UTF-8 > /dev/null
      echo 'host all all all scram-sha-256' >> "$data.new/pg_hba.conf"
      password=$(postgres_string "$DATABASE_PASSWORD")
      printf '%s\n' "CREATE ROLE app LOGIN PASSWORD $password;" "CREATE DATABASE \"$name\" OWNER app;" \
        | postgres --single -D "$data.new" postgres > /dev/null
      rm "$tmp/password"
      ;;
  esac
  rm -f "$tmp/accounts.sql"
  mv "$data.new" "$data"
}

run() {
  bind=${DATABASE_BIND:-*}
  case $kind in
    mysql)
      exec mysqld --no-defaults --datadir="$data" --port="${DATABASE_PORT:-3306}" --bind-address="$bind" \
        --socket="$run/mysqld.sock" --pid-file="$run/mysqld.pid" --mysqlx=OFF --secure-file-priv=NULL --skip-name-resolve --disable-log-bin \
        --innodb-redo-log-capacity=64M --ssl-ca="$tls/ca.crt" --ssl-cert="$tls/server.crt" --ssl-key="$tls/server.key" "$@"
      ;;
    mariadb)
      exec mariadbd --no-defaults --datadir="$data" --port="${DATABASE_PORT:-3306}" --bind-address="$bind" \
        --socket="$run/mysqld.sock" --pid-file="$run/mysqld.pid" --skip-name-resolve --character-set-server=utf8mb4 --innodb-log-file-size=64M \
        --ssl-ca="$tls/ca.crt" --ssl-cert="$tls/server.crt" --ssl-key="$tls/server.key" "$@"
      ;;
    postgres)
      exec postgres -D "$data" -p "${DATABASE_PORT:-5432}" -c listen_addresses="$bind" -c unix_socket_directories="$run" \
        -c ssl=on -c ssl_ca_file="$tls/ca.crt" -c ssl_cert_file="$tls/server.crt" -c ssl_key_file="$tls/server.key" \
        -c shared_buffers=64MB -c max_wal_size=256MB "$@"
      ;;
  esac
}

ready() {
  case $kind in
    mysql) MYSQL_PWD=$DATABASE_PASSWORD mysql --no-defaults -h127.0.0.1 -P"${DATABASE_PORT:-3306}" -uapp -e 'SELECT 1' "$name" ;;
    mariadb) MYSQL_PWD=$DATABASE_PASSWORD mariadb --no-defaults -h127.0.0.1 -P"${DATABASE_PORT:-3306}" -uapp -e 'SELECT 1' "$name" ;;
    postgres) PGPASSWORD=$DATABASE_PASSWORD psql -h 127.0.0.1 -p "${DATABASE_PORT:-5432}" -U app -c 'SELECT 1' "$name" ;;
  esac > /dev/null
}

umask 077
[ "$verb" != ready ] || { ready; exit; }
init
[ "$verb" = init ] || run "$@"
