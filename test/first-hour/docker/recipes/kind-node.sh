#!/bin/sh
# Runs inside the root file system of kindest/node: what kind's images/base/Dockerfile does, with Debian's containerd and
# runc, and a network and storage that need no daemon. Environment: KUBERNETES.
set -eu
cp -r /recipe/base/. /
chmod 755 /usr/local/bin/* /kind/bin /kind/bin/*
chmod 644 /etc/systemd/system/*.service /etc/systemd/system/*.slice /etc/systemd/system/*/*.conf
find /lib/systemd/system/sysinit.target.wants/ -name systemd-tmpfiles-setup.service -delete
rm -f /lib/systemd/system/multi-user.target.wants/* /etc/systemd/system/*.wants/* /lib/systemd/system/local-fs.target.wants/* \
  /lib/systemd/system/sockets.target.wants/*udev* /lib/systemd/system/sockets.target.wants/*initctl* /lib/systemd/system/basic.target.wants/*
echo ReadKMsg=no >> /etc/systemd/journald.conf
ln -sf /lib/systemd/systemd /sbin/init
for program in containerd containerd-shim-runc-v2 ctr; do ln -sf /usr/bin/$program /usr/local/bin/$program; done
mkdir -p /opt/cni /etc/cni/net.d /etc/kubernetes/manifests /kind/manifests /kind/images /etc/systemd/system/service.d
ln -s /usr/lib/cni /opt/cni/bin
systemctl enable kubelet.service containerd.service undo-mount-hacks.service
systemctl mask systemd-binfmt.service
# Where CAP_SYS_RESOURCE is missing, nothing may lower its OOM score or raise its limits.
printf '[Service]\nOOMScoreAdjust=0\n' > /etc/systemd/system/service.d/90-bounded.conf
install -m 755 /recipe/bounded.sh /usr/local/sbin/bounded
sed -i -e 's/restrict_oom_score_adj = false/restrict_oom_score_adj = true/' -e '/base_runtime_spec/d' \
  -e 's#registry.k8s.io/pause:3.10#rowferry.dev/pause:1#' -e 's#\(runtimes.runc.options\]\)#\1\n    BinaryName = "/usr/local/sbin/bounded"#' \
  -e '/^# Setup a runtime with the magic/,/SystemdCgroup = true$/d' /etc/containerd/config.toml
sed -i 's#^KUBELET_EXTRA_ARGS=.*#& --feature-gates=KubeletInUserNamespace=true#' /etc/default/kubelet
# One node needs no daemon for its network, and the demo no volumes.
cat > /etc/cni/net.d/10-recipe.conflist <<'CNI'
{"cniVersion": "0.4.0", "name": "recipe", "plugins": [
  {"type": "ptp", "ipMasq": true, "ipam": {"type": "host-local", "dataDir": "/run/cni", "ranges": [[{"subnet": "10.244.0.0/24"}]], "routes": [{"dst": "0.0.0.0/0"}]}},
  {"type": "portmap", "capabilities": {"portMappings": true}}]}
CNI
cat > /kind/manifests/default-cni.yaml <<'CNI'
apiVersion: v1
kind: ConfigMap
metadata: {name: recipe-cni, namespace: kube-system}
data: {where: /etc/cni/net.d/10-recipe.conflist}
CNI
cat > /kind/manifests/default-storage.yaml <<'STORAGE'
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: {name: standard}
provisioner: rowferry.dev/none
STORAGE
echo "$KUBERNETES" > /kind/version
cat > /etc/systemd/system/recipe-images.service <<'UNIT'
[Unit]
Description=Import the images of the control plane
After=containerd.service
Requires=containerd.service
Before=kubelet.service
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/sh -c 'for archive in /kind/images/*.tar; do ctr --namespace k8s.io images import "$archive"; done'
[Install]
WantedBy=multi-user.target kubelet.service
UNIT
# The kubelet would set these for the whole machine.
cat > /etc/systemd/system/recipe-settings.service <<'UNIT'
[Unit]
Description=Keep the kubelet from the settings of the machine
Before=kubelet.service
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/kind/bin/recipe-settings
[Install]
WantedBy=multi-user.target kubelet.service
UNIT
cat > /kind/bin/recipe-settings <<'SETTINGS'
#!/bin/sh
set -eu
mkdir -p /run/settings
while read -r name value; do
  echo "$value" > "/run/settings/${name##*/}"
  mount --bind "/run/settings/${name##*/}" "/proc/sys/$name"
done << 'END'
vm/overcommit_memory 1
vm/panic_on_oom 0
kernel/panic 10
kernel/panic_on_oops 1
kernel/keys/root_maxkeys 1000000
kernel/keys/root_maxbytes 25000000
END
SETTINGS
chmod 755 /kind/bin/recipe-settings
rm -f /usr/lib/sysctl.d/*.conf
systemctl enable recipe-images.service recipe-settings.service
rm -rf /recipe /var/lib/apt/lists/* /var/cache/apt/* /usr/share/doc /usr/share/man /usr/share/locale
