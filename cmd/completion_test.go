package cmd

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"
)

// collectionsIn makes a directory of collections.
func collectionsIn(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		if err := os.MkdirAll(filepath.Join(dir, name, "archive"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// completed are the words that complete finds, without what they are.
func completed(app *kong.Application, words ...string) (found []string) {
	for _, line := range complete(app, words) {
		word, _, _ := strings.Cut(line, "\t")
		found = append(found, word)
	}
	return found
}

func TestComplete(t *testing.T) {
	dir := collectionsIn(t, "news", "notes", "old")
	app := model(t)
	for _, c := range []struct {
		words string
		want  string
	}{
		{"exp", "export"},
		{"un", "untrust"},
		{"--warc-v", "--warc-version"}, // of record, without its name
		{"record --warc-v", "--warc-version"},
		{"export --warc-v", ""},
		{"--warc-version 1", "1.0 1.1"},
		{"--collection export exp", "export"}, // a value is no command
		{"--help exp", "export"},              // it has no value
		{"export --match ho", "host"},
		{"export --match=ho", "--match=host"},
		{"export --match = ho", "--match=host"}, // as bash takes it apart
		{"export --match =", "--match=exact --match=prefix --match=host --match=domain"},
		{"export -o ", ":file"},
		{"export --out=x", ":file"},
		{"export --dir ", ":dir"},
		{"ca --out ", ":dir"},
		{"ca --ca-dir=/", ":dir"},
		{"--config ", ":file"},
		{"lookup --dir " + dir + " --collection n", "news notes"},
		{"lookup --dir=" + dir + " --collection=o", "--collection=old"},
		{"lookup --dir = " + dir + " --collection ol", "old"},
		{"lookup --dir " + dir + "/none --collection n", ""},
		{"lookup http", ""},
		{"verify ", ":file"},
		{"verify a b", ":file"},
		{"verify -- --js", ":file"},
		{"completion ", "bash zsh fish"},
		{"run ", ":command"},
		{"run --collection x -- cu", ":command"},
		{"run curl --disa", ":file"},
		{"version ", ""},
		{"nonsense --warc-v", "--warc-version"},
		{"export --nonsense --match d", "domain"},
	} {
		got := strings.Join(completed(app, strings.Split(c.words, " ")...), " ")
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.words, got, c.want)
		}
	}
	for _, name := range []string{"", "-"} {
		if found := completed(app, name); len(found) < 10 || slices.Contains(found, "") {
			t.Errorf("%q: %q", name, found)
		}
	}
}

// completing returns an environment in which warcorder is a program, and runs a shell in it.
func completing(t *testing.T, shell string) func(args ...string) string {
	t.Helper()
	path, err := exec.LookPath(shell)
	if err != nil {
		t.Skipf("no %s on this machine", shell)
	}
	home := t.TempDir()
	if err := os.Symlink(os.Args[0], filepath.Join(home, "warcorder")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(home, "warcs dir"), 0o755); err != nil {
		t.Fatal(err)
	}
	collections := collectionsIn(t, "news", "notes")
	return func(args ...string) string {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, path, args...)
		cmd.Dir = home
		cmd.Env = []string{"RUN_AS_WARCORDER=1", "HOME=" + home, "TERM=dumb",
			"PATH=" + home + ":" + os.Getenv("PATH"), "WARCORDER_DIR=" + collections}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%v: %s", err, out)
		}
		return strings.TrimSpace(string(out))
	}
}

// TestCompletionBash: bash takes the script, and fills in what it would for a person.
func TestCompletionBash(t *testing.T) {
	bash := completing(t, "bash")
	const ask = `source <(warcorder completion bash)
		complete -p warcorder >/dev/null || exit 1
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		_warcorder warcorder "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
		printf '%s\n' "${COMPREPLY[@]}"`
	odd := collectionsIn(t, "$(touch ran) 'x'")
	for line, want := range map[string]string{
		// whose line is run as it is completed
		"warcorder gaps --dir " + odd + " --collection $": `\$\(touch\ ran\)\ \'x\'`,

		"warcorder exp":                "export",
		"warcorder export --ma":        "--match",
		"warcorder export --match = d": "domain",
		"warcorder export --match d":   "domain",
		"warcorder gaps --collection ": "news\nnotes",
		"warcorder verify warc":        "warcorder\nwarcs dir",
		"warcorder ca --out warc":      "warcs dir",
		"warcorder version ":           "",
	} {
		words := strings.Split(line, " ")
		got := bash(append([]string{"--norc", "-c", ask, "bash"}, words...)...)
		words = strings.Split(got, "\n")
		slices.Sort(words)
		if strings.Join(words, "\n") != want {
			t.Errorf("%s: %q, want %q", line, words, want)
		}
	}
}

// TestCompletionFish: fish shows what each is.
func TestCompletionFish(t *testing.T) {
	fish := completing(t, "fish")
	for line, want := range map[string]string{
		"warcorder exp":                "export\tWrite the captures as sorted CDXJ, or as WARC 0.9",
		"warcorder export --match d":   "domain",
		"warcorder export --match=d":   "--match=domain",
		"warcorder gaps --collection ": "news\nnotes",
		"warcorder ca --out warcs":     "warcs dir/",
		"warcorder ca --out":           "--out\tDirectory to write it to as PEM, DER, PKCS#12 and Apple profile",
	} {
		got := fish("--no-config", "-c", "warcorder completion fish | source; complete --do-complete "+
			"'"+line+"'")
		if name, _, _ := strings.Cut(got, "\t"); got != want && name != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

// TestCompletionZsh: zsh fills in a line that somebody types at a terminal, and who then looks at
// the line finds it so.
func TestCompletionZsh(t *testing.T) {
	zsh := completing(t, "zsh")
	const ask = `zmodload zsh/zpty
		zpty z zsh -f -i
		zpty -w z $'bindkey -e; autoload -Uz compinit; compinit -u -D
			source <(warcorder completion zsh); echo rea""dy'
		zpty -r z said '*ready*'
		zpty -w -n z "$1"$'\t\C-aprint -r -- "<\C-e>" do""ne\n'
		zpty -r z said '*done*'
		print -r -- $said`
	shown := regexp.MustCompile(`\n<(.*)> done`)
	for begin, want := range map[string]string{
		"warcorder exp":                 "warcorder export ",
		"warcorder export --match d":    "warcorder export --match domain ",
		"warcorder export --match=d":    "warcorder export --match=domain ",
		"warcorder gaps --collection n": "warcorder gaps --collection n",
		"warcorder ca --out war":        `warcorder ca --out warcs\ dir/`,
	} {
		said := zsh("-f", "-c", ask, "zsh", begin)
		got := shown.FindStringSubmatch(said)
		if got == nil || strings.TrimSpace(got[1]) != strings.TrimRight(want, " /") {
			t.Errorf("%s: %q, want %q in %q", begin, got, want, said)
		}
	}
}
