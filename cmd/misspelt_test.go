package cmd

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestMisspeltVariables: a variable that begins like a setting and is none is an error that names
// the nearest, and never the value; those of other commands, and those that Kubernetes sets, are no
// error. A flag of one command alone has no variable.
func TestMisspeltVariables(t *testing.T) {
	app := model(t)
	for name, want := range map[string]string{
		"WARCORDER_LISSEN":               "did you mean WARCORDER_LISTEN?",
		"WARCORDER_LISTEN_":              "did you mean WARCORDER_LISTEN?",
		"WARCORDER_COLECTION":            "did you mean WARCORDER_COLLECTION?",
		"WARCORDER_PROXYUSERS":           "did you mean WARCORDER_PROXY_USERS?",
		"WARCORDER_API_TOKNE":            "did you mean WARCORDER_API_TOKEN?",
		"WARCORDER_CONFG":                "did you mean WARCORDER_CONFIG?",
		"WARCORDER_DRI":                  "did you mean WARCORDER_DIR?",
		"WARCORDER_ENTIRELY_ELSE":        "unset it",
		"WARCORDER_":                     "unset it",
		"WARCORDER_X":                    "unset it",
		"WARCORDER_LISTEN":               "",
		"WARCORDER_CONFIG":               "",
		"WARCORDER_NO_RECORD":            "",
		"WARCORDER_ALL":                  "unset it",
		"WARCORDER_DRY_RUN":              "unset it",
		"WARCORDER_KEYS_PROFILES":        "",
		"WARCORDER":                      "",
		"WARCORDER_SERVICE_HOST":         "",
		"WARCORDER_SERVICE_PORT":         "",
		"WARCORDER_SERVICE_PORT_PROXY":   "",
		"WARCORDER_PORT":                 "",
		"WARCORDER_PORT_8080_TCP":        "",
		"WARCORDER_PORT_8080_TCP_ADDR":   "",
		"WARCORDER_PORT_53_UDP_PROTO":    "",
		"WARCORDER_NEWS_SERVICE_HOST":    "",
		"WARCORDER_NEWS_PORT_8080_TCP":   "",
		"WARCORDER_REPORT":               "unset it",
		"WARCORDER_\x1b[31m":             "WARCORDER_\uFFFD[31m sets nothing",
		strings.Repeat("WARCORDER_", 50): "WARCORDER_WARC… sets nothing",
	} {
		err := checkVariables(app, []string{"PATH=/bin", name + "=s3cret=x"})
		switch {
		case want == "" && err == nil:
		case want == "" || err == nil || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "s3cret"):
			t.Errorf("%q: %v, want %q", name, err, want)
		}
	}
}

// TestManyLongVariables: however many there are, and however long, it is looked at in no time.
func TestManyLongVariables(t *testing.T) {
	app := model(t)
	var environment []string
	for range 1000 {
		environment = append(environment, "WARCORDER_PORT_"+strings.Repeat("_TCP", 25000)+"=x")
	}
	environment = append(environment, "WARCORDER_"+strings.Repeat("x", 100_000))
	begun := time.Now()
	if err := checkVariables(app, environment); err == nil || len(err.Error()) > 300 {
		t.Errorf("%.400v", err)
	}
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
}

// TestNoVariablesOfOurOwn: no code of ours, and no script of CI, uses a variable that begins like a
// setting and is none: every command would refuse it.
func TestNoVariablesOfOurOwn(t *testing.T) {
	app, used := model(t), 0
	name := regexp.MustCompile(`\bWARCORDER_[A-Z_]+\b`)
	for path, code := range codeOf(t, "..") {
		if strings.HasPrefix(path, "cmd/misspelt") {
			continue
		}
		for _, found := range name.FindAllString(string(code), -1) {
			used++
			err := checkVariables(app, []string{found + "=x"})
			if err != nil && found != variablePrefix {
				t.Errorf("%s: %v", path, err)
			}
		}
	}
	if used < 10 {
		t.Errorf("only %d variables found", used)
	}
}

// TestMisspelt: what people mistype at a terminal, or try, gets what they expect.
func TestMisspelt(t *testing.T) {
	p := &program{t: t, dir: t.TempDir()}
	run := func(args ...string) (out, errs string, code int) {
		cmd := command(p.dir, args...)
		cmd.Args = cmd.Args[:len(args)+1] // no --dir
		var stdout, stderr strings.Builder
		cmd.Dir, cmd.Stdout, cmd.Stderr = p.dir, &stdout, &stderr
		cmd.Run()
		return stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()
	}
	for line, want := range map[string]string{
		"hlep":                     "there is no command hlep: did you mean help? (see warcorder --help)",
		"exprot -o -":              "there is no command exprot: did you mean export?",
		"--log json lokup":         "there is no command lokup: did you mean lookup?",
		"https://example.org/":     "there is no command https://example.org/: to open it, warcorder browser URL (see",
		"--lisen 127.0.0.1:0":      "unknown flag --lisen: did you mean --listen? (see warcorder record --help-all)",
		"record --api-tokn=s3cret": `unknown flag --api-tokn: did you mean --api-token? (see warcorder record --help-all)`,
		"export --ulr x":           `: did you mean --url? (see warcorder export --help)`,
		"export --listen :1":       "unknown flag --listen: record has it (see warcorder export --help)",
		"--url x":                  "unknown flag --url: export has it (see warcorder record --help-all)",
		"capture --depth x":        `--depth: "x" is not a whole number (see warcorder`,
		"export --part-lines 1.5":  `--part-lines: "1.5" is not a whole number`,
		"record --listen":          "--listen needs a value (see warcorder record --help-all)",
		"gaps --reason x":          `--reason must be one of "upstream","cut",`,
		"lookup":                   "lookup needs URL (see warcorder lookup --help)",
		"index":                    "index needs FILE (see warcorder index --help)",
		"import":                   "import needs FILE (see warcorder import --help)",
		"record now":               "unexpected argument now (see warcorder record --help-all)",
		"capture --depth -1 a.org": `expected int value but got "-1" (see warcorder capture --help)`,
		"export --match fuzzy":     "(see warcorder export --help)",
	} {
		out, errs, code := run(strings.Fields(line)...)
		if code != 1 || out != "" || !strings.Contains(errs, want) || strings.Contains(errs, "s3cret") {
			t.Errorf("%s: %d %q %q, want %q", line, code, out, errs, want)
		}
	}
	for line, want := range map[string]string{
		"help":               "Usage: warcorder [COMMAND]",
		"-h":                 "Usage: warcorder [COMMAND]",
		"--help":             "Usage: warcorder [COMMAND]",
		"help export":        "Usage: warcorder export",
		"export -h":          "Usage: warcorder export",
		"lookup --help":      "Usage: warcorder lookup [FLAG…] URL",
		"lookup --help-all":  "Variable: WARCORDER_COLLECTION.",
		"--help-all":         "Default: 1GB. Variable: WARCORDER_WARC_MAX_SIZE.",
		"record --help-all":  "Default: 1GB. Variable: WARCORDER_WARC_MAX_SIZE.",
		"--version":          "warcorder " + version,
		"version":            "warcorder " + version,
		"export --url x -h":  "Usage: warcorder export",
		"help record -h":     "Usage: warcorder record",
		"--collection x -h":  "Usage: warcorder",
		"help lookup --help": "Usage: warcorder lookup",
	} {
		out, errs, code := run(strings.Fields(line)...)
		if code != 0 || errs != "" || !strings.Contains(
			strings.Join(strings.Fields(out), " "), want) {
			t.Errorf("%s: %d %.300q %q, want %q", line, code, out, errs, want)
		}
	}
	t.Setenv("WARCORDER_LISSEN", "s3cret")
	for _, line := range []string{"version", "record", "lookup https://example.org/"} {
		out, errs, code := run(strings.Fields(line)...)
		if code != 1 || out != "" || strings.Contains(errs, "s3cret") || errs !=
			"warcorder: the variable WARCORDER_LISSEN sets nothing: did you mean WARCORDER_LISTEN?\n" {
			t.Errorf("%s: %d %q %q", line, code, out, errs)
		}
	}
	if out, errs, code := run("--help"); code != 0 || out == "" || errs != "" {
		t.Errorf("help is refused: %d %q", code, errs)
	}
	if left, _ := os.ReadDir(filepath.Join(p.dir, "collections")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"abc", "abc", 0}, {"lisen", "listen", 1},
		{"hlep", "help", 1}, {"kitten", "sitting", 3}, {"ab", "ba", 1}, {"exprot", "export", 1},
	} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("%q to %q: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
