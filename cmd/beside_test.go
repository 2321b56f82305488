package cmd

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"warcorder/store"
)

// TestBeside: what a command fetches through its own recorder, or through one that runs, is in the
// index when beside returns, and the command's error is passed on.
func TestBeside(t *testing.T) {
	site := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "the page "+r.URL.Path)
	}))
	defer site.Close()
	home := t.TempDir()
	line, err := parse(t, "--ca-dir", filepath.Join(home, "ca"))
	if err != nil {
		t.Fatal(err)
	}
	line.settings = func() []shown { return nil } // nobody asks for them
	flags := besideFlags{Listen: "127.0.0.1:0", recordFlags: line.Record.recordFlags}
	flags.Dir, flags.Proxy.InsecureUpstream.All = filepath.Join(home, "collections"), true
	dir, err := flags.dir()
	if err != nil {
		t.Fatal(err)
	}
	done := errors.New("done")
	work := func(path string, own bool) func(context.Context, *inUse) error {
		return func(_ context.Context, at *inUse) error {
			if at.own != own {
				t.Errorf("own is %v", at.own)
			}
			fetchBeside(t, at, site.URL+path)
			return done
		}
	}
	if err := flags.beside(line, work("/first", true)); err != done {
		t.Fatal(err)
	}
	err = flags.beside(line, func(ctx context.Context, at *inUse) error {
		return flags.beside(line, work("/second", false))
	})
	if err != done {
		t.Fatal(err)
	}
	var lines strings.Builder
	if _, err := export(dir, store.Query{All: true}, &lines); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/first", "/second"} {
		if n := strings.Count(lines.String(), site.URL+path); n != 1 {
			t.Errorf("%s: %d captures", path, n)
		}
	}
}

// fetchBeside gets a page through a recorder whose certificate it trusts alone.
func fetchBeside(t *testing.T, at *inUse, target string) {
	t.Helper()
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(at.ca) {
		t.Fatalf("no certificate: %q", at.ca)
	}
	client := http.Client{Transport: &http.Transport{
		Proxy:           http.ProxyURL(&url.URL{Scheme: "http", Host: at.address}),
		TLSClientConfig: &tls.Config{RootCAs: roots},
	}}
	defer client.CloseIdleConnections()
	res, err := client.Get(target)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if _, err := io.Copy(io.Discard, res.Body); err != nil {
		t.Fatal(err)
	}
}
