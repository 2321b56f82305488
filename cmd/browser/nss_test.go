package browser

import (
	"bytes"
	"crypto/x509"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"warcorder/certs"
)

// readDatabase is a script for Python, whose SQLite judges the file and says what is in it.
const readDatabase = `
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
print(db.execute("pragma integrity_check").fetchone()[0])
for row in db.execute("select id, hex(a11), hex(a81), hex(a101), hex(a82), hex(ace536358) from nssPublic order by id"):
    print(*row, sep="|")
db.execute("insert into nssPublic (a3) values ('x')")
db.commit()
print(db.execute("pragma integrity_check").fetchone()[0], db.execute("select count(*) from nssPublic").fetchone()[0])
`

// TestTrustDatabase: SQLite finds nothing wrong with the file, may write to it as Firefox does, and
// finds the certificate in it, trusted for servers.
func TestTrustDatabase(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3 here to read the file")
	}
	authority, err := certs.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(authority.DER())
	if err != nil {
		t.Fatal(err)
	}
	file, err := trustDatabase(cert)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "cert9.db")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(python, "-c", readDatabase, path).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	hexed := func(b []byte) string { return strings.ToUpper(hex.EncodeToString(b)) }
	serial := hexed(append([]byte{2, byte(len(cert.SerialNumber.Bytes()))}, cert.SerialNumber.Bytes()...))
	want := fmt.Sprintf("ok\n%d|%s|%s|%s|%s|\n%d||%s||%s|CE534352\nok 3\n",
		certificateObject, hexed(cert.Raw), hexed(cert.RawIssuer), hexed(cert.RawSubject), serial,
		trustObject, hexed(cert.RawIssuer), serial)
	if string(out) != want {
		t.Errorf("got  %s\nwant %s", out, want)
	}
}

// TestLongCertificate: what fits into no page is refused, and what just fits is whole.
func TestLongCertificate(t *testing.T) {
	authority, err := certs.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(authority.DER())
	if err != nil {
		t.Fatal(err)
	}
	long := *cert
	// as long as they may be: a certificate holds its subject and its issuer
	long.Raw = bytes.Repeat([]byte{7}, longestCertificate)
	long.RawSubject, long.RawIssuer = long.Raw[:longestCertificate/2], long.Raw[longestCertificate/2:]
	file, err := trustDatabase(&long)
	if err != nil || len(file) != 2*sqlitePage || bytes.Count(file, long.Raw) != 1 {
		t.Errorf("%d bytes, %v", len(file), err)
	}
	long.Raw = bytes.Repeat([]byte{7}, longestCertificate+1)
	if _, err := trustDatabase(&long); err == nil {
		t.Error("a certificate that is too long")
	}
}

// TestVarint are numbers as SQLite's own documentation has them written.
func TestVarint(t *testing.T) {
	for n, want := range map[uint64]string{0: "00", 127: "7f", 128: "8100", 16383: "ff7f",
		16384: "818000", 0x04000001: "a0808001", 1<<56 - 1: "ffffffffffffff7f"} {
		if got := hex.EncodeToString(varint(nil, n)); got != want {
			t.Errorf("%d is %s, want %s", n, got, want)
		}
	}
}

// TestFirefoxSettings: each line is one that Firefox reads, and names a setting once.
func TestFirefoxSettings(t *testing.T) {
	authority, err := certs.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	chain, err := certs.Parse(authority.PEM())
	if err != nil {
		t.Fatal(err)
	}
	profile := t.TempDir()
	cmd, err := firefox(Program{Path: "/firefox", Kind: Firefox},
		Options{URL: "http://a.b/", Proxy: "[::1]:8080"}, chain[0], profile)
	if err != nil {
		t.Fatal(err)
	}
	if last := cmd.Args[len(cmd.Args)-1]; last != "http://a.b/" {
		t.Errorf("opens %s", last)
	}
	text, err := os.ReadFile(filepath.Join(profile, "user.js"))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		name, value, ok := strings.Cut(strings.TrimPrefix(line, "user_pref("), ", ")
		value, end := strings.CutSuffix(value, ");\n")
		if !ok || !end || seen[name] || !isValue(value) {
			t.Errorf("%q", line)
		}
		seen[name] = true
	}
	for _, want := range []string{`"network.proxy.http", "::1"`, `"network.proxy.ssl_port", 8080`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s", want)
		}
	}
}

// TestDownloads: no folder is made for downloads that nobody has one for.
func TestDownloads(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		t.Skip("every account of this system has a folder for downloads")
	}
	for _, c := range []struct {
		has      string // in the home
		headless bool
		want     string
	}{
		{"", true, "/profile/downloads"},
		{"Downloads", true, "/profile/downloads"},
		{"Downloads", false, ""},
		{".config/user-dirs.dirs", false, ""},
		{"Documents", false, "HOME"},
	} {
		home := t.TempDir()
		t.Setenv("HOME", home)
		t.Setenv("XDG_CONFIG_HOME", "")
		if err := os.MkdirAll(filepath.Join(home, c.has), 0o700); err != nil {
			t.Fatal(err)
		}
		want := strings.Replace(c.want, "HOME", home, 1)
		if got := downloads(c.headless, "/profile"); got != want {
			t.Errorf("%+v: %q, want %q", c, got, want)
		}
	}
}

// isValue reports a text that is true, false, a number or a string.
func isValue(text string) bool {
	return text == "true" || text == "false" || strings.Trim(text, "0123456789") == "" && text != "" ||
		len(text) >= 2 && text[0] == '"' && strings.IndexByte(text[1:], '"') == len(text)-2
}
