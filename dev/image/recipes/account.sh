# Sourced by the databases' steps: the one account that every server runs as, its data folder and its program.
cat > /etc/passwd <<'EOF'
root:x:0:0:root:/root:/bin/sh
database:x:65533:65533::/data:/usr/sbin/nologin
EOF
cat > /etc/group <<'EOF'
root:x:0:
database:x:65533:
EOF
mkdir -p /data /usr/local/bin
chown 65533:65533 /data
install -m 755 /recipe/database.sh /usr/local/bin/database
