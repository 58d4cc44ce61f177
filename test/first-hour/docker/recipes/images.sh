#!/bin/sh
# Runs in the machine as its root: imports the images that registries would give, under their official names.
# Environment: KUBERNETES (v1.34.4), ETCD, COREDNS (tags that kubeadm asks for), KIND_NODE (kindest/node's tag).
set -eu
stage=/opt/stage
work=/var/lib/docker/recipes
path='ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
rm -rf $work
mkdir $work
trap 'rm -rf $work' EXIT
import() { # FOLDER NAME CHANGE…
  folder=$1 name=$2
  shift 2
  for change; do set -- "$@" --change "$change"; shift; done
  tar -C "$folder" -c . | docker import --change "$path" "$@" - "$name" > /dev/null
}

# debian and node, with this machine's certificates and without the check of the age of a mirror's lists.
cp -a $stage/debian $work/debian
printf 'Acquire::Check-Valid-Until "false";\n' > $work/debian/etc/apt/apt.conf.d/90-machine
import $work/debian debian:sid-slim 'CMD ["bash"]'
cp -a $stage/slim $work/node
install -m 755 $stage/node24 $work/node/usr/local/bin/node
mkdir -p $work/node/usr/local/lib/node_modules $work/node/usr/local/etc
cp -r $stage/npm $work/node/usr/local/lib/node_modules/npm
ln -s ../lib/node_modules/npm/bin/npm-cli.js $work/node/usr/local/bin/npm
ln -s ../lib/node_modules/npm/bin/npx-cli.js $work/node/usr/local/bin/npx
cp /etc/ssl/certs/machine.crt $work/node/etc/ssl/certs/machine.crt
cp /usr/local/etc/npmrc $work/node/usr/local/etc/npmrc
import $work/node node:24-slim 'CMD ["node"]'

database() { # NAME ROOT PROGRAM
  cp -a "$2" $work/database
  cd $work/database
  install -m 755 $stage/recipes/database-entrypoint.sh usr/local/bin/docker-entrypoint.sh
  printf 'root:x:0:0:root:/root:/bin/sh\ndatabase:x:999:999::/:/bin/sh\n' > etc/passwd
  printf 'root:x:0:\ndatabase:x:999:\n' > etc/group
  mkdir -p var/lib/mysql run/mysqld run/postgresql tmp
  for program in usr/lib/postgresql/*/bin/*; do
    [ ! -e "$program" ] || ln -sf "/$program" usr/local/bin/
  done
  chown 999:999 var/lib/mysql
  chmod 1777 tmp run/mysqld run/postgresql
  cd /
  import $work/database "$1" 'ENTRYPOINT ["docker-entrypoint.sh"]' "CMD [\"$3\"]"
  rm -rf $work/database
}
database mysql:8.4 $stage/databases mysqld
database postgres:18 $stage/databases postgres
database mariadb:11.4 $stage/databases-trixie mariadbd
database postgres:15 $stage/databases-old postgres

# The control plane: one layer with the programs of dev/cluster/binaries, under the names that kubeadm asks for.
cp -a $stage/kube $work/kube
cd $work/kube
mkdir -p usr/local/bin tmp
chmod 1777 tmp
cp $stage/kubernetes usr/local/bin/kubernetes
for program in kube-apiserver kube-controller-manager kube-scheduler kube-proxy etcd; do
  ln -s kubernetes usr/local/bin/$program
done
for name in iptables iptables-save iptables-restore ip6tables ip6tables-save ip6tables-restore; do
  ln -sf xtables-nft-multi usr/sbin/$name
done
cp $stage/coredns usr/local/bin/coredns
rm -rf usr/share/doc usr/share/man usr/share/locale var/lib/apt var/cache
cd /
import $work/kube rowferry.dev/control-plane:recipe
names=
for name in kube-apiserver:$KUBERNETES kube-controller-manager:$KUBERNETES kube-scheduler:$KUBERNETES kube-proxy:$KUBERNETES etcd:$ETCD; do
  docker tag rowferry.dev/control-plane:recipe registry.k8s.io/$name
  names="$names registry.k8s.io/$name"
done
coredns=registry.k8s.io/coredns/coredns:$COREDNS
printf 'FROM rowferry.dev/control-plane:recipe\nENTRYPOINT ["coredns"]\n' | docker build --quiet --tag $coredns - > /dev/null

# kindest/node, as kind's own images/base describes it.
cp -a $stage/kind-root $work/node-root
cd $work/node-root
mkdir -p recipe kind/images
cp -r $stage/kind-base recipe/base
chmod -R u+w recipe/base
rm -rf recipe/base/LICENSES
cp $stage/recipes/bounded.sh $stage/recipes/kind-node.sh recipe/
install -m 755 $stage/kubeadm usr/bin/kubeadm
install -m 755 $stage/kubernetes usr/bin/kubernetes
ln -s kubernetes usr/bin/kubelet
ln -s kubernetes usr/bin/kubectl
cp $stage/pause kind/images/pause.tar
# shellcheck disable=SC2086
docker save $names $coredns > kind/images/control-plane.tar
chroot . sh /recipe/kind-node.sh
cd /
import $work/node-root rowferry.dev/kind-node:recipe 'ENV container=docker' 'ENTRYPOINT ["/usr/local/bin/entrypoint", "/sbin/init"]'
printf 'FROM rowferry.dev/kind-node:recipe\nSTOPSIGNAL SIGRTMIN+3\n' | docker build --quiet --tag kindest/node:$KIND_NODE - > /dev/null
# They were only a way to the others, and are not what the demo leaves.
for name in rowferry.dev/control-plane:recipe rowferry.dev/kind-node:recipe $names $coredns; do docker rmi --no-prune $name > /dev/null; done
