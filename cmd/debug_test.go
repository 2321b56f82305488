package cmd

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// debugAddress is where a recorder gives profiles.
func (p *program) debugAddress() string {
	_, rest, _ := strings.Cut(p.page("/status"), `"debug": "`)
	address, _, _ := strings.Cut(rest, `"`)
	if address == "" {
		p.t.Fatalf("/status names no address of profiles: %s", p.page("/status"))
	}
	return address
}

// TestProfiles: go tool pprof takes profiles of a recorder under load, in which the functions of proxy
// and recorder stand; the address is a free port, which the log names at any level.
func TestProfiles(t *testing.T) {
	site := newSite(t)
	rec := startRecording(t, "--debug-listen", "127.0.0.1:0", "--log-level", "error")
	address := rec.debugAddress()
	at := "http://" + address + "/debug/pprof/"
	done := make(chan bool)
	var load sync.WaitGroup
	for range 4 {
		load.Go(func() { rec.ask(site.plain.URL+"/text/%d/20000", done) })
	}
	for _, c := range []struct{ name, profile string }{
		{"cpu", "profile?seconds=1"},
		{"heap", "heap"},
		{"allocs", "allocs"},
		{"goroutine", "goroutine"},
	} {
		t.Run(c.name, func(t *testing.T) {
			args := []string{"tool", "pprof", "-top", "-cum", "-nodecount", "100000", "-nodefraction", "0"}
			if c.name == "heap" { // what is in use may be little
				args = append(args, "-sample_index", "alloc_space")
			}
			eventually(t, "both are in the profile", func() bool { // of one second there may be few samples
				top := exec.Command("go", append(args, at+c.profile)...)
				top.Env = append(os.Environ(), "PPROF_TMPDIR="+t.TempDir())
				said, err := top.CombinedOutput()
				if err != nil {
					t.Fatalf("%v: %s", err, said)
				}
				got := string(said)
				return strings.Contains(got, "warcorder/proxy.") && strings.Contains(got, "warcorder/recorder.")
			})
		})
	}
	close(done)
	load.Wait()
	rec.stop()
	if _, err := http.Get(at); err == nil {
		t.Error("profiles are given although the recorder has ended")
	}
	if log := rec.stderr.String(); !strings.Contains(log, `"address":"`+address+`","path":"/debug/pprof/"`) {
		t.Errorf("the log does not name %s: %s", address, log)
	}
}

// ask fetches through the recorder, one page after the other, until done is closed.
func (p *program) ask(pattern string, done <-chan bool) {
	client := p.client()
	defer client.CloseIdleConnections()
	for i := 0; ; i++ {
		select {
		case <-done:
			return
		default:
		}
		res, err := client.Get(fmt.Sprintf(pattern, i))
		if err != nil {
			p.t.Error(err)
			return
		}
		io.Copy(io.Discard, res.Body)
		res.Body.Close()
	}
}

// client is one that goes through the recorder.
func (p *program) client() *http.Client {
	proxy := http.ProxyURL(&url.URL{Scheme: "http", Host: p.address})
	return &http.Client{Transport: &http.Transport{Proxy: proxy}, Timeout: patience}
}

// TestProfilesForWhom: programs of this machine alone get profiles, by its names of loopback; no page of
// another site does, nobody through the proxy, and nobody at the proxy's own address.
func TestProfilesForWhom(t *testing.T) {
	rec := startRecording(t, "--debug-listen", "127.0.0.1:0", "--clients", "@any")
	at := rec.debugAddress()
	_, port, _ := strings.Cut(at, ":")
	for _, c := range []struct {
		name, method, path, host string
		header                   map[string]string
		want                     int
	}{
		{"a program", "GET", "heap", at, nil, 200},
		{"what there is", "GET", "", at, nil, 200},
		{"by name", "GET", "goroutine", "localhost:" + port, nil, 200},
		{"a person", "GET", "", at, map[string]string{"Sec-Fetch-Site": "none"}, 200},
		{"another site's script", "GET", "heap", at, map[string]string{"Origin": "http://evil.example"}, 403},
		{"another port's script", "GET", "heap", at, map[string]string{"Origin": "http://" + rec.address}, 403},
		{"another site's image", "GET", "heap", at, map[string]string{"Sec-Fetch-Site": "cross-site"}, 403},
		{"a link on another site", "GET", "heap", at, map[string]string{"Referer": "http://evil.example/"}, 403},
		{"a browser that does not say", "GET", "heap", at, map[string]string{"User-Agent": "Mozilla/5.0"}, 403},
		{"a name that leads here", "GET", "heap", "evil.example:" + port, nil, 421},
		{"an address that is not loopback", "GET", "heap", "192.0.2.1:" + port, nil, 403},
		{"the command line", "GET", "cmdline", at, nil, 404},
		{"no profile", "GET", "nothing", at, nil, 404},
		{"a change", "POST", "heap", at, nil, 405},
		{"the state", "GET", "/status", at, nil, 404},
		{"health", "GET", "/healthz", at, nil, 404},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !strings.HasPrefix(c.path, "/") {
				c.path = profilesPath + c.path
			}
			req, err := http.NewRequest(c.method, "http://"+at+c.path, nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Host = c.host
			for name, value := range c.header {
				req.Header.Set(name, value)
			}
			if got := answerTo(t, req); got.StatusCode != c.want {
				t.Errorf("%s, want %d", got.Status, c.want)
			}
		})
	}
	own, err := http.NewRequest("GET", "http://"+rec.address+profilesPath, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := answerTo(t, own); got.StatusCode != http.StatusNotFound {
		t.Errorf("at the proxy's own address: %s", got.Status)
	}
	through := rec.client()
	defer through.CloseIdleConnections()
	for _, host := range []string{"127.0.0.1", "localhost", "[::ffff:127.0.0.1]"} {
		res, err := through.Get("http://" + host + ":" + port + profilesPath)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if res.StatusCode < 400 || strings.Contains(string(text), "pprof") {
			t.Errorf("through the proxy, by %s: %s %s", host, res.Status, text)
		}
	}
}

// answerTo is the answer to a request that goes by no proxy.
func answerTo(t *testing.T, req *http.Request) *http.Response {
	t.Helper()
	direct := http.Client{Transport: &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := direct.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	return res
}

// TestDebugListen: an address at which other machines could take profiles, or that is used for something
// else, is refused before anything is made, with what to do.
func TestDebugListen(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"all addresses", []string{"record", "--debug-listen", "0.0.0.0:0"}, "lets other machines in"},
		{"one of the network", []string{"record", "--debug-listen", "192.0.2.1:6060"}, "lets other machines in"},
		{"no host", []string{"record", "--debug-listen", ":6060"}, "write 127.0.0.1:6060"},
		{"no port", []string{"record", "--debug-listen", "x"}, "write it as 127.0.0.1:6060"},
		{"the proxy's", []string{"record", "--listen", "127.0.0.1:9", "--debug-listen", "localhost:9"},
			"is the address of --listen"},
		{"where the proxy has all", []string{"record", "--listen", "0.0.0.0:9", "--clients", "@any",
			"--debug-listen", "127.0.0.1:9"}, "is the address of --listen"},
		{"the replay's", []string{"record", "--listen", "127.0.0.1:0", "--replay-listen", "127.0.0.1:9",
			"--debug-listen", "127.0.0.1:9"}, "is the address of --replay-listen"},
		{"the images'", []string{"record", "--listen", "127.0.0.1:0", "--preview-listen", "127.0.0.1:9",
			"--debug-listen", "127.0.0.1:9"}, "is the address of --preview-listen"},
		{"of a replay", []string{"replay", "--debug-listen", "0.0.0.0:0"}, "lets other machines in"},
		{"of a run", []string{"run", "--debug-listen", "0.0.0.0:0", "--", "true"}, "lets other machines in"},
		{"of a server", []string{"serve", "--debug-listen", serveListen}, "is the address of --listen"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			i := 1
			args := append(c.args[:i:i], append([]string{"--dir", dir + "/collections"}, c.args[i:]...)...)
			cmd := exec.Command(os.Args[0], args...)
			cmd.Env = append(os.Environ(), "RUN_AS_WARCORDER=1", "WARCORDER_CA_DIR="+dir+"/ca")
			said, err := cmd.CombinedOutput()
			if err == nil || !strings.Contains(string(said), c.want) {
				t.Errorf("%v %s", err, said)
			}
			if made, _ := os.ReadDir(dir); len(made) > 0 {
				t.Errorf("it has made %v", made)
			}
		})
	}
}

// TestProfilesElsewhere: replay and serve give profiles too.
func TestProfilesElsewhere(t *testing.T) {
	site := newSite(t)
	rec := startRecording(t)
	rec.fetch(site.plain.URL + "/text/1/100")
	rec.stop()
	for _, name := range []string{"replay", "serve"} {
		t.Run(name, func(t *testing.T) {
			p := startProgram(t, rec.dir, "profiles are given", name, "--listen", "127.0.0.1:0",
				"--log", "json", "--debug-listen", "127.0.0.1:0")
			req, err := http.NewRequest("GET", "http://"+p.address+profilesPath+"goroutine?debug=1", nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := answerTo(t, req); got.StatusCode != http.StatusOK {
				t.Errorf("%s at %q", got.Status, p.address)
			}
		})
	}
}

// TestProfilesForWhoTakesThem: clients that take nothing of a profile which is longer than what the
// system keeps for them lose their places to those that do.
func TestProfilesForWhoTakesThem(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := ln.Addr().(*net.TCPAddr).AddrPort()
	server := debugServer(at, 500*time.Millisecond)
	go server.Serve(ln)
	defer server.Close()
	over := make(chan struct{})
	defer close(over)
	for range 30_000 { // each is a part of the text
		go func() { <-over }()
	}
	ask := fmt.Sprintf("GET %sgoroutine?debug=2 HTTP/1.1\r\nHost: %s\r\n\r\n", profilesPath, at)
	for range mostProfiles {
		client, err := net.DialTCP("tcp", nil, net.TCPAddrFromAddrPort(at))
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		client.SetReadBuffer(4 << 10)
		io.WriteString(client, ask)
		if _, err := client.Read(make([]byte, 100)); err != nil { // it has a place
			t.Fatal(err)
		}
	}
	get := func() int {
		res, err := http.Get("http://" + at.String() + profilesPath + "heap")
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		return res.StatusCode
	}
	eventually(t, "a place is free", func() bool { return get() == http.StatusOK })
}
