// One program with Kubernetes' own commands as subcommands, so that a machine without an image
// registry can build a real control plane and node from Go modules: etcd, kube-apiserver,
// kube-controller-manager, kube-scheduler, kubelet, kube-proxy and kubectl.
// It is chosen by the program's name (a link) or by its first argument.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"context"
	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	kubectl "k8s.io/kubectl/pkg/cmd"
	kubectlutil "k8s.io/kubectl/pkg/cmd/util"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	proxy "k8s.io/kubernetes/cmd/kube-proxy/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"
)

func main() {
	name := filepath.Base(os.Args[0])
	if name == "kubernetes" && len(os.Args) > 1 {
		name = os.Args[1]
		os.Args = os.Args[1:]
	}
	commands := map[string]func() *cobra.Command{
		"kube-apiserver":          apiserver.NewAPIServerCommand,
		"kube-controller-manager": controllermanager.NewControllerManagerCommand,
		"kube-scheduler":          func() *cobra.Command { return scheduler.NewSchedulerCommand() },
		"kubelet":                 func() *cobra.Command { return kubelet.NewKubeletCommand(context.Background()) },
		"kube-proxy":              proxy.NewProxyCommand,
	}
	switch command, known := commands[name]; {
	case name == "etcd":
		etcdmain.Main(os.Args)
	case name == "kubectl":
		kubectl := kubectl.NewDefaultKubectlCommand()
		if err := cli.RunNoErrOutput(kubectl); err != nil {
			kubectlutil.CheckErr(err)
		}
	case known:
		os.Exit(cli.Run(command()))
	default:
		fmt.Fprintf(os.Stderr, "unknown command %q\n", name)
		os.Exit(2)
	}
}
