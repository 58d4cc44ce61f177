#!/bin/sh
# The first process of a machine with a Docker engine: a root file system, network and control groups of its own, of which
# nothing stays when it ends. Arguments: ROOT (never written to), WORK (an empty folder), DATA (of the engine), CGROUP (a
# name), then NAME=PATH for each folder or file that the machine sees as /opt/stage/NAME.
set -eu
root=$1 work=$2 data=$3 cgroup=$4
shift 4
mount --make-rprivate /
mkdir -p "$work/upper" "$work/overlay" "$work/root"
mount -t overlay overlay -o "lowerdir=$root,upperdir=$work/upper,workdir=$work/overlay" "$work/root"
cd "$work/root"
mount -t proc proc proc
mount --rbind /sys sys
mount --rbind /dev dev
mount -t tmpfs tmpfs run
mount -t tmpfs -o mode=1777 tmpfs tmp
mkdir -p old lib/modules var/lib/docker opt/stage
mount --bind "$data" var/lib/docker
for pair; do
  place=opt/stage/${pair%%=*}
  if [ -d "${pair#*=}" ]; then mkdir -p "$place"; else : > "$place"; fi
  mount --bind "${pair#*=}" "$place"
done
cp /etc/resolv.conf etc/resolv.conf
pivot_root . old
umount -l /old
cd /
export PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8
stage=/opt/stage

# Node, npm and their certificates, as this machine has them.
install -m 755 $stage/node /usr/local/bin/node
mkdir -p /usr/local/lib/node_modules /usr/local/etc
cp -r $stage/npm /usr/local/lib/node_modules/npm
ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
ln -s ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx
cp $stage/certificates /etc/ssl/certs/machine.crt
printf 'cafile=/etc/ssl/certs/machine.crt\naudit=false\nupdate-notifier=false\n' > /usr/local/etc/npmrc
install -m 755 $stage/recipes/bounded.sh /usr/local/bin/bounded

# A user who is not root, with these commands and no other: no apt, no GNU tar, no sed.
useradd --create-home --uid 1000 --groups docker user
mkdir -p /home/user/bin /home/user/.cache
for command in /usr/local/bin/node /usr/local/bin/npm /usr/local/bin/npx /usr/bin/docker /usr/bin/git /bin/sh; do
  ln -s $command "/home/user/bin/${command##*/}"
done
cp -r $stage/clone /home/user/rowferry
ln -s $stage/npm-cache /home/user/.npm
chown -R user: /home/user $stage/npm-cache

# The engine's network reaches out through a process of the machine's user space: no rule and no link outside.
unshare --net sh -c '
  ip link set lo up
  until ip route | grep -q default; do sleep 0.05; done
  exec dockerd --group docker --add-runtime bounded=/usr/local/bin/bounded --default-runtime bounded --cgroup-parent "/$1" \
    --pidfile /run/docker.pid' sh "$cgroup" > /run/dockerd.log 2>&1 &
engine=$!
until [ "$(readlink /proc/$engine/ns/net)" != "$(readlink /proc/self/ns/net)" ]; do sleep 0.05; done
slirp4netns --configure --mtu=1400 --disable-host-loopback $engine tap0 &
# The shell stays, to reap what loses its parent.
wait
