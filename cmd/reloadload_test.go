package cmd

import (
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"warcorder/certs"
)

// TestReloadUnderLoad: a hundred reloads lose nothing, and leave nothing behind: the first of them while
// clients ask on connections that they keep, and files are finished. A pause outlives one.
func TestReloadUnderLoad(t *testing.T) {
	t.Parallel()
	const clients, reloads, loaded = 4, 100, 30
	var asked atomic.Int64
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		fmt.Fprint(w, r.URL.Path)
	}))
	defer origin.Close()
	file := configFile(t, "")
	p := startRecording(t, "--config", file)
	settings := func(n int) string {
		return fmt.Sprintf("max-body-size: %dMB\ndeny: [h%d.test]\nwarc-prefix: p%d\nqueue-size: %dMB\n"+
			"timeout: {header: %ds}\nreaders: ['@loopback', 192.0.2.%d]\n", n+1, n%3, n%2, n%5+1, n%4+10, n%7)
	}
	var all sync.WaitGroup
	stop := make(chan struct{})
	var answered, reset atomic.Int64
	for n := range clients {
		client := p.bareClient("")
		client.Transport.(*http.Transport).DisableCompression = true
		defer client.CloseIdleConnections()
		all.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				res, err := client.Get(fmt.Sprintf("%s/%d/%d", origin.URL, n, i))
				if err != nil || res.StatusCode != http.StatusOK {
					reset.Add(1)
					continue
				}
				res.Body.Close()
				answered.Add(1)
			}
		})
	}
	open := p.taken()
	for n := range reloads {
		write(t, file, settings(n))
		var done reloaded
		if err := p.recorder().Switch(reloadPath, &done); err != nil {
			t.Fatal(err)
		}
		if len(done.Changed) == 0 {
			t.Fatalf("the reload %d changes nothing", n)
		}
		if n == 5 {
			open = p.taken()
		}
		if n%10 == 5 && n < loaded {
			p.run("rotate")
		}
		if n == loaded {
			close(stop)
			all.Wait()
		}
	}
	if now := p.taken(); now.Goroutines > open.Goroutines+20 || now.descriptors > open.descriptors+20 {
		t.Errorf("%+v, and it was %+v", now, open)
	}
	p.settle()
	lines := strings.Count(p.page("/export"), "\n")
	if n := asked.Load(); n != answered.Load() || int64(lines) != n || reset.Load() != 0 {
		t.Errorf("the origin was asked %d times, %d were answered, %d not, and %d are in the export", n,
			answered.Load(), reset.Load(), lines)
	}
	if out, errs, code := p.run("pause"); code != 0 {
		t.Error(out, errs)
	}
	p.reload(file, settings(500))
	if !strings.Contains(p.page("/status"), `"paused": true`) {
		t.Error("a reload has ended the pause")
	}
	all.Go(func() { p.run("reload") }) // or nobody records any more
	if code := p.stop(); code != 0 {
		t.Errorf("exit status %d", code)
	}
	all.Wait()
}

// taken is how much a process has open.
type taken struct {
	Goroutines  int
	descriptors int
}

func (p *program) taken() (o taken) {
	p.t.Helper()
	if err := json.Unmarshal([]byte(p.page("/status")), &o); err != nil {
		p.t.Fatal(err)
	}
	files, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", p.cmd.Process.Pid)) // 0 where there is none
	o.descriptors = len(files)
	return o
}

// TestReloadFiles: certificates are renewed under their names, and count though no setting changes.
func TestReloadFiles(t *testing.T) {
	t.Parallel()
	secure := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer secure.Close()
	roots := filepath.Join(t.TempDir(), "roots.pem")
	other := t.TempDir()
	authority, err := certs.Open(other)
	if err != nil {
		t.Fatal(err)
	}
	root := string(authority.PEM())
	write(t, roots, root)
	file := configFile(t, "upstream-ca: "+roots+"\n")
	p := startRecording(t, "--config", file)
	if status := p.tlsStatus(secure.URL); status != 502 {
		t.Errorf("a root that is unknown: %d", status)
	}
	write(t, roots, root+string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw})))
	if out := p.reload(file, "upstream-ca: "+roots+"\n"); !strings.Contains(out, "files as they are now") {
		t.Errorf("it says %q", out)
	}
	if status := p.tlsStatus(secure.URL); status != 200 {
		t.Errorf("a root that is known by now: %d", status)
	}
	out := p.reload(file, fmt.Sprintf("upstream-ca: %s\nca-cert: %s\nca-key: %s\n", roots,
		filepath.Join(other, "ca", "warcorder-ca.pem"), filepath.Join(other, "ca", "warcorder-ca.key")))
	if !strings.Contains(out, "ca-cert") || p.page("/ca.pem") != root {
		t.Errorf("another authority: %q", out)
	}
	if status := p.tlsStatus(secure.URL); status != 200 { // trusting what /ca.pem has
		t.Errorf("by the other authority: %d", status)
	}
	p.stop()
}
