// Command deploy judges doc/deploy by what its users run: compose.yaml by the library of docker
// compose, the folder for Kubernetes by that of kubectl kustomize, and each object that comes of it by
// the types of the API, strictly: a field that these do not have is an error.
//
//	deploy FOLDER    doc/deploy, with secrets made in compose/ and kubernetes/
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

func main() {
	failed := false
	for name, check := range map[string]func(string) (string, error){
		"compose.yaml by the library of docker compose":       compose,
		"the folder for Kubernetes, by kustomize and the API": kubernetes,
	} {
		said, err := check(os.Args[1])
		if err != nil {
			fmt.Printf("not ok - %s: %s\n", name, strings.ReplaceAll(err.Error(), "\n", "; "))
			failed = true
			continue
		}
		fmt.Printf("ok - %s: %s\n", name, said)
	}
	if failed {
		os.Exit(1)
	}
}

// compose reads the project as docker compose config does, and looks at what it is promised to be.
func compose(folder string) (string, error) {
	file := filepath.Join(folder, "compose", "compose.yaml")
	options, err := cli.NewProjectOptions([]string{file}, cli.WithResolvedPaths(true),
		cli.WithDiscardEnvFile)
	if err != nil {
		return "", err
	}
	project, err := options.LoadProject(context.Background())
	if err != nil {
		return "", err
	}
	var wrong []error
	volumes := map[string]bool{}
	recorders := 0
	for _, service := range project.AllServices() {
		if service.Name != "bucket" && (!service.ReadOnly || !slices.Contains(service.CapDrop, "ALL")) {
			wrong = append(wrong, fmt.Errorf("%s may write or has capabilities", service.Name))
		}
		wrong = append(wrong, files(project, service)...)
		if !strings.HasPrefix(service.Name, "recorder-") {
			continue
		}
		recorders++
		if len(service.Volumes) != 1 || volumes[service.Volumes[0].Source] ||
			service.Hostname != service.Name {
			wrong = append(wrong, fmt.Errorf("%s has no volume or no name of its own", service.Name))
		}
		volumes[service.Volumes[0].Source] = true
		has := service.Environment
		if has["WARCORDER_DEDUP_SHARED"] == nil || has["AWS_SECRET_ACCESS_KEY"] == nil {
			wrong = append(wrong, fmt.Errorf("%s lacks secrets", service.Name))
		}
	}
	return fmt.Sprintf("%d services, %d recorders", len(project.Services), recorders), errors.Join(wrong...)
}

// files are those that a service has, and that are not there.
func files(project *types.Project, service types.ServiceConfig) (wrong []error) {
	for _, secret := range service.Secrets {
		if _, err := os.Stat(project.Secrets[secret.Source].File); err != nil {
			wrong = append(wrong, err)
		}
	}
	for _, config := range service.Configs {
		if _, err := os.Stat(project.Configs[config.Source].File); err != nil {
			wrong = append(wrong, err)
		}
	}
	return wrong
}

// kubernetes makes the objects, and decodes each.
func kubernetes(folder string) (string, error) {
	made, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(),
		filepath.Join(folder, "kubernetes"))
	if err != nil {
		return "", err
	}
	all := objects{byName: map[string]any{}}
	var wrong []error
	for _, resource := range made.Resources() {
		text, err := resource.AsYAML()
		if err == nil {
			err = all.add(resource.GetKind(), resource.GetName(), text)
		}
		wrong = append(wrong, err)
	}
	monitor, err := os.ReadFile(filepath.Join(folder, "kubernetes", "podmonitor.yaml"))
	if err == nil && !bytes.Contains(monitor, []byte("key: WARCORDER_API_TOKEN")) {
		err = errors.New("podmonitor.yaml has no token")
	}
	wrong = append(wrong, err, all.related())
	return fmt.Sprintf("%d objects", len(all.byName)), errors.Join(wrong...)
}

// objects are what is applied, by kind and name.
type objects struct{ byName map[string]any }

func (o *objects) add(kind, name string, text []byte) error {
	into := typeOf(kind)
	if into == nil {
		return fmt.Errorf("%s %s is of a kind that is not judged", kind, name)
	}
	if err := yaml.UnmarshalStrict(text, into); err != nil {
		return fmt.Errorf("%s %s: %w", kind, name, err)
	}
	o.byName[kind+" "+name] = into
	return nil
}

// typeOf is an empty object of a kind; nil of one that is not judged.
func typeOf(kind string) any {
	switch kind {
	case "Namespace":
		return new(corev1.Namespace)
	case "ConfigMap":
		return new(corev1.ConfigMap)
	case "Secret":
		return new(corev1.Secret)
	case "Service":
		return new(corev1.Service)
	case "StatefulSet":
		return new(appsv1.StatefulSet)
	case "Deployment":
		return new(appsv1.Deployment)
	case "PodDisruptionBudget":
		return new(policyv1.PodDisruptionBudget)
	case "NetworkPolicy":
		return new(networkingv1.NetworkPolicy)
	}
	return nil
}

// related reports names that lead to nothing, and pods that may do more than they need.
func (o *objects) related() error {
	var wrong []error
	lacks := func(what, kind, name string) {
		if o.byName[kind+" "+name] == nil {
			wrong = append(wrong, fmt.Errorf("%s names the %s %s, which is not there", what, kind, name))
		}
	}
	for name, object := range o.byName {
		var pod corev1.PodSpec
		switch of := object.(type) {
		case *appsv1.StatefulSet:
			pod = of.Spec.Template.Spec
			lacks(name, "Service", of.Spec.ServiceName)
		case *appsv1.Deployment:
			pod = of.Spec.Template.Spec
		default:
			continue
		}
		for _, volume := range pod.Volumes {
			if volume.Secret != nil {
				lacks(name, "Secret", volume.Secret.SecretName)
				mode := volume.Secret.DefaultMode
				if mode == nil || *mode != 0o440 || pod.SecurityContext.FSGroup == nil {
					wrong = append(wrong, fmt.Errorf("%s: a secret that others may read", name))
				}
			}
			if volume.ConfigMap != nil {
				lacks(name, "ConfigMap", volume.ConfigMap.Name)
			}
		}
		for _, container := range slices.Concat(pod.InitContainers, pod.Containers) {
			for _, from := range container.EnvFrom {
				lacks(name, "Secret", from.SecretRef.Name)
			}
			may := container.SecurityContext
			if !*may.ReadOnlyRootFilesystem || *may.AllowPrivilegeEscalation ||
				!*pod.SecurityContext.RunAsNonRoot {
				wrong = append(wrong, fmt.Errorf("%s %s may do more than it needs", name, container.Name))
			}
		}
	}
	return errors.Join(append(wrong, o.recorders())...)
}

// recorders reports what a recorder would not live with.
func (o *objects) recorders() error {
	set, is := o.byName["StatefulSet warcorder"].(*appsv1.StatefulSet)
	service, has := o.byName["Service warcorder"].(*corev1.Service)
	switch {
	case !is || !has:
		return errors.New("no recorders, or no service")
	case *set.Spec.Template.Spec.TerminationGracePeriodSeconds < 30:
		return errors.New("recorders are killed before they have ended")
	case service.Spec.SessionAffinity != corev1.ServiceAffinityClientIP:
		return errors.New("clients do not stay with a recorder")
	case len(set.Spec.VolumeClaimTemplates) != 1:
		return errors.New("recorders have no volume of their own")
	}
	return nil
}
