// Command check says in what the pods of rendered manifests break a Pod Security Standard, by the rules of the API server's own
// admission. It reads a JSON array of objects on standard input; exit code 1 when something is said.
//
//	kustomize build DIR -o json | check restricted
package main

import (
	"encoding/json"
	"fmt"
	"os"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
)

type object struct {
	Kind     string
	Metadata struct{ Name string }
	Spec     struct {
		Template *struct {
			metav1.ObjectMeta `json:"metadata"`
			Spec              corev1.PodSpec
		}
	}
}

func main() {
	if len(os.Args) != 2 {
		fail("usage: check privileged|baseline|restricted")
	}
	level, err := api.ParseLevel(os.Args[1])
	if err != nil {
		fail(err)
	}
	var objects []object
	if err := json.NewDecoder(os.Stdin).Decode(&objects); err != nil {
		fail(err)
	}
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		fail(err)
	}
	pods, bad := 0, false
	for _, each := range objects {
		if each.Spec.Template == nil {
			continue
		}
		pods++
		pod := each.Spec.Template
		for _, result := range evaluator.EvaluatePod(api.LevelVersion{Level: level, Version: api.LatestVersion()}, &pod.ObjectMeta, &pod.Spec) {
			if !result.Allowed {
				bad = true
				fmt.Printf("%s %s: %s: %s\n", each.Kind, each.Metadata.Name, result.ForbiddenReason, result.ForbiddenDetail)
			}
		}
	}
	if pods == 0 {
		fail("there is no pod")
	}
	if bad {
		os.Exit(1)
	}
}

func fail(why any) {
	fmt.Fprintln(os.Stderr, why)
	os.Exit(2)
}
