package environment

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"software.sslmate.com/src/go-pkcs12"
)

// root is a root certificate of somebody, PEM.
func root(t *testing.T, name string) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	cert := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, IsCA: true,
		BasicConstraintsValid: true, NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, cert, cert, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
}

// made makes an environment for a proxy of ours.
func made(t *testing.T, ca []byte, inherited ...string) *Environment {
	t.Helper()
	all, err := Make(t.TempDir(), Proxy{Address: "127.0.0.1:8080", CA: ca}, inherited)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// file is what the file has that a variable names.
func (e *Environment) file(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(lookup(e.Variables, name))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return text
}

// written writes a file for a test.
func written(t *testing.T, name string, text []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestProxies: all that says where proxies are is ours, whatever was inherited; the rest is as it
// was.
func TestProxies(t *testing.T) {
	e := made(t, root(t, "ours"), "http_proxy=http://other:1", "NO_PROXY=localhost", "no_proxy=*",
		"LANG=C", "https_proxy=")
	for _, name := range []string{"http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY",
		"HTTPS_PROXY", "ALL_PROXY"} {
		if got := lookup(e.Variables, name); got != "http://127.0.0.1:8080" {
			t.Errorf("%s=%s", name, got)
		}
	}
	for _, want := range []string{"no_proxy=", "NO_PROXY=", "LANG=C"} {
		name, value, _ := strings.Cut(want, "=")
		if !strings.Contains("\n"+strings.Join(e.Variables, "\n")+"\n", "\n"+want+"\n") ||
			lookup(e.Variables, name) != value {
			t.Errorf("%s is %q", name, lookup(e.Variables, name))
		}
	}
}

// TestBundles: what takes the place of other roots has them too: those of the variable, else those
// that are set for all, else the system's.
func TestBundles(t *testing.T) {
	ours, general, special := root(t, "ours"), root(t, "general"), root(t, "special")
	generalFile := written(t, "general.pem", bytes.TrimSpace(general)) // no end of its last line
	specialFile := written(t, "special.pem", special)
	e := made(t, ours, "SSL_CERT_FILE="+generalFile, "REQUESTS_CA_BUNDLE="+specialFile,
		"NODE_EXTRA_CA_CERTS="+specialFile, "GIT_SSL_CAINFO=/nowhere")
	for name, want := range map[string][]byte{
		"SSL_CERT_FILE":       joined(general, ours),
		"CURL_CA_BUNDLE":      joined(general, ours),
		"GIT_SSL_CAINFO":      joined(general, ours),
		"REQUESTS_CA_BUNDLE":  joined(special, ours),
		"NODE_EXTRA_CA_CERTS": joined(special, ours),
		"DENO_CERT":           ours,
	} {
		if got := e.file(t, name); !bytes.Equal(got, want) {
			t.Errorf("%s is\n%s, not\n%s", name, got, want)
		}
	}
	if len(e.Remarks) != 1 || !strings.Contains(e.Remarks[0], "GIT_SSL_CAINFO is /nowhere") {
		t.Errorf("remarks: %q", e.Remarks)
	}
	e = made(t, ours)
	if system := systemRoots(); !bytes.Equal(e.file(t, "SSL_CERT_FILE"), joined(system, ours)) {
		t.Errorf("of %d bytes of the system's roots: %d", len(system), len(e.file(t, "SSL_CERT_FILE")))
	}
	if lookup(e.Variables, "NIX_SSL_CERT_FILE") != "" || len(e.Remarks) > 0 {
		t.Errorf("what only some systems set is set; remarks: %q", e.Remarks)
	}
}

// TestOddBundles: a folder has each of its certificates once; what has none, or never ends, is not
// read, and said.
func TestOddBundles(t *testing.T) {
	ours, one, two := root(t, "ours"), root(t, "one"), root(t, "two")
	folder := t.TempDir()
	for name, text := range map[string][]byte{
		"one.pem": one, "12345678.0": one, "two.crt": append([]byte("two\n"), two...), "README": nil,
	} {
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	e := made(t, ours, "SSL_CERT_FILE="+folder)
	if got := e.file(t, "SSL_CERT_FILE"); len(got) != len(one)+len(two)+len(ours) ||
		!bytes.Contains(got, one) || !bytes.Contains(got, two) || !bytes.HasSuffix(got, ours) {
		t.Errorf("of a folder:\n%s", got)
	}
	long := written(t, "long.pem", nil)
	if err := os.Truncate(long, maxRoots+1); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{
		written(t, "none.pem", []byte("no certificate\n")), t.TempDir(), "/dev/zero", long,
	} {
		e := made(t, ours, "SSL_CERT_FILE="+path)
		if len(e.Remarks) != 1 || !strings.Contains(e.Remarks[0], path) {
			t.Errorf("%s: remarks: %q", path, e.Remarks)
		}
		if !bytes.Equal(e.file(t, "SSL_CERT_FILE"), joined(systemRoots(), ours)) {
			t.Errorf("%s: the system's roots do not count", path)
		}
	}
}

// TestJava: options that are inherited come first, and the trust store has the roots and ours.
func TestJava(t *testing.T) {
	e := made(t, root(t, "ours"), "SSL_CERT_FILE="+written(t, "g.pem", root(t, "general")),
		"JAVA_TOOL_OPTIONS=-Xmx1g")
	options := strings.Fields(lookup(e.Variables, "JAVA_TOOL_OPTIONS"))
	if options[0] != "-Xmx1g" || len(options) != 9 {
		t.Errorf("options: %q", options)
	}
	var names []string
	for _, option := range options {
		path, is := strings.CutPrefix(option, "-Djavax.net.ssl.trustStore=")
		if !is {
			continue
		}
		store, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		certs, err := pkcs12.DecodeTrustStore(store, "changeit")
		if err != nil {
			t.Fatal(err)
		}
		for _, cert := range certs {
			names = append(names, cert.Subject.CommonName)
		}
	}
	if strings.Join(names, " ") != "general ours" {
		t.Errorf("the trust store has %q", names)
	}
	e = made(t, root(t, "ours"), "JAVA_TOOL_OPTIONS=-Djavax.net.ssl.trustStore=own.jks")
	if len(e.Remarks) != 1 {
		t.Errorf("a trust store that does not count any more: %q", e.Remarks)
	}
	for word, want := range map[string]string{"-Da=b c": `"-Da=b c"`, `-Da=b"c'`: `"-Da=b"'"'"c'"`} {
		if got := javaWord(word); got != want {
			t.Errorf("quoted: %s", got)
		}
	}
}

// TestWget: the user's own settings are kept, before ours.
func TestWget(t *testing.T) {
	home := t.TempDir()
	own := "user_agent = mine\nhttps_proxy = http://other:1"
	if err := os.WriteFile(filepath.Join(home, ".wgetrc"), []byte(own), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, inherited := range []string{"HOME=" + home, "WGETRC=" + filepath.Join(home, ".wgetrc")} {
		got := string(made(t, root(t, "ours"), inherited).file(t, "WGETRC"))
		first, rest, _ := strings.Cut(got, own+"\n")
		if first != "" || !strings.Contains(rest, "https_proxy = http://127.0.0.1:8080\n") {
			t.Errorf("%s:\n%s", inherited, got)
		}
	}
}

// TestLookPath finds programs as shells do.
func TestLookPath(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	for path, mode := range map[string]os.FileMode{
		filepath.Join(first, "both"): 0o600, filepath.Join(second, "both"): 0o700,
		filepath.Join(first, "refused"): 0o600, filepath.Join(second, "one"): 0o700,
	} {
		if err := os.WriteFile(path, nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	path := []string{"PATH=" + first + string(filepath.ListSeparator) + second}
	for name, want := range map[string]string{
		"both": filepath.Join(second, "both"), "one": filepath.Join(second, "one"),
		"refused": "", "none": "", filepath.Join(second, "one"): filepath.Join(second, "one"),
	} {
		got, err := LookPath(name, path)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
}
