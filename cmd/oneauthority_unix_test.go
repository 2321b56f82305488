//go:build unix

package cmd

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// secretVolume is a folder as kubelet mounts a secret: names are links into ..data, which is a link
// to the folder of the secret as it is now.
type secretVolume struct {
	t   *testing.T
	dir string
	n   int
}

// put has the volume have an authority in place of the one before, in one step.
func (v *secretVolume) put(authority *issued) {
	v.t.Helper()
	v.n++
	data := filepath.Join(v.dir, fmt.Sprintf("..data_%d", v.n))
	next := filepath.Join(v.dir, "..data_tmp")
	if err := os.Mkdir(data, 0o755); err != nil {
		v.t.Fatal(err)
	}
	for name, text := range map[string][]byte{"tls.crt": authority.pem, "tls.key": authority.key} {
		if err := os.WriteFile(filepath.Join(data, name), text, 0o400); err != nil {
			v.t.Fatal(err)
		}
		if v.n == 1 {
			os.Symlink(filepath.Join("..data", name), filepath.Join(v.dir, name))
		}
	}
	if os.Geteuid() == 0 { // then the key is as fsGroup makes it
		key := filepath.Join(data, "tls.key")
		if err := os.Chown(key, 12345, os.Getegid()); err != nil {
			v.t.Fatal(err)
		}
		os.Chmod(key, 0o440)
	}
	if err := os.Symlink(filepath.Base(data), next); err != nil {
		v.t.Fatal(err)
	}
	if err := os.Rename(next, filepath.Join(v.dir, "..data")); err != nil {
		v.t.Fatal(err)
	}
}

// movingClient is a client of one proxy after another: what it trusts, and what it keeps of TLS
// sessions, go with it.
func movingClient(pool *x509.CertPool, cache tls.ClientSessionCache) func(proxy, target string) error {
	return func(proxy, target string) error {
		client := http.Client{Timeout: patience, Transport: &http.Transport{
			Proxy:             http.ProxyURL(&url.URL{Scheme: "http", Host: proxy}),
			TLSClientConfig:   &tls.Config{RootCAs: pool, ClientSessionCache: cache},
			DisableKeepAlives: true,
		}}
		res, err := client.Get(target)
		if err != nil {
			return err
		}
		defer res.Body.Close()
		if _, err := io.Copy(io.Discard, res.Body); err != nil || res.StatusCode != http.StatusOK {
			return fmt.Errorf("%s %w", res.Status, err)
		}
		return nil
	}
}

// TestOneAuthority: three recorders sign with one authority, a mounted secret. A client that trusts
// it is moved from one to another, also with the TLS session of the one before. The secret is
// renewed: where that was read again clients have to trust the new one, and status --of says where
// it was not.
func TestOneAuthority(t *testing.T) {
	secure := newSite(t).secure.URL + "/bytes/1"
	old, renewed := newIssued(t, "old", nil), newIssued(t, "renewed", nil)
	volume := &secretVolume{t: t, dir: t.TempDir()}
	volume.put(old)
	var addresses []string
	var fleet []*program
	for range 3 {
		p := startRecording(t, "--insecure-upstream",
			"--ca-cert", filepath.Join(volume.dir, "tls.crt"), "--ca-key", filepath.Join(volume.dir, "tls.key"))
		fleet, addresses = append(fleet, p), append(addresses, p.address)
	}
	ask := movingClient(old.pool(), tls.NewLRUClientSessionCache(10))
	for range 2 {
		for _, address := range addresses {
			if err := ask(address, secure); err != nil {
				t.Errorf("moved to %s: %v", address, err)
			}
		}
	}
	volume.put(renewed)
	askNew := movingClient(renewed.pool(), nil)
	for i, p := range fleet[:2] {
		if out, errs, code := p.run("reload"); code != 0 || !strings.Contains(out, "ca-cert") {
			t.Errorf("%d %s%s", code, out, errs)
		}
		if err := askNew(addresses[i], secure); err != nil {
			t.Errorf("%d: %v", i, err)
		}
		if ask(addresses[i], secure) == nil {
			t.Errorf("%d: who trusts the old one alone is served", i)
		}
	}
	if err := ask(addresses[2], secure); err != nil {
		t.Error(err)
	}
	all, text, code := fleet[0].of(addresses...)
	if code != 0 || len(all.Sum.Authorities) != 2 || !strings.Contains(text, "give each recorder the same authority") {
		t.Errorf("%d %s", code, text)
	}
}
