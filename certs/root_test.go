package certs

import (
	"bytes"
	"crypto"
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

func open(tb testing.TB, dir string) *Authority {
	tb.Helper()
	a, err := Open(dir)
	if err != nil {
		tb.Fatal(err)
	}
	return a
}

func TestOpenTwiceGivesOneRoot(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "config", "warcorder")
	first, second := open(t, dir), open(t, dir)
	if !bytes.Equal(first.DER(), second.DER()) {
		t.Error("the second Open made another root")
	}
	onDisk, err := os.ReadFile(first.File())
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(onDisk, first.PEM()) {
		t.Error("PEM is not what lies in File")
	}
	if first.leafKey.Equal(second.leafKey) {
		t.Error("two processes share a leaf key")
	}
}

func TestOpenAtOnceGivesOneRoot(t *testing.T) {
	dir := t.TempDir()
	roots := make([][]byte, 16)
	var all sync.WaitGroup
	for i := range roots {
		all.Go(func() {
			a, err := Open(dir)
			if err != nil {
				t.Error(err)
				return
			}
			roots[i] = a.DER()
		})
	}
	all.Wait()
	for _, root := range roots {
		if !bytes.Equal(root, roots[0]) {
			t.Fatal("more than one root was made")
		}
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Errorf("beside the root there is something left: %v, %v", left, err)
	}
}

// The slower of two processes finds a root where there was none when it looked.
func TestMakeRootKeepsAnExistingOne(t *testing.T) {
	dir := t.TempDir()
	home := filepath.Join(dir, rootDir)
	if err := makeRoot(home); err != nil {
		t.Fatal(err)
	}
	first := open(t, dir).DER()
	if err := makeRoot(home); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(open(t, dir).DER(), first) {
		t.Error("the root was replaced")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("beside the root there is something left: %v, %v", left, err)
	}
}

func TestPermissions(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no permission bits")
	}
	dir := filepath.Join(t.TempDir(), "warcorder")
	open(t, dir)
	for path, want := range map[string]os.FileMode{
		dir:                                   os.ModeDir | 0o700,
		filepath.Join(dir, rootDir):           os.ModeDir | 0o700,
		filepath.Join(dir, rootDir, keyFile):  0o600,
		filepath.Join(dir, rootDir, certFile): 0o644,
	} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != want {
			t.Errorf("%s has mode %v, want %v", path, info.Mode(), want)
		}
	}
}

func TestRootProfile(t *testing.T) {
	root := open(t, t.TempDir()).chain[0]
	if err := root.CheckSignatureFrom(root); err != nil {
		t.Error(err)
	}
	if !root.IsCA || !root.BasicConstraintsValid || root.MaxPathLen != 0 || !root.MaxPathLenZero {
		t.Error("basic constraints are not CA with path length 0")
	}
	if want := x509.KeyUsageCertSign | x509.KeyUsageCRLSign; root.KeyUsage != want {
		t.Errorf("key usage %b, want %b", root.KeyUsage, want)
	}
	if len(root.SubjectKeyId) != 20 || !bytes.Equal(root.SubjectKeyId, root.AuthorityKeyId) {
		t.Errorf("key ids %x and %x", root.SubjectKeyId, root.AuthorityKeyId)
	}
	if len(root.PermittedDNSDomains)+len(root.ExcludedDNSDomains) != 0 {
		t.Error("root has name constraints")
	}
	if years := root.NotAfter.Year() - time.Now().UTC().Year(); years != 10 {
		t.Errorf("root lives %d years, want 10", years)
	}
	if root.SignatureAlgorithm != x509.ECDSAWithSHA256 {
		t.Errorf("signed with %v", root.SignatureAlgorithm)
	}
}

func TestRootName(t *testing.T) {
	day := time.Date(2030, 2, 3, 23, 0, 0, 0, time.FixedZone("", -3600))
	id := bytes.Repeat([]byte{0xab}, 20)
	for name, test := range map[string]struct{ host, want string }{
		"plain":     {"archive-1", "warcorder CA archive-1 2030-02-04 ababab"},
		"no host":   {"", "warcorder CA unnamed host 2030-02-04 ababab"},
		"not ASCII": {"büro\x00\xff", "warcorder CA b-ro-- 2030-02-04 ababab"},
		"long": {
			strings.Repeat("x", 253), "warcorder CA " + strings.Repeat("x", 33) + " 2030-02-04 ababab",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := rootName(test.host, day, id).CommonName
			if got != test.want {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
			if len(got) > 64 {
				t.Errorf("%d characters", len(got))
			}
		})
	}
}

func TestOpenRefuses(t *testing.T) {
	now := time.Now()
	made := func(at time.Time) func(*testing.T, string) {
		return func(t *testing.T, home string) { replaceRoot(t, home, at) }
	}
	for name, test := range map[string]struct {
		spoil func(t *testing.T, home string)
		want  string
	}{
		"key readable by the group": {opened(keyFile, 0o640), "run chmod 600"},
		"key readable by all":       {opened(keyFile, 0o604), "run chmod 600"},
		"key missing":               {without(keyFile), "restore both"},
		"certificate missing":       {without(certFile), "restore both"},
		"key cut":                   {cut(keyFile), "restore both"},
		"certificate cut":           {cut(certFile), "restore both"},
		"key of another root": {func(t *testing.T, home string) {
			other := filepath.Join(t.TempDir(), rootDir)
			if err := makeRoot(other); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(filepath.Join(other, keyFile), filepath.Join(home, keyFile)); err != nil {
				t.Fatal(err)
			}
		}, "not a pair"},
		"expired":       {made(now.AddDate(-10, 0, -1)), "expired on"},
		"not yet valid": {made(now.AddDate(0, 0, 2)), "if the clock is wrong"},
		"no authority": {func(t *testing.T, home string) {
			a := open(t, filepath.Dir(home))
			l, err := a.mint("example.org", now)
			if err != nil {
				t.Fatal(err)
			}
			cert := &pem.Block{Type: "CERTIFICATE", Bytes: l.Certificate.Certificate[0]}
			writeRoot(t, home, pem.EncodeToMemory(cert), pemKey(t, a.leafKey))
		}, "not the certificate of an authority"},
	} {
		t.Run(name, func(t *testing.T) {
			if runtime.GOOS == "windows" && strings.HasPrefix(name, "key readable") {
				t.Skip("no permission bits")
			}
			dir := t.TempDir()
			open(t, dir)
			test.spoil(t, filepath.Join(dir, rootDir))
			a, err := Open(dir)
			if a != nil || err == nil {
				t.Fatal("opened")
			}
			if !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), dir) {
				t.Errorf("unclear: %v", err)
			}
		})
	}
}

func TestOwnRootIsKept(t *testing.T) {
	dir := t.TempDir()
	home := filepath.Join(dir, rootDir)
	if err := os.Mkdir(home, 0o755); err != nil {
		t.Fatal(err)
	}
	cert, key, err := newRoot(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	writeRoot(t, home, cert, key)
	if a := open(t, dir); !bytes.Equal(a.PEM(), cert) {
		t.Error("a root put there was not used")
	}
}

func replaceRoot(t *testing.T, home string, made time.Time) {
	t.Helper()
	cert, key, err := newRoot(made)
	if err != nil {
		t.Fatal(err)
	}
	writeRoot(t, home, cert, key)
}

func writeRoot(t *testing.T, home string, cert, key []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(home, certFile), cert, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, keyFile), key, 0o600); err != nil {
		t.Fatal(err)
	}
}

func pemKey(t *testing.T, key crypto.Signer) []byte {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
}

// opened, without and cut spoil one file of a root.
func opened(file string, mode os.FileMode) func(*testing.T, string) {
	return spoil(file, func(path string) error { return os.Chmod(path, mode) })
}

func without(file string) func(*testing.T, string) { return spoil(file, os.Remove) }

func cut(file string) func(*testing.T, string) {
	return spoil(file, func(path string) error { return os.Truncate(path, 100) })
}

func spoil(file string, how func(path string) error) func(*testing.T, string) {
	return func(t *testing.T, home string) {
		t.Helper()
		if err := how(filepath.Join(home, file)); err != nil {
			t.Fatal(err)
		}
	}
}

// TestIsOurs: a root is known as one that Open has made by its name, and by having signed itself:
// what bears the name alone is somebody else's.
func TestIsOurs(t *testing.T) {
	dir := t.TempDir()
	a := open(t, dir)
	ours := a.chain.top()
	if !IsOurs(ours) || RootFile(dir) != a.File() || NameOf(ours) != a.Name() {
		t.Errorf("%q in %s is not known", NameOf(ours), a.File())
	}
	key := newEC(t)
	named := func(cert *x509.Certificate) { cert.Subject = ours.Subject }
	for name, cert := range map[string]*issued{
		"another's":              issue(t, "Institution", key, nil, nil),
		"of the common name":     issue(t, ours.Subject.CommonName, key, nil, nil),
		"signed by an authority": issue(t, "", newEC(t), issue(t, "Institution", key, nil, nil), named),
		"of the organization": issue(t, "", key, nil, func(cert *x509.Certificate) {
			cert.Subject.Organization = ours.Subject.Organization
			cert.Subject.CommonName = "another"
		}),
	} {
		if IsOurs(cert.Certificate) {
			t.Errorf("%s is taken for ours", name)
		}
	}
}
