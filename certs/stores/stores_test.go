package stores

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"warcorder/certs"
)

// ourRoot is a root as Open makes it, and the file that has it.
func ourRoot(t *testing.T) (*x509.Certificate, string) {
	t.Helper()
	a, err := certs.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(a.DER())
	if err != nil {
		t.Fatal(err)
	}
	return cert, a.File()
}

// otherRoot is a root that others have made, of that name, and a file that has it.
func otherRoot(t *testing.T, name pkix.Name) (*x509.Certificate, string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		Subject:               name,
		NotBefore:             time.Now().Add(-time.Hour),
		NotAfter:              time.Now().AddDate(1, 0, 0),
		IsCA:                  true,
		BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "root.pem")
	if err := os.WriteFile(file, PEM(cert), 0o644); err != nil {
		t.Fatal(err)
	}
	return cert, file
}

// texts are steps as one would type them, with what differs from run to run replaced.
func texts(steps []Step, replace ...string) (lines []string) {
	for _, step := range steps {
		lines = append(lines, strings.NewReplacer(replace...).Replace(step.String()))
	}
	return lines
}

// TestCommands: what is run on systems that the tests do not run on, and what would be on this one.
func TestCommands(t *testing.T) {
	t.Setenv("SystemRoot", `D:\Win`)
	cert, _ := ourRoot(t)
	below := *cert
	below.RawIssuer = []byte("another")
	replace := []string{thumbprint(cert), "SHA1", certs.NameOf(cert), "NAME"}
	held := Held{Cert: cert, Trusted: true, Nickname: "nick", Flags: "C,,"}
	login := Keychain{Path: "/Users/a/login.keychain-db"}
	system := Keychain{Path: "/Library/System.keychain", System: true}
	none := Database{"Chromium", filepath.Join(t.TempDir(), "none")}
	replace = append(replace, none.Dir, "DIR")
	for _, c := range []struct {
		name  string
		steps []Step
		want  []string
	}{
		{"macOS, add", login.Adding(cert, "/f", nil), []string{
			"/usr/bin/security add-trusted-cert -r trustRoot -k /Users/a/login.keychain-db /f"}},
		{"macOS, add what another has signed", login.Adding(&below, "/f", nil), []string{
			"/usr/bin/security add-trusted-cert -r trustAsRoot -k /Users/a/login.keychain-db /f"}},
		{"macOS, remove", login.Removing(held, "/f", ""), []string{
			"/usr/bin/security remove-trusted-cert /f",
			"/usr/bin/security delete-certificate -Z SHA1 /Users/a/login.keychain-db"}},
		{"macOS, remove what is not trusted", login.Removing(Held{Cert: cert}, "/f", ""), []string{
			"/usr/bin/security delete-certificate -Z SHA1 /Users/a/login.keychain-db"}},
		{"macOS, system, add", system.Adding(cert, "/f", nil), []string{
			"/usr/bin/security add-trusted-cert -d -r trustRoot -k /Library/System.keychain /f"}},
		{"macOS, system, remove", system.Removing(held, "/f", ""), []string{
			"/usr/bin/security remove-trusted-cert -d /f",
			"/usr/bin/security delete-certificate -Z SHA1 /Library/System.keychain"}},
		{"Windows, add", WindowsRoots{}.Adding(cert, `C:\f`, nil), []string{
			`'D:\Win\System32\certutil.exe' -user -addstore Root 'C:\f'`}},
		{"Windows, remove", WindowsRoots{}.Removing(held, "", ""), []string{
			`'D:\Win\System32\certutil.exe' -user -delstore Root SHA1`}},
		{"Windows, machine, add", WindowsRoots{Machine: true}.Adding(cert, "f", nil), []string{
			`'D:\Win\System32\certutil.exe' -addstore Root f`}},
		{"NSS, the first", none.Adding(cert, "/f", nil), []string{
			"mkdir -p DIR",
			"certutil -d sql:DIR -f /dev/null -N --empty-password",
			"certutil -d sql:DIR -f /dev/null -A -t C,, -n 'NAME' -i /f"}},
		{"NSS, remove", none.Removing(held, "/f", ""), []string{
			"certutil -d sql:DIR -f /dev/null -D -n nick"}},
		{"NSS, as before", none.Removing(held, "/f", "p,,"), []string{
			"certutil -d sql:DIR -f /dev/null -M -t p,, -n nick"}},
	} {
		if got := texts(c.steps, replace...); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	listing := strings.Join(WindowsRoots{}.listing(), " ")
	if !strings.Contains(listing, `D:\Win\System32\WindowsPowerShell\v1.0\powershell.exe`) ||
		!strings.Contains(listing, `Cert:\CurrentUser\Root |`) {
		t.Error(listing)
	}
}

// TestOfAccount: each system has its kind of store, and the account's is not that of all accounts.
func TestOfAccount(t *testing.T) {
	account := Account{Home: t.TempDir()}
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "etc/pki/ca-trust/source/anchors"), 0o755); err != nil {
		t.Fatal(err)
	}
	for system, kind := range map[string]string{
		"linux": "nss:", "freebsd": "nss:", "darwin": "keychain:", "windows": "windows:",
	} {
		all := OfAccount(account, system)
		if len(all) != 1 || !strings.HasPrefix(all[0].ID(), kind) {
			t.Errorf("%s: %v", system, all)
			continue
		}
		shared, has := OfSystem(root, system)
		if !has || shared.ID() == all[0].ID() || shared.String() == all[0].String() {
			t.Errorf("%s: %v beside %v", system, shared, all[0])
		}
	}
	if store, has := OfSystem(t.TempDir(), "linux"); has {
		t.Errorf("a system without any has %v", store)
	}
}

// TestParse: the lists of Windows and macOS, in which something else may stand.
func TestParse(t *testing.T) {
	ours, _ := ourRoot(t)
	other, _ := otherRoot(t, pkix.Name{CommonName: "another"})
	line := func(cert *x509.Certificate) string { return base64.StdEncoding.EncodeToString(cert.Raw) }
	listed := parseLines("# no base64\r\n" + line(other) + "\r\nAAAA\r\n" + line(ours) + "\r\n" +
		line(ours) + "\r\n")
	found := Search{Ours: true}.held(listed)
	if len(listed) != 3 || len(found) != 1 || !found[0].Cert.Equal(ours) {
		t.Errorf("%d of %d", len(found), len(listed))
	}
	if found := (Search{Roots: []*x509.Certificate{other}}).held(listed); len(found) != 1 {
		t.Errorf("of another's: %v", found)
	}
	trust := "Number of trusted certs = 2\nCert 0: warcorder CA mac 2026-01-01 abcdef\n" +
		"   Number of trust settings : 1\n   Trust Setting 0:\n      Result Type : x\nCert 1: A: B\n"
	if got := parseTrust(trust); !slices.Equal(got,
		[]string{"warcorder CA mac 2026-01-01 abcdef", "A: B"}) {
		t.Errorf("%q", got)
	}
}

// TestAnchors: a root is a file that is there until it is taken away, and other files stay.
func TestAnchors(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "usr/local/share/ca-certificates")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	cert, _ := ourRoot(t)
	foreign := filepath.Join(dir, "warcorder-of-somebody.crt")
	if err := os.WriteFile(foreign, PEM(cert), 0o644); err != nil {
		t.Fatal(err)
	}
	store, has := OfSystem(root, "linux")
	if !has {
		t.Fatal("no store")
	}
	updated := filepath.Join(root, "updated")
	anchors := store.(Anchors)
	if anchors.Update[0] != "update-ca-certificates" {
		t.Error(anchors.Update)
	}
	ctx, search := context.Background(), Search{Roots: []*x509.Certificate{cert}}
	find := func() []Held {
		found, err := anchors.Find(ctx, search)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	anchors.Update = []string{os.Args[0], "-test.run=^$", "-no-such-flag"} // which fails
	if err := Do(ctx, anchors.Adding(cert, "", nil)); err == nil || len(find()) != 0 {
		t.Errorf("%v: a system that takes no root has %v", err, find())
	}
	anchors.Update = []string{os.Args[0], "-test.run=^$", "-test.cpuprofile=" + updated}
	anchors.Fresh = nil
	if err := Do(ctx, anchors.Adding(cert, "", nil)); err != nil {
		t.Fatal(err)
	}
	found := find()
	if _, err := os.Stat(updated); err != nil || len(found) != 1 || !found[0].Trusted {
		t.Fatalf("%v: %v", err, found)
	}
	if err := Do(ctx, anchors.Removing(found[0], "", "")); err != nil || len(find()) != 0 {
		t.Errorf("%v: %v", err, find())
	}
	if left := glob(dir, "*"); !slices.Equal(left, []string{foreign}) {
		t.Errorf("left: %q", left)
	}
	if err := os.MkdirAll(anchors.Hooks, 0o755); err != nil {
		t.Fatal(err)
	}
	hook := filepath.Join(anchors.Hooks, "java")
	if err := os.WriteFile(hook, nil, 0o755); err != nil {
		t.Fatal(err)
	}
	steps := store.Removing(found[0], "", "")
	name := strings.TrimSuffix(filepath.Base(anchors.file(cert)), ".crt")
	want := []string{"rm " + anchors.file(cert), "update-ca-certificates --fresh",
		"echo -/etc/ssl/certs/" + name + ".pem | " + hook}
	if got := texts(steps); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
