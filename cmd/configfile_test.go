package cmd

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"warcorder/proxy"
	"warcorder/proxy/hosts"
)

func writeFile(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestExampleConfig: the example holds every key there is, each with its default.
func TestExampleConfig(t *testing.T) {
	example, err := parse(t, "--config", "../config.example.yaml")
	if err != nil {
		t.Fatal(err)
	}
	plain, err := parse(t)
	if err != nil {
		t.Fatal(err)
	}
	example.Config, example.file = plain.Config, plain.file
	if !reflect.DeepEqual(example, plain) {
		t.Errorf("the example sets\n%+v\nthe defaults are\n%+v", example, plain)
	}
	text, err := os.ReadFile("../config.example.yaml")
	if err != nil {
		t.Fatal(err)
	}
	config, err := readConfig(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	var line commandLine
	parser, err := newParser(&line)
	if err != nil {
		t.Fatal(err)
	}
	for name := range configKeys(parser.Model) {
		if _, ok := config[name]; !ok {
			t.Errorf("%s is not in the example", name)
		}
	}
}

func TestConfigErrors(t *testing.T) {
	for name, c := range map[string]struct{ file, want string }{
		"unknown key": {"listen: 127.0.0.1:0\nlissen: x\n",
			`config.yaml: line 2: unknown key "lissen": did you mean listen?`},
		"unknown nested key": {"timeout:\n  idle: 1s\n  ilde: 1s\n",
			`line 3: unknown key "timeout-ilde": did you mean timeout-idle?`},
		"one that none is near": {"colour: x\n", `line 1: unknown key "colour"; config.example.yaml`},
		"twice":                 {"log: text\nlog: json\n", "log"},
		"twice, nested": {"timeout: {idle: 1s}\ntimeout-idle: 2s\n",
			"line 2: timeout-idle is set twice"},
		"not a mapping":        {"- a\n", "line 1: expected key: value"},
		"two documents":        {"log: text\n---\nlisten: 127.0.0.1:1\n", "line 2: a second document"},
		"two, one empty":       {"log: text\n---\n", "a second document"},
		"not YAML, later":      {"log: text\n---\na: [\n", "yaml"},
		"not YAML":             {"a: [\n", "yaml"},
		"a word, bare":         {"clients: @loopback\n", `a value that begins with @ or *`},
		"a pattern, bare":      {"deny:\n- *.example.org\n", `line 2: did not find`},
		"the same, what to do": {"deny:\n- *.example.org\n", `a value that begins with @ or *`},
		"a name, bare":         {"deny: [*a]\n", `a value that begins with @ or *`},
		"a blank in a user":    {"proxy-users:\n- anna: x\n", `line 1: proxy-users: a list may hold plain`},
		"not a duration":       {"timeout:\n  idle: soon\n", "--timeout-idle: FILE: line 2: "},
		"not a size":           {"\nwarc-max-size: big\n", "--warc-max-size: FILE: line 2: "},
		"not one of": {"on-client-abort: maybe\n",
			`--on-client-abort: FILE: line 1: "maybe" is not one of cut, finish`},
		"not a host":            {"log: text\nno-record: [a, \"b:1\"]\n", "--no-record: FILE: line 2: "},
		"not a number":          {"max-connections: many\n", "--max-connections: FILE: line 1: "},
		"neither yes nor no":    {"sl: maybe\n", "--sl: FILE: line 1: "},
		"command's own key":     {"out: x\n", `unknown key "out"`},
		"certificate's own key": {"client-certs:\n- {host: a, cert: b, pin: c}\n", "pin"},
		"profile's own key":     {"keys:\n  profiles:\n  - {hosts: a}\n", "hosts"},
	} {
		t.Run(name, func(t *testing.T) {
			file := writeFile(t, c.file)
			want := strings.Replace(c.want, "FILE", file, 1)
			if _, err := parse(t, "--config", file); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %q", err, want)
			}
		})
	}
}

// TestArchiveMode: a mode is octal, however YAML would read it.
func TestArchiveMode(t *testing.T) {
	for _, text := range []string{"0640", `"0640"`, "640", "0o640", `'640'`} {
		line, err := parse(t, "--config", writeFile(t, "archive-mode: "+text+"\n"))
		if err != nil || line.Record.Recorder.Mode != 0o640 {
			t.Errorf("%s: %o, %v", text, line.Record.Recorder.Mode, err)
		}
	}
	for text, want := range map[string]string{
		"0666": "everybody", "384": "is no mode", "416": "owner", "rw": "is no mode",
		"0x180": "is no mode",
	} {
		if _, err := parse(t, "--config", writeFile(t, "archive-mode: "+text+"\n")); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	t.Setenv("WARCORDER_ARCHIVE_MODE", "0660")
	if line, err := parse(t, "record"); err != nil || line.Record.Recorder.Mode != 0o660 {
		t.Errorf("%v", err)
	}
	if line, err := parse(t, "recover", "--archive-mode", "0664"); err != nil ||
		line.Recover.Recorder.Mode != 0o664 {
		t.Errorf("%v", err)
	}
}

// TestPrecedence: flags over environment over file over defaults.
func TestPrecedence(t *testing.T) {
	file := writeFile(t,
		"keys:\n  extra: [path, form]\n  profiles:\n  - {name: ours, host: a.example, decode: [3A, "+
			"21]}\ncollection: file\nlisten: 127.0.0.1:1\nwarc-prefix: file\ninsecure-upstream: "+
			"[a.example, b.example]\ntimeout:\n  idle: 7s\n")
	t.Setenv("WARCORDER_COLLECTION", "environment")
	t.Setenv("WARCORDER_LISTEN", "127.0.0.1:2")
	line, err := parse(t, "--config", file, "--listen", "127.0.0.1:3")
	if err != nil {
		t.Fatal(err)
	}
	r := &line.Record
	if r.Listen != "127.0.0.1:3" || r.Collection != "environment" || r.Recorder.WARCPrefix != "file" ||
		r.Proxy.OnClientAbort != "cut" {
		t.Errorf("listen %q, collection %q, prefix %q, on-client-abort %q", r.Listen, r.Collection,
			r.Recorder.WARCPrefix, r.Proxy.OnClientAbort)
	}
	if rules := r.Recorder.Keys.Profiles; len(rules) != 1 ||
		!slices.Equal(rules[0].Decode, []string{"3A", "21"}) || len(r.Recorder.Keys.Extra) != 2 {
		t.Errorf("keys: %+v", r.Recorder.Keys)
	}
	if r.Proxy.Timeout.Idle != 7*time.Second ||
		!slices.Equal(r.Proxy.InsecureUpstream.Hosts, []string{"a.example", "b.example"}) {
		t.Errorf("timeout-idle %v, insecure-upstream %v", r.Proxy.Timeout.Idle, r.Proxy.InsecureUpstream)
	}
}

// TestClientCertsInFile: they are a list of mappings, which no flag could be.
func TestClientCertsInFile(t *testing.T) {
	line, err := parse(t, "--config", writeFile(t,
		"client-certs:\n- {host: a.example, cert: a.pem}\n- {host: \"*.b.example\", cert: b.pem, key: b.key}\n"))
	want := []proxy.ClientCert{{Host: "a.example", Cert: "a.pem"},
		{Host: "*.b.example", Cert: "b.pem", Key: "b.key"}}
	if err != nil || !slices.Equal(line.Record.Proxy.config().ClientCerts, want) {
		t.Errorf("%+v, %v", line.Record.Proxy.ClientCerts, err)
	}
}

// TestCodings: what origins may be asked for, as a list in the file and on the command line; what
// is not known is refused with what is.
func TestCodings(t *testing.T) {
	for want, args := range map[string][]string{
		"gzip,deflate,br": nil,
		"any":             {"--codings", "any"},
		"gzip,zstd":       {"--config", writeFile(t, "codings: [gzip, ZSTD]\n")},
		"identity":        {"--config", writeFile(t, "codings: identity\n")},
		"br":              {"--config", writeFile(t, "codings: any\n"), "--codings=br"},
	} {
		line, err := parse(t, args...)
		if err != nil || line.Record.Proxy.Codings.String() != want {
			t.Errorf("%q: %q, %v", args, line.Record.Proxy.Codings.String(), err)
		}
	}
	for _, file := range []string{"codings: brotli\n", "codings: [gzip, \"*\"]\n",
		"codings: []\n"} {
		if _, err := parse(t, "--config", writeFile(t, file)); err == nil ||
			!strings.Contains(err.Error(), "codings") || !strings.Contains(err.Error(), "zstd, identity for") {
			t.Errorf("%q: %v", file, err)
		}
	}
}

func TestHostLists(t *testing.T) {
	for _, c := range []struct {
		args []string
		want hosts.List
	}{
		{nil, hosts.List{}},
		{[]string{"--insecure-upstream"}, hosts.List{All: true}},
		{[]string{"--insecure-upstream", "--log", "json"}, hosts.List{All: true}},
		{[]string{"--insecure-upstream=false"}, hosts.List{}},
		{[]string{"--insecure-upstream=A.example,[::1]"},
			hosts.List{Hosts: []string{"a.example", "::1"}}},
	} {
		line, err := parse(t, c.args...)
		if err != nil || !reflect.DeepEqual(line.Record.Proxy.InsecureUpstream, c.want) {
			t.Errorf("%v: %+v, %v", c.args, line.Record.Proxy.InsecureUpstream, err)
		}
	}
	line, err := parse(t, "--no-record", "A.example,*.b.example")
	if want := []string{"a.example", "*.b.example"}; err != nil ||
		!slices.Equal(line.Record.Proxy.NoRecord.Hosts, want) {
		t.Errorf("--no-record: %+v, %v", line.Record.Proxy.NoRecord, err)
	}
	line, err = parse(t, "--no-record", "a.example", "--no-record=b.example,c.example")
	if want := []string{"a.example", "b.example", "c.example"}; err != nil ||
		!slices.Equal(line.Record.Proxy.NoRecord.Hosts, want) {
		t.Errorf("--no-record twice: %+v, %v", line.Record.Proxy.NoRecord, err)
	}
	line, err = parse(t, "--no-record", "a.example", "--no-record=false", "--no-record=b.example")
	if want := []string{"b.example"}; err != nil ||
		!slices.Equal(line.Record.Proxy.NoRecord.Hosts, want) {
		t.Errorf("--no-record=false between two: %+v, %v", line.Record.Proxy.NoRecord, err)
	}
	line, err = parse(t, "--no-record", "@browser-chatter", "--no-record=b.example")
	if want := []string{"@browser-chatter", "b.example"}; err != nil ||
		!slices.Equal(line.Record.Proxy.NoRecord.Hosts, want) {
		t.Errorf("--no-record with a word: %+v, %v", line.Record.Proxy.NoRecord, err)
	}
	if _, err := parse(t, "--no-record=@browsers"); err == nil ||
		!strings.Contains(err.Error(), "@browser-chatter") {
		t.Errorf("a word that there is not: %v", err)
	}
	if _, err := parse(t, "--no-record"); err == nil ||
		!strings.Contains(err.Error(), "say which hosts") {
		t.Errorf("--no-record stands alone: %v", err)
	}
	if _, err := parse(t, "--no-record=bank.example:8443"); err == nil ||
		!strings.Contains(err.Error(), "without scheme and port") {
		t.Errorf("a port: %v", err)
	}
	t.Setenv("WARCORDER_NO_RECORD", "environment.example")
	line, err = parse(t, "--config", writeFile(t, "no-record: [file.example]\n"), "--no-record",
		"a.example")
	if want := []string{"a.example"}; err != nil ||
		!slices.Equal(line.Record.Proxy.NoRecord.Hosts, want) {
		t.Errorf("--no-record over the environment over the file: %+v, %v", line.Record.Proxy.NoRecord,
			err)
	}
	line, err = parse(t, "--config", writeFile(t, "no-record: [file.example]\n"))
	if want := []string{"environment.example"}; err != nil ||
		!slices.Equal(line.Record.Proxy.NoRecord.Hosts, want) {
		t.Errorf("the environment over the file: %+v, %v", line.Record.Proxy.NoRecord, err)
	}
	os.Unsetenv("WARCORDER_NO_RECORD")
	line, err = parse(t, "--config", writeFile(t, "no-record: [\"*\"]\n"))
	if err != nil || !line.Record.Proxy.NoRecord.All {
		t.Errorf("no-record: [\"*\"]: %+v, %v", line.Record.Proxy.NoRecord, err)
	}
	if _, err := parse(t, "--insecure-upstream=https://a.example/"); err == nil ||
		!strings.Contains(err.Error(), "without scheme") {
		t.Errorf("a URL: %v", err)
	}
}

// TestReachFlags: where the proxy may go, from each place that a setting may stand in, and what
// cannot be meant.
func TestReachFlags(t *testing.T) {
	file := writeFile(t, "deny: [\"*\", \"@private\"]\nallow: a.example\nresolver: [192.0.2.53, "+
		"\"[::1]:5353\"]\nsource-address: 127.0.0.1\n")
	line, err := parse(t, "--config", file, "--allow=10.0.0.0/8", "--allow", "B.example,@link-local")
	if err != nil {
		t.Fatal(err)
	}
	p := line.Record.Proxy
	if p.Deny.String() != "*,@private" || p.Allow.String() != "10.0.0.0/8,b.example,@link-local" ||
		p.Resolver.String() != "192.0.2.53:53,[::1]:5353" || p.SourceAddress.String() != "127.0.0.1" {
		t.Errorf("%v, %v, %v, %v", p.Deny, p.Allow, p.Resolver, p.SourceAddress)
	}
	t.Setenv("WARCORDER_DENY", "c.example")
	line, err = parse(t, "--config", file, "--allow=a.example", "--allow=")
	if p := line.Record.Proxy; err != nil || p.Deny.String() != "c.example" || !p.Allow.IsEmpty() {
		t.Errorf("%v, %v, %v", p.Deny, p.Allow, err)
	}
	os.Unsetenv("WARCORDER_DENY")
	for _, c := range [][]string{
		{"--deny=http://a.example/", "without scheme"},
		{"--deny=a.example:80", "without scheme"},
		{"--allow=127.1", "neither a host nor a network"},
		{"--allow=192.0.2.0/33", "neither a host nor a network"},
		{"--resolver=dns.example", "give its address"},
		{"--resolver=192.0.2.53:0", "give its address"},
		{"--source-address=192.0.2.1,192.0.2.2", "one of IPv4 and one of IPv6"},
		{"--source-address=eth0", "one of IPv4 and one of IPv6"},
	} {
		if _, err := parse(t, c[0]); err == nil || !strings.Contains(err.Error(), c[1]) {
			t.Errorf("%s: %v", c[0], err)
		}
	}
	line, err = parse(t, "--source-address", "192.0.2.1")
	if err != nil {
		t.Fatal(err)
	}
	line.Record.listenOn(line.Record.Listen)
	if err := line.Record.check(); err == nil || !strings.Contains(err.Error(), "source-address 192.0.2.1") {
		t.Errorf("an address that the machine does not have: %v", err)
	}
}

// TestDedupFlags: off and false, which YAML takes for more than text, arrive as they are written;
// so do nested keys of the warcinfo record.
func TestDedupFlags(t *testing.T) {
	file := writeFile(t,
		"dedup: off\ndedup-for: 24h\nsl: false\nwarcinfo:\n  operator: The Operator\n  is-part-of: x\n")
	for _, args := range [][]string{
		{"--config", file},
		{"--dedup=off", "--dedup-for=24h", "--no-sl",
			"--warcinfo-operator=The Operator", "--warcinfo-is-part-of=x"},
		{"--dedup=off", "--dedup-for=24h", "--sl=false",
			"--warcinfo-operator=The Operator", "--warcinfo-is-part-of=x"},
	} {
		line, err := parse(t, args...)
		if err != nil {
			t.Fatal(err)
		}
		r := line.Record.Recorder
		if r.Dedup.Dedup != "off" || r.Dedup.DedupFor != 24*time.Hour || r.Dedup.MinSize != 1024 ||
			r.SL || !r.config().NoSL || r.WARCInfo.Operator != "The Operator" || r.WARCInfo.IsPartOf != "x" {
			t.Errorf("%q: %+v", args, r)
		}
	}
	if _, err := parse(t, "--dedup=on"); err == nil {
		t.Error("--dedup=on is taken")
	}
}
