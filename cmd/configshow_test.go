package cmd

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// settingsIn are the settings that config show has of its arguments.
func settingsIn(t *testing.T, args ...string) []shown {
	t.Helper()
	var line commandLine
	parser, err := newParser(&line)
	if err != nil {
		t.Fatal(err)
	}
	ctx, err := parser.Parse(append([]string{"config", "show"}, args...))
	if err != nil {
		t.Fatal(err)
	}
	return settingsOf(ctx, line.file)
}

// values are what settings say, and not where they come from.
func values(all []shown) map[string]any {
	said := map[string]any{}
	for _, one := range all {
		said[one.Key] = one.Value
	}
	return said
}

// everyKey sets each key but those that have secrets to something that is not its default.
const everyKey = `listen: 127.0.0.1:1
replay-listen: 127.0.0.1:2
preview-listen: 127.0.0.1:3
debug-listen: 127.0.0.1:4
replay-rules: [{name: ours, host: a.example, query: {sig: any, t: time},
  same: [["http://a.example/?sig=1", "http://a.example/?sig=2"]]}]
clients: ["@private", 192.0.2.0/24, "2001:db8::1"]
collection: "1.10"
dir: /tmp/other
ca-dir: "~x: y # z"
ca-cert: ca.pem
ca-key: "yes"
log: json
log-level: warn
verbose: true
quiet: true
shutdown-timeout: 1h0m1s
readers: []
page-control: token
record-dns: true
insecure-upstream: [a.example, "*.b.example"]
deny: ["*", "@metadata", "10.0.0.0/8"]
allow: [a.example]
resolver: ["192.0.2.53", "[::1]:5353"]
source-address: 192.0.2.1,2001:db8::1
no-record: "*"
tunnel: ["*.b.example", "@browser-chatter"]
upstream: ["*.onion=socks5h://127.0.0.1:9050", a.example=direct, "http://b:1 https://[::1]:2"]
upstream-ca: roots.pem
client-certs: [{host: "*.a", cert: a.pem, key: a.key}, {host: b, cert: b.pem}]
on-client-abort: finish
complete: always
complete-max: 1000001
complete-quiet: 1ms
complete-within: 11s
complete-timeout: 90s
complete-again: 2m
complete-per-host: 2
complete-at-once: 5
complete-waiting: 1000000
complete-running: 65
codings: any
anticache: never
max-header-size: 2KiB
max-header-memory: 1TB
max-body-size: 1
max-connections: 7
timeout: {header: 1s, connect: 2s, tls: 3s, first-byte: 4s, idle: 5s, total: 6s}
warc-prefix: "null"
warc-name: "{timestamp}{serial}"
warc-max-size: 2GB
warc-idle: 1m
warc-max-age: 1h
warc-version: 1.0
digest: sha256
payload-digest: entity
sl: false
commit-interval: 1ms
index-interval: 2s
commit-size: 1kB
sync: none
min-free-space: 0
archive-mode: 0640
keep-for: 90d
upload: s3://archive/a
upload-cdxj: true
keep-local: 7d
queue-size: 1MB
dedup: off
dedup-min-size: 0
dedup-for: 36h
dedup-from: ["/a dir/with \\, in it", "http://a.example/cdx?url={url}", "http://b.example/{url}"]
dedup-shared: unix:///run/redis/r.sock?db=3
dedup-ttl: 720h
push: ["outbackcdx=http://a.example/web", "parquet=s3://bucket/a,b"]
push-every: 61s
warcinfo: {operator: "Anna \"A\" <a@example.org>", is-part-of: ä, description: "two\nlines: #", robots: "!x"}
keys:
  extra: [path, form]
  profiles: [{name: ours, host: a, path: /x, decode: [3A, "21"], encode: ["5B"]}, {host: b, name: generic}]
`

// secrets are keys that have some, with what no one is to see.
const secrets = `api-token: geheim
proxy-users: ["` + someUser + `", "bert:$2a$04$qsd9YNDrbykqng9imPDPDed027HWwZrByv4tY235g3qwsv55lo0aK"]
upstream: ["a=http://geheim:geheim@127.0.0.1:9 socks5://b:1", "b=direct", "http://geheim@c:1"]
dedup-from: ["http://geheim:geheim@a/cdx?key=geheim&url={url}", "http://b/cdx"]
dedup-shared: "redis+sentinel://geheim:geheim@a:1,b:2/m?sentinel-password=geheim"
`

// TestConfigShowAgain: what config show prints has the same settings when it is read again, each key
// set and none; and every key can be set.
func TestConfigShowAgain(t *testing.T) {
	every := settingsIn(t, "--config", writeFile(t, everyKey))
	for _, one := range every {
		if !one.Changed && one.Key != "api-token" && one.Key != "proxy-users" {
			t.Errorf("%s is as by default, and no test of this", one.Key)
		}
	}
	for name, all := range map[string][]shown{"every key": every, "none": settingsIn(t)} {
		text, err := settingsYAML(all)
		if err != nil {
			t.Fatal(err)
		}
		again := settingsIn(t, "--config", writeFile(t, string(text)))
		if !reflect.DeepEqual(values(again), values(all)) {
			t.Errorf("%s: %v\nis read again as %v\nfrom %s", name, values(all), values(again), text)
		}
		for _, one := range again {
			if one.Source != fromFile && !reflect.DeepEqual(one.Value, []string{}) &&
				!reflect.DeepEqual(one.Value, []map[string]any{}) {
				t.Errorf("%s: %s comes from %s", name, one.Key, one.Source)
			}
		}
	}
}

// TestConfigShowForm: the keys, and those that they are nested in, are those of the example; each stands
// on a line with what has set it.
func TestConfigShowForm(t *testing.T) {
	example, err := os.ReadFile("../config.example.yaml")
	if err != nil {
		t.Fatal(err)
	}
	text, err := settingsYAML(settingsIn(t))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := pathsIn(t, text), pathsIn(t, example); !slices.Equal(got, want) {
		t.Errorf("it has\n%v\nthe example\n%v", got, want)
	}
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "#") && !strings.HasSuffix(line, " # default\n") &&
			!strings.HasSuffix(line, ":\n") {
			t.Errorf("%q", line)
		}
	}
}

// pathsIn are the keys of a file, with those that they are nested in.
func pathsIn(t *testing.T, text []byte) (all []string) {
	t.Helper()
	var top map[string]any
	if err := yaml.Unmarshal(text, &top); err != nil {
		t.Fatal(err)
	}
	for key, value := range top {
		nested, is := value.(map[string]any)
		if !is {
			all = append(all, key)
		}
		for below := range nested {
			all = append(all, key+": "+below)
		}
	}
	slices.Sort(all)
	return all
}

// TestConfigShowSources: each setting says what has set it: flag, variable, line of the file, nothing.
func TestConfigShowSources(t *testing.T) {
	t.Setenv("WARCORDER_COLLECTION", "variable")
	t.Setenv("WARCORDER_LISTEN", "127.0.0.1:2")
	t.Setenv("WARCORDER_WARC_PREFIX", "") // which says nothing where the file says something
	file := writeFile(t, "collection: file\nlisten: 127.0.0.1:1\ntimeout:\n  idle: 7s\n  total:\n"+
		"warc-prefix: file\nclients: []\n")
	want := map[string]shown{
		"listen":        {Value: "127.0.0.1:3", Source: fromFlag, Changed: true},
		"sl":            {Value: false, Source: fromFlag, Changed: true},
		"collection":    {Value: "variable", Source: fromVariable, Variable: "WARCORDER_COLLECTION", Changed: true},
		"timeout-idle":  {Value: "7s", Source: fromFile, File: file, Line: 4, Changed: true},
		"warc-prefix":   {Value: "file", Source: fromFile, File: file, Line: 6, Changed: true},
		"timeout-total": {Value: "0s", Source: fromDefault},
		"clients":       {Value: []string{}, Source: fromDefault},
		"sync":          {Value: "batch", Source: fromDefault},
		"log":           {Value: "auto", Source: fromFlag},
	}
	for _, one := range settingsIn(t, "--config", file, "--listen", "127.0.0.1:3", "--no-sl", "--log", "auto") {
		if w, is := want[one.Key]; is {
			if w.Key = one.Key; !reflect.DeepEqual(one, w) {
				t.Errorf("%+v, want %+v", one, w)
			}
		}
	}
}

// TestConfigShowSecrets: no secret is shown, in no form, of no source; that one is there is; and what
// was shown is refused by a start.
func TestConfigShowSecrets(t *testing.T) {
	dir, file := t.TempDir(), writeFile(t, secrets)
	for _, args := range [][]string{nil, {"--json"}, {"--changed"}} {
		cmd := command(dir, append([]string{"config", "show", "--config", file}, args...)...)
		text, err := cmd.CombinedOutput()
		if err != nil || strings.Contains(string(text), "geheim") || strings.Contains(string(text), "$2a$") {
			t.Errorf("%v: %v: %s", args, err, text)
		}
		for _, want := range []string{`anna:***`, `bert:***`, `a=http://***@127.0.0.1:9 socks5://b:1`,
			`http://***@c:1`, `b=direct`, `http://***@a/cdx?key=***&url={url}`} {
			if !strings.Contains(string(text), want) {
				t.Errorf("%v: no %s in %s", args, want, text)
			}
		}
		if len(args) > 0 && args[0] == "--json" {
			continue
		}
		refused, err := command(dir, "record", "--listen", "127.0.0.1:0", "--config",
			writeFile(t, string(text))).CombinedOutput()
		if err == nil || !strings.Contains(string(refused), "has *** in it") {
			t.Errorf("what was shown is taken: %s", refused)
		}
	}
	for _, args := range [][]string{{"serve", "--api-token", mask}, {"replay", "--api-token", mask}} {
		if text, err := command(dir, args...).CombinedOutput(); err == nil ||
			!strings.Contains(string(text), "api-token has *** in it") {
			t.Errorf("%v: %s", args, text)
		}
	}
}

// TestMaskedURL: what is left of the URL of another archive.
func TestMaskedURL(t *testing.T) {
	for text, want := range map[string]string{
		"/a@b?c=d":                      "/a@b?c=d",
		"http://a/cdx":                  "http://a/cdx",
		"http://a":                      "http://a",
		"http://u:p@a":                  "http://***@a",
		"http://u:p@x@a:1/b@c":          "http://***@a:1/b@c",
		"http://a/?x=1&url={url}&y&z=":  "http://a/?x=***&url={url}&***&z=",
		"https://u@a/{url}?k=a=b&url=u": "https://***@a/{url}?k=***&url=***",
	} {
		if got := maskedURL(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// TestConfigShowRunning: a recorder tells with which settings it runs, to who has the token, whatever
// the file says by now.
func TestConfigShowRunning(t *testing.T) {
	file := writeFile(t, "log-level: warn\nmax-connections: 1234567\ndeny: [a.example]\n"+secrets)
	rec := startRecording(t, "--config", file, "--log", "json", "--dedup", "collection", "--upstream", "direct")
	if err := os.WriteFile(file, []byte("log-level: error\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	text, said, code := rec.run("config", "show", "--running", "--changed")
	for _, want := range []string{
		"log-level: warn # " + file + ": line 1\n",
		"max-connections: 1234567 # " + file + ": line 2\n",
		"upstream: [direct] # --upstream\n",
		"deny: [a.example] # " + file + ": line 3\n",
		"api-token: '***' # " + file + ": line 4\n",
		"ca-dir: " + filepath.Join(rec.dir, "ca") + " # WARCORDER_CA_DIR\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
	if code != 0 || said != "" || strings.Contains(text, "geheim") || strings.Contains(text, "max-body") {
		t.Errorf("exit status %d, %s, %s", code, said, text)
	}
	text, _, _ = rec.run("config", "show", "--running", "--json")
	var all []shown
	if err := json.Unmarshal([]byte(text), &all); err != nil || len(all) != len(configKeys(model(t))) {
		t.Errorf("%v: %s", err, text)
	}
	if code, _ := rec.status(configPath), 0; code != 401 {
		t.Errorf("without the token: %d", code)
	}
}
