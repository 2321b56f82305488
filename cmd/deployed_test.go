package cmd

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"warcorder/certs"
)

// TestDeployedSettings: the configurations of doc/deploy for several recorders pass config check, with
// the variables that they are started with; the authority that they name is one that is there.
func TestDeployedSettings(t *testing.T) {
	t.Setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9") // as deployments say it
	var kubernetes struct{ Data map[string]string }
	if err := yaml.Unmarshal(deployed(t, "kubernetes", "configmap.yaml"), &kubernetes); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"compose":    string(deployed(t, "compose", "warcorder.yaml")),
		"kubernetes": kubernetes.Data["warcorder.yaml"],
	} {
		t.Run(name, func(t *testing.T) {
			p := &program{t: t, dir: t.TempDir()}
			authority, err := certs.Open(filepath.Join(p.dir, "ca"))
			if err != nil {
				t.Fatal(err)
			}
			key := strings.TrimSuffix(authority.File(), ".pem") + ".key"
			there := strings.NewReplacer("/run/secrets/ca.pem", authority.File(), "/run/secrets/ca.key", key,
				"/authority/tls.crt", authority.File(), "/authority/tls.key", key).Replace(text)
			if strings.Count(there, p.dir) != 2 {
				t.Errorf("it names no authority:\n%s", text)
			}
			for _, variable := range deployedVariables(t) {
				t.Setenv(variable, map[string]string{"WARCORDER_DEDUP_SHARED": "redis://:secret@valkey:6379/0",
					"WARCORDER_API_TOKEN": strings.Repeat("a", 64)}[variable])
			}
			file := writeFile(t, there)
			out, errs, code := p.run("config", "check", "--config", file, "--listen", "0.0.0.0:8080")
			if code != 0 {
				t.Errorf("%d %s%s", code, out, errs)
			}
		})
	}
}

// deployedVariables are those of secrets.sh.
func deployedVariables(t *testing.T) []string {
	all := regexp.MustCompile(`(?m)^WARCORDER_[A-Z_]+`).FindAllString(string(deployed(t, "compose", "secrets.sh")), -1)
	if !slices.Contains(all, "WARCORDER_API_TOKEN") || !slices.Contains(all, "WARCORDER_DEDUP_SHARED") {
		t.Fatalf("secrets.sh has only %v", all)
	}
	return all
}
