package cmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestKeptConfigs: a configuration of each version that was released, with every key that it had, is
// taken; or the key that was renamed is told by its new name. .ci/release/run adds none: it refuses to
// release a version whose config.example.yaml is not kept in testdata/configs/VERSION.yaml.
func TestKeptConfigs(t *testing.T) {
	kept, err := filepath.Glob("testdata/configs/*.yaml")
	if err != nil || len(kept) == 0 {
		t.Fatal(kept, err)
	}
	for _, path := range kept {
		t.Run(filepath.Base(path), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := parse(t, "--config", path); err == nil {
				return
			}
			for _, setting := range settingLines(string(text)) {
				one := filepath.Join(t.TempDir(), "config.yaml")
				writeText(t, one, setting)
				if _, err := parse(t, "--config", one); err != nil &&
					!strings.Contains(err.Error(), "is called") {
					t.Errorf("%v: take the key, or say what it is called now, in:\n%s", err, setting)
				}
			}
		})
	}
}

// settingLines cuts a configuration at its keys that are not nested.
func settingLines(text string) (settings []string) {
	for line := range strings.Lines(text) {
		begins := strings.Trim(line[:1], " #\n") != ""
		switch {
		case begins:
			settings = append(settings, line)
		case len(settings) > 0:
			settings[len(settings)-1] += line
		}
	}
	return settings
}

// TestSettingLines: nothing of a configuration is left out.
func TestSettingLines(t *testing.T) {
	const text = "# a text\na: 1 # one\n     # more\nb:\n  c: 2\n\nd: 3\n"
	got := strings.Join(settingLines(text), "|")
	if want := "a: 1 # one\n     # more\n|b:\n  c: 2\n\n|d: 3\n"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
}
