package cmd

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rs/zerolog"
)

// wrongIn are the errors that config check says of its arguments.
func wrongIn(t *testing.T, args ...string) []string {
	t.Helper()
	var line commandLine
	parser, err := newParser(&line)
	if err != nil {
		t.Fatal(err)
	}
	args = append([]string{"config", "check"}, args...)
	ctx, err := parser.Parse(args)
	read := contextOf(ctx, err)
	if !isCheck(read) {
		t.Fatalf("%q is no check: %v", args, err)
	}
	wrong := line.wrongSettings(read, args, err)
	if err == nil {
		wrong = append(wrong, line.Settings.problems(&line, zerolog.Nop())...)
	}
	return distinct(wrong)
}

// TestConfigCheckAll: config check says all that is wrong with a file, with variables and with their
// values at once; nothing of a secret is in what it says.
func TestConfigCheckAll(t *testing.T) {
	t.Setenv("WARCORDER_SYNC", "maybe")
	t.Setenv(variablePrefix+"LISSEN", "x")
	t.Setenv("WARCORDER_PROXY_USERS", "anna:geheim")
	file := writeFile(t, "lissen: x\ntimeout: {idle: soon, ilde: 3s}\nlog: text\nlog: json\n"+
		"warc-max-size: big\nupstream: [\"socks5://u:geheim@\"]\ndeny: {a: b}\nno-record: [[a]]\n")
	got := wrongIn(t, "--config", file)
	for _, want := range []string{
		`line 1: unknown key "lissen": did you mean listen?`,
		`line 2: unknown key "timeout-ilde": did you mean timeout-idle?`,
		"--timeout-idle: FILE: line 2: ",
		"line 4: log is set twice",
		"--warc-max-size: FILE: line 5: ",
		"--upstream: FILE: line 6: ",
		`line 7: unknown key "deny-a"`,
		"line 8: no-record: a list may hold plain values only",
		`"maybe" is not one of batch, always, none (in the environment: WARCORDER_SYNC)`,
		"(in the environment: WARCORDER_PROXY_USERS)",
		"LISSEN sets nothing: did you mean WARCORDER_LISTEN?",
	} {
		want = strings.ReplaceAll(want, "FILE", file)
		if !slices.ContainsFunc(got, func(one string) bool { return strings.Contains(one, want) }) {
			t.Errorf("no %q", want)
		}
	}
	if all := strings.Join(got, "\n"); len(got) != 11 || strings.Contains(all, "geheim") {
		t.Errorf("%d errors:\n%s", len(got), all)
	}
}

// TestConfigCheckRefuses: what a start refuses before it opens anything is refused, of several things
// each; and a start refuses it in the same words.
func TestConfigCheckRefuses(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		name, file string
		want       []string
	}{
		{"nothing", "", nil},
		{"whom it lets in", "listen: 0.0.0.0:0\n", []string{"lets other machines in, and nothing says"}},
		{"addresses", "listen: x\nreplay-listen: :9\npreview-listen: y\ndebug-listen: 0.0.0.0:0\n",
			[]string{`--listen "x"`, `--replay-listen ":9"`, `--preview-listen "y"`, "--debug-listen"}},
		{"a token", "api-token: a b\n", []string{"api-token has spaces"}},
		{"one of the proxy's", "max-connections: 0\n", []string{"max-connections is 0"}},
		{"one of each", "max-connections: 0\ndedup: off\ndedup-from: [a]\napi-token: ä\ncollection: a/b\n",
			[]string{"--collection", "max-connections is 0", "dedup-from names archives", "api-token has"}},
		{"feeds", "push: [solr=http://a]\npush-every: 1m\n", []string{"push: number 1: this is no feed"}},
		{"a pace", "push-every: 1ms\n", []string{"push-every is 1ms"}},
		{"a table in the collection", "dir: " + dir + "\npush: [\"parquet=" + dir + "/default/table\"]\n",
			[]string{"belongs to the collection"}},
		{"one of the recorder's", "warc-name: x\n", []string{"of WARC names"}},
		{"keys", "keys: {extra: [nothing]}\n", []string{"nothing"}},
		{"profiles", "keys: {profiles: [{host: a, name: nobody}]}\n", []string{"keys-profiles, entry 1"}},
		{"rules", "replay-rules: [{nothing: 1}]\n", []string{"--replay-rules: FILE: line 1"}},
		{"a certificate", "client-certs: [{host: a, cert: " + dir + "/none.pem}]\n", []string{"none.pem"}},
		{"roots", "upstream-ca: " + dir + "/none.pem\n", []string{"none.pem"}},
		{"an authority, half of it", "ca-cert: a.pem\n", []string{"ca-cert is set, and ca-key is not"}},
		{"an authority that is not there", "ca-cert: " + dir + "/a\nca-key: " + dir + "/b\n",
			[]string{"load the authority"}},
		{"itself as a way out", "listen: 127.0.0.1:9\nupstream: \"http://127.0.0.1:9\"\n",
			[]string{"begins with this recorder itself"}},
		{"itself as an archive", "listen: 127.0.0.1:9\ndedup-from: [\"http://localhost:9/cdx\"]\n",
			[]string{"leads to this recorder itself"}},
		{"what was shown", "api-token: \"***\"\ndedup-from: [\"http://***@a/cdx\"]\n",
			[]string{"api-token has *** in it", "dedup-from has *** in it"}},
		{"what was shown, in lists", "proxy-users: [\"anna:***\"]\nupstream: [\"http://***@a:1\"]\n",
			[]string{"proxy-users has *** in it", "upstream has *** in it"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := writeFile(t, c.file)
			got := wrongIn(t, "--config", file, "--ca-dir", filepath.Join(dir, "ca"))
			for _, want := range c.want {
				want = strings.ReplaceAll(want, "FILE", file)
				if !slices.ContainsFunc(got, func(one string) bool { return strings.Contains(one, want) }) {
					t.Errorf("no %q", want)
				}
			}
			if len(got) != len(c.want) {
				t.Errorf("%q", got)
			}
			if _, err := os.Stat(filepath.Join(dir, "ca")); err == nil {
				t.Error("a root certificate was made")
			}
		})
	}
}

// TestConfigCheckIsRecords: a start says the first of what config check says, and nothing is left to it
// but what only shows when something is opened.
func TestConfigCheckIsRecords(t *testing.T) {
	for name, file := range map[string]string{
		"a value": "sync: maybe\n",
		"a key":   "lissen: x\n",
		"a check": "warc-name: x\n",
		"keys":    "keys: {extra: [nothing]}\n",
		"users":   "proxy-users: [\"anna:***\"]\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, path := t.TempDir(), writeFile(t, file)
			said := map[string]string{}
			for what, args := range map[string][]string{"record": {"record", "--listen", "127.0.0.1:0"},
				"check": {"config", "check"}} {
				text, err := command(dir, append(args, "--config", path)...).CombinedOutput()
				if err == nil {
					t.Errorf("%s takes it: %s", what, text)
				}
				said[what], _, _ = strings.Cut(string(text), " (see warcorder")
				said[what] = strings.TrimSpace(said[what])
			}
			if said["record"] != said["check"] {
				t.Errorf("a start says\n%s\nand config check\n%s", said["record"], said["check"])
			}
		})
	}
}

// TestConfigCheckTouchesNothing: what is good is said in one line, with how much is set where, whatever
// listens there, and nothing is made. What a start would warn of is said too.
func TestConfigCheckTouchesNothing(t *testing.T) {
	dir := t.TempDir()
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	file := writeFile(t, "listen: "+busy.Addr().String()+"\nclients: [192.0.2.0/24]\nverbose: true\n")
	cmd := command(dir, "config", "check", "--config", file, "--dedup", "off")
	cmd.Env = append(cmd.Env, "WARCORDER_MAX_CONNECTIONS=5", "HOME="+dir)
	said := &strings.Builder{}
	cmd.Stderr = said
	text, err := cmd.Output()
	want := fmt.Sprintf("%s is good: keys set, of %d: 3 in the file, 2 by variables, 2 by flags\n", file,
		len(configKeys(model(t))))
	if err != nil || string(text) != want {
		t.Errorf("%v: %s, want %s", err, text, want)
	}
	if !strings.Contains(said.String(), "clients leaves it out") {
		t.Errorf("no warning: %s", said)
	}
	if made, _ := os.ReadDir(dir); len(made) > 0 {
		t.Errorf("it has made %v", made)
	}
}

// TestConfigTakesAll: what record takes config takes, so that it can stand in its place; and a flag of
// the one command is none of the other.
func TestConfigTakesAll(t *testing.T) {
	names := map[string][]string{}
	for _, command := range model(t).Children {
		for _, flag := range command.Flags {
			names[command.Name] = append(names[command.Name], flag.Name)
		}
	}
	for _, name := range names["record"] {
		if !slices.Contains(names["config"], name) {
			t.Errorf("config does not take --%s", name)
		}
	}
	if got, want := len(names["config"]), len(names["record"])+3; got != want {
		t.Errorf("config takes %d flags, want %d", got, want)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"config"}, "config needs check or show (see warcorder config --help)"},
		{[]string{"config", "do"}, `config needs check or show, and not "do" (see warcorder config --help)`},
		{[]string{"config", "check", "--collection", "config"}, `"config" is no name for a collection`},
		{[]string{"config", "check", "--json"}, "are of config show"},
		{[]string{"config", "check", "--bad"}, "unknown flag --bad"},
		{[]string{"config", "check", "--config", "none.yaml"}, "none.yaml"},
		{[]string{"config", "show", "--running"}, "there is no collection"},
	} {
		text, err := command(t.TempDir(), c.args...).CombinedOutput()
		if err == nil || !strings.Contains(string(text), c.want) || strings.Count(string(text), "\n") != 1 {
			t.Errorf("%q: %v %s", c.args, err, text)
		}
	}
}
