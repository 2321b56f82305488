package cmd

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warcorder/proxy/route/routetest"
	"warcorder/proxy/unused"
)

// TestWaysOut: the program goes out as upstream says, or else as its environment does, and says
// once which of the two counts; "direct" is no proxy, whatever the environment says. No password is
// in the log.
func TestWaysOut(t *testing.T) {
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Write([]byte("came"))
	}))
	defer origin.Close()
	_, port, _ := net.SplitHostPort(origin.Listener.Addr().String())
	there, here := "http://origin.test:"+port+"/", origin.URL+"/" // to the parents, and to all
	for name, c := range map[string]struct {
		variable, upstream string // URL stands for the parent's
		url, says          string
		asked              bool
	}{
		"upstream":          {"", "*.test=URL", there, `"from":"upstream"`, true},
		"environment":       {"HTTP_PROXY", "", there, `"from":"HTTP_PROXY"`, true},
		"for all":           {"all_proxy", "", there, `"from":"all_proxy"`, true},
		"upstream wins":     {"HTTPS_PROXY", "*.test=URL", there, `"unheeded":["HTTPS_PROXY"]`, true},
		"direct wins":       {"HTTP_PROXY", "direct", here, `"ways":"direct"`, false},
		"loopback, nothing": {"HTTP_PROXY", "", here, `"from":"HTTP_PROXY"`, false},
		"neither":           {"", "", here, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			parent := routetest.HTTP(t, nil, "user", "s3cr3t")
			var args []string
			if c.upstream != "" {
				args = []string{"--upstream", strings.ReplaceAll(c.upstream, "URL", parent.URL("http"))}
			}
			if c.variable != "" {
				t.Setenv(c.variable, parent.URL("http"))
			}
			p := startRecording(t, args...)
			if got := p.fetch(c.url); got != "came" {
				t.Errorf("%q", got)
			}
			p.stop()
			if asked := len(parent.Seen()) > 0; asked != c.asked {
				t.Errorf("the parent was asked: %t", asked)
			}
			said := strings.Count(p.stderr.String(), `"message":"ways out"`)
			if !strings.Contains(p.stderr.String(), c.says) || said != min(len(c.says), 1) ||
				strings.Contains(p.stderr.String(), "s3cr3t") {
				t.Errorf("%s", p.stderr)
			}
		})
	}
}

// TestBadWaysOut: a way that cannot be gone ends the start, with a sentence that names what has set
// it, and no password.
func TestBadWaysOut(t *testing.T) {
	for name, c := range map[string]struct{ variable, value, says string }{
		"environment":         {"https_proxy", "socks4://u:s3cr3t@p", "https_proxy in the environment"},
		"a variable of ours":  {"WARCORDER_UPSTREAM", "ftp://u:s3cr3t@p", "begins with http://"},
		"one of several ways": {"WARCORDER_UPSTREAM", "a=direct,http://u:s3,cr3t@p:x", "number 2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(c.variable, c.value)
			dir := t.TempDir()
			out, err := command(dir, "record", "--listen", "127.0.0.1:0").CombinedOutput()
			if err == nil || !strings.Contains(string(out), c.says) ||
				strings.Contains(string(out), "cr3t") {
				t.Errorf("%v: %s", err, out)
			}
			if made, _ := os.ReadDir(dir); len(made) > 0 {
				t.Errorf("%v is made", made)
			}
		})
	}
	config := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(config, []byte("upstream: [http://u:s3cr3t@p:x]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := command(t.TempDir(), "record", "--config", config).CombinedOutput()
	if err == nil || strings.Contains(string(out), "s3cr3t") ||
		!strings.Contains(string(out), "upstream") {
		t.Errorf("%v: %s", err, out)
	}
}

// TestOwnWay: a recorder is no way out for itself. As an upstream it is refused at the start; where
// the environment names it, as in a shell whose other programs are to be recorded, it is told and
// not used.
func TestOwnWay(t *testing.T) {
	address := unused.Address(t)
	_, port, _ := net.SplitHostPort(address)
	for _, host := range []string{"127.0.0.1", "localhost", "0.0.0.0", "[::ffff:127.0.0.1]"} {
		out, err := command(t.TempDir(), "record", "--listen", address,
			"--upstream", "http://u:s3cr3t@"+host+":"+port).CombinedOutput()
		if err == nil || !strings.Contains(string(out), "this recorder itself") ||
			strings.Contains(string(out), "s3cr3t") {
			t.Errorf("%s: %v: %s", host, err, out)
		}
	}
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Write([]byte("came"))
	}))
	defer origin.Close()
	t.Setenv("http_proxy", "http://"+address)
	p := startRecording(t, "--listen", address)
	if got := p.fetch(origin.URL); got != "came" {
		t.Errorf("%q", got)
	}
	p.stop()
	if !strings.Contains(p.stderr.String(), `"variable":"http_proxy"`) {
		t.Errorf("%s", p.stderr)
	}
}
