package cmd

import (
	"encoding/json"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"warcorder/proxy/unused"
)

// placeKeys say where it listens, where its files lie, and what is replayed beside.
func placeKeys() []keyRow {
	return []keyRow{
		{key: "listen", shows: showListen},
		{key: "replay-listen", shows: showReplayListen},
		{key: "preview-listen", shows: showPreviewListen},
		{key: "debug-listen", shows: showDebugListen},
		{key: "replay-rules", shows: showReplayRules},
		{key: "clients", shows: showClients},
		{key: "proxy-users", shows: showProxyUsers},
		{key: "collection", shows: showCollection},
		{key: "dir", shows: showDir},
		{key: "ca-dir", shows: showCADir},
		{key: "ca-cert", shows: showCACert},
		{key: "ca-key", shows: showCAKey},
	}
}

func showListen(t *testing.T, b *keyBench) {
	address := unused.Address(t)
	r := b.record(t, "listen: "+address)
	if r.address != address {
		t.Errorf("it listens at %s, not at %s", r.address, address)
	}
	r.fetch(b.pages.URL+"/listen").wants(t, 200, "page /listen")
	if portOf(t, b.plain.address) == "0" { // its file says 127.0.0.1:0
		t.Errorf("it listens at %s", b.plain.address)
	}
	taken, err := net.Listen("tcp", "127.0.0.1:8080") // or somebody else has it, which is as well
	if err == nil {
		defer taken.Close()
	}
	home := t.TempDir()
	out, err := homeCommand(home, "record", "--config", writeFile(t, "")).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "127.0.0.1:8080: ") {
		t.Errorf("by default: %v: %s", err, out)
	}
}

func showReplayListen(t *testing.T, b *keyBench) {
	address := unused.Address(t)
	r := b.record(t, "replay-listen: "+address)
	r.fetch(b.pages.URL+"/recorded").wants(t, 200, "page /recorded")
	replay := keyClient(address, nil)
	askBy(replay, "GET", b.pages.URL+"/recorded", "").wants(t, 200, "page /recorded")
	askBy(replay, "GET", b.pages.URL+"/never", "").wants(t, 404, "")
	if len(r.indexed(t, "/never")) > 0 { // it was neither fetched nor recorded
		t.Error("what is missing was fetched")
	}
	var state struct{ Replay *struct{ Address string } }
	if r.state(t, &state); state.Replay == nil || state.Replay.Address != address {
		t.Errorf("%+v", state)
	}
	state.Replay = nil
	if b.plain.state(t, &state); state.Replay != nil {
		t.Errorf("by default it replays at %s", state.Replay.Address)
	}
}

func showPreviewListen(t *testing.T, b *keyBench) {
	address := unused.Address(t)
	r := b.record(t, "preview-listen: "+address)
	image := newGIFs(t).URL + "/a.gif"
	r.fetch(image).wants(t, 200, "GIF89a")
	r.settle(t)
	_, told, _ := strings.Cut(strings.Join(r.indexed(t, image), ""), " {")
	var line lineOf
	var x struct{ Preview struct{ Path string } }
	if err := json.Unmarshal([]byte("{"+told), &line); err != nil {
		t.Fatal(err)
	}
	text := r.own(t, "/live/exchange?file="+url.QueryEscape(line.Filename)+"&offset="+line.Offset)
	if err := json.Unmarshal([]byte(text), &x); err != nil {
		t.Fatal(err)
	}
	direct := keyClient("", nil)
	askBy(direct, "GET", "http://"+address+x.Preview.Path+"/image", "").wants(t, 200, gif)
	askBy(direct, "GET", "http://"+address+"/status", "").wants(t, 404, "")
	if _, body, _ := r.get(x.Preview.Path + "/image"); strings.Contains(body, "GIF89a") {
		t.Error("the image is shown beside all else")
	}
	var state struct{ Preview string }
	if b.plain.state(t, &state); !strings.HasPrefix(state.Preview, "127.0.0.1:") ||
		state.Preview == b.plain.address {
		t.Errorf("by default images are shown at %s", state.Preview)
	}
}

func showDebugListen(t *testing.T, b *keyBench) {
	address := unused.Address(t)
	r, direct := b.record(t, "debug-listen: "+address), keyClient("", nil)
	const path = "/debug/pprof/goroutine?debug=1"
	askBy(direct, "GET", "http://"+address+path, "").wants(t, 200, "goroutine profile: total ")
	askBy(direct, "GET", "http://"+r.address+path, "").wants(t, 404, "")
	if said := b.refused(t, "debug-listen: 0.0.0.0:0"); !strings.Contains(said, "debug-listen") {
		t.Errorf("%s", said)
	}
	var state struct{ Debug string }
	if r.state(t, &state); state.Debug != address {
		t.Errorf("/status says %q", state.Debug)
	}
	state.Debug = ""
	if b.plain.state(t, &state); state.Debug != "" {
		t.Errorf("by default it gives profiles at %s", state.Debug)
	}
	for _, command := range []string{"serve", "replay"} {
		line, err := parse(t, command, "--config", writeFile(t, "debug-listen: "+address))
		if err != nil || line.Serve.Debug+line.Replay.Debug != "" {
			t.Errorf("%s takes it from the file: %v", command, err)
		}
	}
}

func showReplayRules(t *testing.T, b *keyBench) {
	for rules, want := range map[string]int{
		"": 404,
		`replay-rules:
  - name: of-a-visit
    host: 127.0.0.1
    path: /api/*
    query: {visit: any}
    same:
      - ["http://127.0.0.1/api/x?visit=1&q=a", "http://127.0.0.1/api/x?visit=2&q=a"]
    differs:
      - ["http://127.0.0.1/api/x?visit=1&q=a", "http://127.0.0.1/api/x?visit=1&q=b"]
`: 200,
	} {
		address := unused.Address(t)
		r := b.record(t, rules+"\nreplay-listen: "+address)
		r.fetch(b.pages.URL+"/api/list?visit=summer&q=a").wants(t, 200, "page /api/list")
		replay := keyClient(address, nil)
		askBy(replay, "GET", b.pages.URL+"/api/list?visit=winter&q=a", "").wants(t, want, "")
		askBy(replay, "GET", b.pages.URL+"/api/list?visit=winter&q=b", "").wants(t, 404, "")
	}
}

// ownAddress is an address of this machine that is not on loopback; "" if it has none.
func ownAddress(t *testing.T) string {
	t.Helper()
	all, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range all {
		if network, ok := one.(*net.IPNet); ok && !network.IP.IsLoopback() && network.IP.To4() != nil {
			return network.IP.String()
		}
	}
	return ""
}

func showClients(t *testing.T, b *keyBench) {
	b.plain.fetch(b.pages.URL).wants(t, 200, "page")
	b.record(t, "clients: [192.0.2.0/28, 2001:db8::1]").fetch(b.pages.URL).wants(t, 403, "clients")
	for file, says := range map[string]string{
		"listen: 0.0.0.0:0":                            "set clients to their networks",
		"listen: 0.0.0.0:0\nclients: []":               "set clients to their networks",
		"listen: 127.0.0.1:0\nclients: [some.example]": "clients",
	} {
		if said := b.refused(t, file); !strings.Contains(said, says) {
			t.Errorf("%q: %s", file, said)
		}
	}
	own, users := ownAddress(t), "\nproxy-users: ["+someUser+"]"
	if own == "" {
		t.Log("this machine has loopback alone: nobody comes from another address")
		return
	}
	for file, want := range map[string]int{ // of who comes from another address than loopback's
		`clients: "@any"`:                        200,
		`clients: ["@loopback"]`:                 403,
		"clients: [2001:db8::/32, " + own + "]":  200,
		"clients: [2001:db8::1, " + own + "/31]": 200,
		"clients: 127.0.0.1" + users:             403,
		users:                                    407,
	} {
		r := b.record(t, file+"\nlisten: 0.0.0.0:0\nallow: 127.0.0.1")
		outside := keyClient(net.JoinHostPort(own, portOf(t, r.address)), nil)
		if got := askBy(outside, "GET", b.pages.URL, ""); got.status != want || got.err != nil {
			t.Errorf("%q: %d %v, want %d", file, got.status, got.err, want)
		}
	}
}

func showProxyUsers(t *testing.T, b *keyBench) {
	cmd := homeCommand(t.TempDir(), "password", "anna")
	cmd.Stdin = strings.NewReader("the word\n")
	printed, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, printed)
	}
	r := b.record(t, "proxy-users:\n- "+strings.TrimSpace(string(printed))+"\n- "+
		strings.Replace(someUser, "anna", "berta", 1))
	for user, want := range map[string]int{
		"": 407, "anna:the word": 200, "anna:another": 407, "carla:the word": 407, "berta:secret": 200,
	} {
		name, password, given := strings.Cut(user, ":")
		proxy := url.URL{Scheme: "http", Host: r.address, User: url.UserPassword(name, password)}
		client := keyClient(r.address, nil)
		if given {
			setProxy(client, &proxy)
		}
		if got := askBy(client, "GET", b.pages.URL+"/u", ""); got.err != nil || got.status != want {
			t.Errorf("%q: %d %v, want %d", user, got.status, got.err, want)
		}
	}
	b.plain.fetch(b.pages.URL+"/u").wants(t, 200, "page /u")
}

func showCollection(t *testing.T, b *keyBench) {
	r := recordAtHome(t, "listen: 127.0.0.1:0\ncollection: news", "collections/news")
	askBy(keyClient(r.address, nil), "GET", b.pages.URL, "").wants(t, 200, "")
	r.stop()
	if names, _ := filepath.Glob(filepath.Join(r.home, "collections", "*")); len(names) != 1 {
		t.Errorf("%v", names)
	}
	if filepath.Base(b.plain.dir) != "default" || len(b.plain.files(t, "")) != 1 {
		t.Errorf("by default it is %s", b.plain.dir)
	}
}

func showDir(t *testing.T, b *keyBench) {
	r := recordAtHome(t, "listen: 127.0.0.1:0\ndir: its/place", "its/place/default")
	r.stop()
	if names, _ := filepath.Glob(filepath.Join(r.home, "collections")); len(names) > 0 {
		t.Errorf("%v is made as well", names)
	}
	byDefault := recordAtHome(t, "listen: 127.0.0.1:0", "collections/default")
	byDefault.stop()
}

func showCADir(t *testing.T, b *keyBench) {
	r := recordAtHome(t, "listen: 127.0.0.1:0\nca-dir: roots", "collections/default")
	for _, name := range []string{"warcorder-ca.pem", "warcorder-ca.key"} {
		if !isThere(filepath.Join(r.home, "roots", "ca", name)) {
			t.Errorf("no %s", name)
		}
	}
	if made := rootsBelow(t, r.home); len(made) != 1 {
		t.Errorf("roots are in %v", made)
	}
	r = recordAtHome(t, "listen: 127.0.0.1:0", "collections/default")
	made := rootsBelow(t, r.home)
	if len(made) != 1 || !strings.HasSuffix(filepath.Dir(made[0]), filepath.FromSlash("/warcorder/ca")) {
		t.Errorf("by default roots are in %v", made)
	}
}

// rootsBelow are the root certificates in a directory.
func rootsBelow(t *testing.T, dir string) (found []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err == nil && entry.Name() == "warcorder-ca.pem" {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func showCACert(t *testing.T, b *keyBench) {
	root := newIssued(t, "the root", nil)
	middle := newIssued(t, "the middle", root)
	file := fmt.Sprintf("ca-cert: %s\nca-key: %s\ninsecure-upstream: true",
		inPEM(t, middle.pem, root.pem), inPEM(t, middle.key))
	r := b.record(t, file)
	secure := newSite(t).secure.URL + "/bytes/1"
	askBy(keyClient(r.address, root.pool()), "GET", secure, "").wants(t, 200, "")
	if got := askBy(keyClient(r.address, trustOf(t, b.ca)), "GET", secure, ""); got.err == nil {
		t.Error("the root of ca-dir signs as well")
	}
	if root := r.own(t, "/ca.pem"); root != string(middle.issuer.pem) {
		t.Errorf("what clients are given is %q", root)
	}
	home := recordAtHome(t, "listen: 127.0.0.1:0\n"+file, "collections/default")
	if made := rootsBelow(t, home.home); len(made) > 0 {
		t.Errorf("%v is made beside it", made)
	}
	if said := b.refused(t, strings.Split(file, "\n")[0]); !strings.Contains(said, "ca-key is not") {
		t.Errorf("the certificate alone: %s", said)
	}
}

func showCAKey(t *testing.T, b *keyBench) {
	root := newIssued(t, "the root", nil)
	others := inPEM(t, root.key)
	if err := os.Chmod(others, 0o644); err != nil {
		t.Fatal(err)
	}
	cert := "ca-cert: " + inPEM(t, root.pem)
	for says, key := range map[string]string{
		"is not the key of": inPEM(t, newIssued(t, "another", nil).key),
		"no private key":    inPEM(t, root.pem),
		"run chmod 600":     others,
	} {
		said := b.refused(t, cert+"\nca-key: "+key)
		if !strings.Contains(said, says) && (key != others || runtime.GOOS != "windows") {
			t.Errorf("%s, want %q", said, says)
		}
	}
	if said := b.refused(t, "ca-key: "+inPEM(t, root.key)); !strings.Contains(said, "ca-cert is not") {
		t.Errorf("the key alone: %s", said)
	}
	r := b.record(t, cert+"\nca-key: "+inPEM(t, root.key)+"\ninsecure-upstream: true")
	secure := newSite(t).secure.URL + "/bytes/1"
	askBy(keyClient(r.address, root.pool()), "GET", secure, "").wants(t, 200, "")
}
