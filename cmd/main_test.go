package cmd

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"warcorder/proxy"
	"warcorder/recorder"
	"warcorder/store/collection"
)

// TestMain lets the test binary be warcorder itself, so that tests run the real program as a
// process.
func TestMain(m *testing.M) {
	if os.Getenv("RUN_AS_WARCORDER") != "" {
		os.Exit(Main(os.Args[1:]))
	}
	os.Exit(m.Run())
}

// parse reads a command line as run does, without running it.
func parse(t *testing.T, args ...string) (*commandLine, error) {
	t.Helper()
	var line commandLine
	parser, err := newParser(&line)
	if err != nil {
		t.Fatal(err)
	}
	_, err = parser.Parse(args)
	return &line, err
}

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
	example.Config = plain.Config
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
		if _, ok := config.(fileConfig)[name]; !ok {
			t.Errorf("%s is not in the example", name)
		}
	}
}

func TestConfigErrors(t *testing.T) {
	for name, c := range map[string]struct{ file, want string }{
		"unknown key":        {"listen: 127.0.0.1:0\nlissen: x\n", `line 2: unknown key "lissen"`},
		"unknown nested key": {"timeout:\n  idle: 1s\n  ilde: 1s\n", `line 3: unknown key "timeout-ilde"`},
		"twice":              {"log: text\nlog: json\n", "log"},
		"twice, nested":      {"timeout: {idle: 1s}\ntimeout-idle: 2s\n", "line 2: timeout-idle is set twice"},
		"not a mapping":      {"- a\n", "line 1: expected key: value"},
		"two documents":      {"log: text\n---\nlisten: 127.0.0.1:1\n", "line 2: a second document"},
		"two, one empty":     {"log: text\n---\n", "a second document"},
		"not YAML, later":    {"log: text\n---\na: [\n", "yaml"},
		"not YAML":           {"a: [\n", "yaml"},
		"not a duration":     {"timeout:\n  idle: soon\n", "timeout-idle"},
		"not a size":         {"warc-max-size: big\n", "warc-max-size"},
		"not one of":         {"on-client-abort: maybe\n", "on-client-abort"},
		"command's own key":  {"out: x\n", `unknown key "out"`},
		"profile's own key":  {"keys:\n  profiles:\n  - {hosts: a}\n", "hosts"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := parse(t, "--config", writeFile(t, c.file)); err == nil ||
				!strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

// TestGapReasons: the table of doc/operating.md has every reason that --reason takes.
func TestGapReasons(t *testing.T) {
	page, err := os.ReadFile("../doc/operating.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, reason := range recorder.GapReasons {
		if !bytes.Contains(page, []byte("\n| `"+reason+"` | ")) {
			t.Errorf("doc/operating.md does not tell of %s", reason)
		}
		if line, err := parse(t, "gaps", "--reason", reason); err != nil || line.Gaps.Reason != reason {
			t.Errorf("%s: %v", reason, err)
		}
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
	for text, want := range map[string]string{"0666": "everybody", "384": "is no mode", "416": "owner", "rw": "is no mode", "0x180": "is no mode"} {
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

func TestHostLists(t *testing.T) {
	for _, c := range []struct {
		args []string
		want proxy.HostList
	}{
		{nil, proxy.HostList{}},
		{[]string{"--insecure-upstream"}, proxy.HostList{All: true}},
		{[]string{"--insecure-upstream", "--log", "json"}, proxy.HostList{All: true}},
		{[]string{"--insecure-upstream=false"}, proxy.HostList{}},
		{[]string{"--insecure-upstream=A.example,[::1]"}, proxy.HostList{Hosts: []string{"a.example", "::1"}}},
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

// TestListenNeedsAHost: an unset variable must not open the proxy to the network.
func TestListenNeedsAHost(t *testing.T) {
	for _, listen := range []string{"", ":8080", "8080"} {
		c := recordCommand{Listen: listen}
		if err := c.check(); err == nil || !strings.Contains(err.Error(), "--listen") {
			t.Errorf("%q: %v", listen, err)
		}
	}
	t.Setenv("WARCORDER_COLLECTION", "")
	line, err := parse(t, "--config",
		writeFile(t, "listen:\nkeys: {profiles: , extra: }\ncollection: file\n"))
	if err != nil {
		t.Fatal(err)
	}
	if line.Record.Listen != "127.0.0.1:8080" || line.Record.Collection != "file" {
		t.Errorf("listen %q, collection %q", line.Record.Listen, line.Record.Collection)
	}
}

func TestCollectionName(t *testing.T) {
	for _, name := range []string{"", "../x", "a/b", ".", "..", ".hidden"} {
		f := collectionFlags{Collection: name, Dir: "collections"}
		if path, err := f.path(); err == nil {
			t.Errorf("%q gives %q", name, path)
		}
	}
}

// program is a running warcorder.
type program struct {
	t       *testing.T
	cmd     *exec.Cmd
	stderr  *bytes.Buffer
	dir     string
	address string
	ended   chan error
}

// command returns a process of warcorder that keeps all it writes below dir.
func command(dir string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], append(args, "--dir", filepath.Join(dir, "collections"))...)
	cmd.Env = append(os.Environ(), "RUN_AS_WARCORDER=1", "WARCORDER_CA_DIR="+filepath.Join(dir, "ca"))
	return cmd
}

func startRecording(t *testing.T, args ...string) *program {
	t.Helper()
	dir := t.TempDir()
	p := &program{t: t, dir: dir, stderr: &bytes.Buffer{}, ended: make(chan error, 1)}
	p.cmd = command(
		dir,
		append([]string{"record", "--listen", "127.0.0.1:0", "--log", "json"}, args...)...)
	errors, err := p.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ready := make(chan struct{})
	go func() {
		in := bufio.NewReader(errors)
		for {
			line, err := in.ReadString('\n')
			p.stderr.WriteString(line)
			if strings.Contains(line, `"message":"recording"`) {
				close(ready)
			}
			if err != nil {
				break
			}
		}
		p.ended <- p.cmd.Wait()
	}()
	t.Cleanup(func() { p.cmd.Process.Kill() })
	select {
	case <-ready:
	case err := <-p.ended:
		t.Fatalf("%v: %s", err, p.stderr)
	}
	who, err := collection.Dir(filepath.Join(dir, "collections", "default")).Running()
	if err != nil {
		t.Fatal(err)
	}
	if who.PID != p.cmd.Process.Pid {
		t.Errorf("recorder.json says pid %d, it is %d", who.PID, p.cmd.Process.Pid)
	}
	p.address = who.Addresses[0]
	return p
}

// stop ends the program with a signal and returns its exit code.
func (p *program) stop() int {
	p.t.Helper()
	p.cmd.Process.Signal(syscall.SIGTERM)
	<-p.ended
	return p.cmd.ProcessState.ExitCode()
}

// fetch gets a URL through the proxy.
func (p *program) fetch(target string) string {
	p.t.Helper()
	client := http.Client{
		Transport: &http.Transport{Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: p.address})},
	}
	defer client.CloseIdleConnections()
	res, err := client.Get(target)
	if err != nil {
		p.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return string(body)
}

// run runs warcorder to its end.
func (p *program) run(args ...string) (stdout, stderr string, code int) {
	cmd := command(p.dir, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.Run()
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// TestRecordAndExport is the program's life: record, export meanwhile, refuse a second recorder,
// end, export again.
func TestRecordAndExport(t *testing.T) {
	origin := httptest.NewServer(
		http.HandlerFunc(
			func(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, "page %s", r.URL.Path) }),
	)
	defer origin.Close()
	p := startRecording(t)
	for i := range 20 {
		path := fmt.Sprintf("/%d", i)
		if got := p.fetch(origin.URL + path); got != "page "+path {
			t.Fatalf("%q", got)
		}
	}
	var while string
	for deadline := time.Now().Add(10 * time.Second); strings.Count(while, "\n") < 20; {
		if time.Now().After(deadline) {
			t.Fatalf("never 20 captures in the index:\n%s", while)
		}
		out, errs, code := p.run("export", "-o", "-")
		if code != 0 {
			t.Fatalf("export while recording: %s", errs)
		}
		if while = out; while != "" && !strings.Contains(errs, "not finished") {
			t.Errorf("export does not say that a file is still open: %q", errs)
		}
	}
	if res, err := http.Get("http://" + p.address + "/export?pid=1"); err != nil ||
		res.StatusCode != http.StatusConflict {
		t.Errorf("an export meant for another recorder: %v, %v", res, err)
	} else {
		res.Body.Close()
	}
	_, errs, code := p.run("record", "--listen", "127.0.0.1:0", "--log", "json")
	if code != 1 ||
		!strings.Contains(errs, fmt.Sprintf("process %d at %s", p.cmd.Process.Pid, p.address)) {
		t.Errorf("a second recorder: %d, %s", code, errs)
	}
	if code := p.stop(); code != 0 {
		t.Errorf("exit code %d: %s", code, p.stderr)
	}
	collection := filepath.Join(p.dir, "collections", "default")
	if open, _ := filepath.Glob(filepath.Join(collection, "archive", "*.open")); len(open) > 0 {
		t.Errorf("left open: %v", open)
	}
	if _, err := os.Stat(filepath.Join(collection, "recorder.json")); !os.IsNotExist(err) {
		t.Errorf("recorder.json is left: %v", err)
	}
	after, errs, code := p.run("export", "-o", "-")
	if code != 0 || after != while {
		t.Errorf("export after the end differs (%d, %s):\n%s\nwhile recording:\n%s", code, errs, after,
			while)
	}
	if _, errs, code := p.run("export"); code != 0 {
		t.Fatal(errs)
	}
	file, err := os.ReadFile(filepath.Join(collection, "indexes", "index.cdxj"))
	if err != nil || string(file) != after {
		t.Errorf("index.cdxj: %v\n%s", err, file)
	}
	checkLines(t, after, origin.URL)
}

// checkLines reads the lines as anybody else would.
func checkLines(t *testing.T, text, origin string) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if !slices.IsSorted(lines) {
		t.Error("not sorted")
	}
	for _, line := range lines {
		parts := strings.SplitN(line, " ", 3)
		var fields map[string]string
		if err := json.Unmarshal([]byte(parts[2]), &fields); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if len(parts[1]) != 14 || fields["status"] != "200" || fields["mime"] != "text/plain" ||
			!strings.HasPrefix(fields["url"], origin+"/") {
			t.Errorf("%s", line)
		}
	}
}

func TestExportSelects(t *testing.T) {
	origin := httptest.NewServer(http.NotFoundHandler())
	defer origin.Close()
	p := startRecording(t)
	for _, path := range []string{"/a", "/a/b", "/ab", "/c"} {
		p.fetch(origin.URL + path)
	}
	if code := p.stop(); code != 0 {
		t.Fatal(p.stderr)
	}
	for _, c := range []struct {
		args  []string
		lines int
	}{
		{nil, 4},
		{[]string{"--url", origin.URL + "/a"}, 1},
		{[]string{"--url", origin.URL + "/a", "--match", "prefix"}, 3},
		{[]string{"--url", origin.URL + "/x", "--match", "host"}, 4},
		{[]string{"--url", "http://other.example/", "--match", "domain"}, 0},
		{[]string{"--from", "2000", "--to", "2001"}, 0},
		{[]string{"--from", "2000", "--to", "2999"}, 4},
	} {
		out, errs, code := p.run(append([]string{"export", "-o", "-"}, c.args...)...)
		if n := strings.Count(out, "\n"); code != 0 || n != c.lines {
			t.Errorf("%v: %d lines, want %d (%s)", c.args, n, c.lines, errs)
		}
	}
	for want, args := range map[string][]string{
		"yesterday":              {"-o", "-", "--from", "yesterday"},
		"there is no collection": {"--collection", "nothing"},
		"--match":                {"-o", "-", "--match", "fuzzy"},
	} {
		if out, errs, code := p.run(append([]string{"export"}, args...)...); code == 0 || out != "" ||
			!strings.Contains(errs, want) {
			t.Errorf("%v: %d %q %q", args, code, out, errs)
		}
	}
}

// TestKeysOfACollection: bodies in the keys, other dialects, secondary keys and lookups, while
// recording and afterwards.
func TestKeysOfACollection(t *testing.T) {
	origin := httptest.NewServer(
		http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.Copy(w, r.Body) }))
	defer origin.Close()
	p := startRecording(t, "--keys-extra", "path,wwwoffle,form")
	client := http.Client{
		Transport: &http.Transport{Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: p.address})},
	}
	defer client.CloseIdleConnections()
	for _, body := range []string{`{"a":1.0}`, `{"a":2}`} {
		res, err := client.Post(origin.URL+"/form", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
	}
	p.fetch(origin.URL + "/a%7Eb?x=%41;y=2")
	host := strings.TrimPrefix(origin.URL, "http://")
	check := func(when string) {
		t.Helper()
		for _, c := range []struct {
			args  []string
			lines int
			want  string
		}{
			{[]string{"export", "-o", "-"}, 3, `"requestBody":"a=2"`},
			{[]string{"export", "-o", "-", "--dialect", "spec"}, 3, "__wb_method=post"},
			{[]string{"export", "-o", "-", "--dialect", "warciojs"}, 3, "__wb_method=post"},
			{[]string{"export", "-o", "-", "--key", "path"}, 3, "http://" + host + "/a~b?x=%41;y=2 "},
			{[]string{"export", "-o", "-", "--key", "path", "--url", origin.URL + "/%61~b?x=%41;y=2"}, 1, "http://" + host + "/a~b?x=%41;y=2 "},
			{[]string{"export", "-o", "-", "--key", "form"}, 1, "x=A&y=2 "},
			{[]string{"lookup", origin.URL + "/%61~b?x=%41;y=2", "--key", "path"}, 1, "/a~b?x=%41;y=2 "},
			{[]string{"lookup", origin.URL + "/%61~b?x=A;y=2", "--key", "wwwoffle"}, 1, "/a~b?x=A;y=2 "},
			{[]string{"lookup", "http://elsewhere.example/?x=A&y=2", "--key", "form"}, 1, "x=A&y=2 "},
			{[]string{"lookup", strings.Replace(origin.URL, "//", "//user:secret@", 1) + "/a~b?x=%41;y=2#part", "--key", "path"}, 1, "/a~b?x=%41;y=2 "},
			{[]string{"lookup", origin.URL + "/form"}, 0, ""},
			{[]string{"lookup", origin.URL + "/form", "--method", "POST", "--content-type", "application/json", "--body", writeFile(t, `{"a":1}`)}, 1, `"requestBody":"a=1"`},
		} {
			out, errs, code := p.run(c.args...)
			if code != 0 || strings.Count(out, "\n") != c.lines || !strings.Contains(out, c.want) {
				t.Errorf("%s: %v: %d, want %d lines with %q\n%s%s", when, c.args, code, c.lines, c.want, out,
					errs)
			}
			if lines := strings.Split(out, "\n"); !slices.IsSorted(lines[:len(lines)-1]) {
				t.Errorf("%s: %v: not sorted", when, c.args)
			}
		}
	}
	for deadline := time.Now().Add(10 * time.Second); ; {
		if out, _, _ := p.run("export", "-o", "-"); strings.Count(out, "\n") == 3 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("never 3 captures in the index")
		}
	}
	if out, errs, code := p.run("lookup", "http://nowhere.example/", "--key", "form"); code != 1 ||
		out != "" || !strings.Contains(errs, "no key") {
		t.Errorf("a URL without that key: %d %q %q", code, out, errs)
	}
	check("while recording")
	if code := p.stop(); code != 0 {
		t.Fatal(p.stderr)
	}
	check("afterwards")
}

// TestIndexCommand adds files of another tool to a collection, also while it is being recorded,
// which is refused.
func TestIndexCommand(t *testing.T) {
	record := "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: <http://example.com/%s>\r\n" +
		"WARC-Date: 2026-11-21T12:00:00Z\r\nContent-Length: 19\r\n\r\nHTTP/1.1 200 OK\r\n\r\n\r\n\r\n"
	from := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(from, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := file("good.warc", fmt.Sprintf(record, "a")+fmt.Sprintf(record, "b"))
	damaged := file("damaged.warc", fmt.Sprintf(record, "c")+"garbage")
	p := startRecording(t)
	if _, errs, code := p.run("index", good); code != 1 ||
		!strings.Contains(errs, "already being recorded by process") {
		t.Errorf("while recording: %d %q", code, errs)
	}
	p.stop()
	for _, test := range []struct {
		args []string
		out  string
		errs string
		code int
		all  int
	}{
		{[]string{good}, "good.warc: 2 captures\n", "", 0, 2},
		{[]string{good}, "good.warc: is in the index already\n", "", 0, 2},
		{[]string{good, damaged}, "good.warc: is in the index already\ndamaged.warc: 1 capture\n" +
			"damaged.warc:150: 7 bytes passed over: no WARC record begins here\n", "1 finding", 1, 3},
		{[]string{file("old.warc", "warc/0.9 1")}, "", "warcorder import --from-format 0.9", 1, 3},
		{nil, "", "<file>", 1, 3},
	} {
		out, errs, code := p.run(append([]string{"index", "--keys-extra", "path"}, test.args...)...)
		if out != test.out || !strings.Contains(errs, test.errs) || code != test.code {
			t.Errorf("%v: %d %q %q, want %d %q %q", test.args, code, out, errs, test.code, test.out,
				test.errs)
		}
		for _, key := range []string{"url", "path"} {
			if lines, errs, code := p.run("export", "-o", "-", "--key", key); code != 0 ||
				strings.Count(lines, "\n") != test.all {
				t.Errorf("%v: by %s, want %d lines: %d\n%s%s", test.args, key, test.all, code, lines, errs)
			}
		}
	}
}

func TestKeyCommand(t *testing.T) {
	cmd := exec.Command(
		os.Args[0],
		"key",
		"http://www.Example.com/A?b=%26",
		"--method",
		"POST",
		"--content-type",
		"application/json",
		"--body",
		"-",
	)
	cmd.Env = append(os.Environ(), "RUN_AS_WARCORDER=1")
	cmd.Stdin = strings.NewReader(`{"x":[1,2.0]}`)
	out, err := cmd.CombinedOutput()
	want := "urlkey\tcom,example)/a?&__wb_method=post&b=&x=1&x.2_=2\n" +
		"url\thttp://www.Example.com/A?b=%26&__wb_method=POST&x=1&x.2_=2\n" +
		"request_body\tx=1&x.2_=2\nsurt\tcom,example)/a?&b=\npath\t/A\n" +
		"wwwoffle\thttp://www.example.com/A?b=%26\n" +
		"wwwoffle_userinfo\thttp://www.example.com/A?b=%26\nform\t%7B%22x%22%3A%5B1%2C2.0%5D%7D\n"
	if err != nil || string(out) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, out, want)
	}
	cmd = exec.Command(os.Args[0], "key", "--jsonl")
	cmd.Env = append(os.Environ(), "RUN_AS_WARCORDER=1")
	cmd.Stdin = strings.NewReader(
		"{\"id\":1,\"url\":\"http://a/\"}\n{\"id\":2,\"url\":\"http://b/\"}\n",
	)
	if out, err := cmd.CombinedOutput(); err != nil || strings.Count(string(out), "\n") != 2 ||
		!strings.Contains(string(out), `{"id":2,"urlkey":"b)/"`) {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestSecondSignal ends at once what the first one lets finish.
func TestSecondSignal(t *testing.T) {
	asked := make(chan struct{})
	release := make(chan struct{})
	origin := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		close(asked)
		<-release
	}))
	defer origin.Close()
	defer close(release)
	p := startRecording(t, "--shutdown-timeout", "1h")
	conn, err := net.Dial("tcp", p.address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "GET %s/ HTTP/1.1\r\nHost: a\r\n\r\n", origin.URL)
	<-asked
	p.cmd.Process.Signal(syscall.SIGTERM)
	for { // the first signal has been taken when it accepts no longer
		probe, err := net.Dial("tcp", p.address)
		if err != nil {
			break
		}
		probe.Close()
	}
	if code := p.stop(); code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
}

func TestCA(t *testing.T) {
	p := &program{t: t, dir: t.TempDir()}
	run := func(args ...string) string {
		cmd := exec.Command(os.Args[0], args...)
		cmd.Env = append(os.Environ(), "RUN_AS_WARCORDER=1",
			"WARCORDER_CA_DIR="+filepath.Join(p.dir, "ca"))
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		return string(out)
	}
	pem := run("ca")
	if !strings.HasPrefix(pem, "-----BEGIN CERTIFICATE-----") || strings.Contains(pem, "PRIVATE") {
		t.Errorf("%s", pem)
	}
	if again := run("ca"); again != pem {
		t.Error("another certificate the second time")
	}
	for file := range strings.Lines(run("ca", "--out", filepath.Join(p.dir, "out"))) {
		if b, err := os.ReadFile(strings.TrimSpace(file)); err != nil || len(b) == 0 ||
			bytes.Contains(b, []byte("PRIVATE")) {
			t.Errorf("%s: %v", file, err)
		}
	}
	if !strings.Contains(run("version"), "warcorder "+version) {
		t.Error("version")
	}
}

// TestTrustCommand: the line is one command that a shell takes as it stands, whatever the path.
func TestTrustCommand(t *testing.T) {
	file := "/home/o'neil/$(date) \"x\"/ca.pem"
	line := trustCommand("linux", "warcorder CA here", file)
	home := t.TempDir()
	certutil := filepath.Join(home, "certutil")
	if err := os.WriteFile(certutil, []byte("#!/bin/sh\nprintf '%s\\n' \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	shell := exec.Command("sh", "-c", line)
	shell.Env = []string{"HOME=" + home, "PATH=" + home + ":" + os.Getenv("PATH")}
	out, err := shell.CombinedOutput()
	want := "-d\nsql:" + home + "/.pki/nssdb\n-A\n-t\nC,,\n-n\nwarcorder CA here\n-i\n" + file + "\n"
	if err != nil || string(out) != want {
		t.Errorf("%s: %v\n%s", line, err, out)
	}
	if _, err := os.Stat(filepath.Join(home, ".pki/nssdb")); err != nil {
		t.Errorf("on a fresh home: %v", err)
	}
}

// TestEveryFlagHasHelp: --help is the first thing that a newcomer reads.
func TestEveryFlagHasHelp(t *testing.T) {
	var line commandLine
	parser, err := newParser(&line)
	if err != nil {
		t.Fatal(err)
	}
	var walk func(node *kong.Node)
	walk = func(node *kong.Node) {
		for _, flag := range node.Flags {
			if flag.Help == "" {
				t.Errorf("%s --%s", node.FullPath(), flag.Name)
			}
		}
		for _, child := range node.Children {
			walk(child)
		}
	}
	walk(parser.Model.Node)
}

// TestDedupFlags: off and false, which YAML takes for more than text, arrive as they are written;
// so do nested keys of the warcinfo record.
func TestDedupFlags(t *testing.T) {
	file := writeFile(t,
		"dedup: off\ndedup-for: 24h\nsl: false\nwarcinfo:\n  operator: The Operator\n  is-part-of: x\n")
	for _, args := range [][]string{
		{"--config", file},
		{"--dedup=off", "--dedup-for=24h", "--no-sl", "--warcinfo-operator=The Operator", "--warcinfo-is-part-of=x"},
		{"--dedup=off", "--dedup-for=24h", "--sl=false", "--warcinfo-operator=The Operator", "--warcinfo-is-part-of=x"},
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
