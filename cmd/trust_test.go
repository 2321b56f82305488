package cmd

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"warcorder/certs"
)

// account is one that nobody has used yet.
type account struct {
	t    *testing.T
	home string
	path string // PATH
}

func newAccount(t *testing.T) *account {
	t.Helper()
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		t.Skip("it would ask this account, and not one in a temporary directory")
	}
	return &account{t: t, home: t.TempDir(), path: os.Getenv("PATH")}
}

// warcorder runs the program as this account, and returns what it printed.
func (a *account) warcorder(args ...string) (string, error) {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = []string{"RUN_AS_WARCORDER=1", "HOME=" + a.home, "PATH=" + a.path,
		"GOCOVERDIR=" + os.Getenv("GOCOVERDIR")}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// says runs the program, which must end well, or not, and say that.
func (a *account) says(isWell bool, want string, args ...string) string {
	a.t.Helper()
	out, err := a.warcorder(args...)
	if (err == nil) != isWell || !regexp.MustCompile(want).MatchString(out) {
		a.t.Errorf("warcorder %s: %v, want %q:\n%s", strings.Join(args, " "), err, want, out)
	}
	return out
}

// list is what certutil lists of the database of Chromium.
func (a *account) list() string {
	a.t.Helper()
	return a.certutil("-L")
}

func (a *account) certutil(args ...string) string {
	a.t.Helper()
	dir := filepath.Join(a.home, ".pki/nssdb")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		a.t.Fatal(err)
	}
	args = append([]string{"-d", "sql:" + dir}, args...)
	out, err := exec.Command("certutil", args...).CombinedOutput()
	if err != nil {
		a.t.Fatalf("certutil %q: %v: %s", args, err, out)
	}
	return string(out)
}

// needCertutil skips a test where there is none.
func needCertutil(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("certutil"); err != nil {
		t.Skip("no certutil of NSS on this machine")
	}
}

// TestTrustWithoutTools: who has no certutil is told what to install, nothing is left that says
// otherwise, and what is not there is no reason to complain when trust is taken away.
func TestTrustWithoutTools(t *testing.T) {
	a := newAccount(t)
	a.path = t.TempDir()
	a.says(false, `NOT DONE .*~/\.pki/nssdb.*certutil is not installed.*libnss3-tools`, "trust")
	a.says(false, `Nothing trusts it\. By hand: .* ca --out DIR`, "trust")
	if notes, _ := filepath.Glob(filepath.Join(a.home, ".config/warcorder/trusted*")); len(notes) > 0 {
		t.Errorf("notes of what was not done: %q", notes)
	}
	a.says(true, `No root of warcorder's was trusted here`, "untrust")
}

// TestTrustDryRun: it changes nothing, not even by a root.
func TestTrustDryRun(t *testing.T) {
	a := newAccount(t)
	a.says(true, `would make a root certificate in .*\n.*nssdb`, "trust", "--dry-run")
	a.says(true, `No root`, "untrust", "--dry-run")
	if left, err := os.ReadDir(a.home); err != nil || len(left) != 0 {
		t.Errorf("left: %v, %v", left, err)
	}
	a.says(false, `no root certificate in .*--ca-dir`, "trust", "--system")
}

// TestTrust: trusted once, however often it is asked for; and afterwards the database is as before.
func TestTrust(t *testing.T) {
	needCertutil(t)
	a := newAccount(t)
	a.certutil("-N", "--empty-password")
	before := a.list()
	a.says(true, `trusted now .*~/\.pki/nssdb`, "trust")
	trusted := a.list()
	if !regexp.MustCompile(`(?m)^warcorder CA .* C,, *$`).MatchString(trusted) {
		t.Errorf("trusted: %s", trusted)
	}
	if out := a.says(true, `already trusted`, "trust"); strings.Contains(out, "trusted now") {
		t.Errorf("again: %s", out)
	}
	out := a.says(true, `would remove .*\n +certutil .* -D -n 'warcorder CA`, "untrust", "--dry-run")
	if a.list() != trusted {
		t.Errorf("a dry run changed it: %s", out)
	}
	a.says(true, `(?m)^  removed .* from .*nssdb`, "untrust")
	if after := a.list(); after != before {
		t.Errorf("afterwards: %s\nbefore: %s", after, before)
	}
	a.says(true, `No root`, "untrust")
}

// TestUntrustWithoutRoot: with the directory of the root gone what is trusted is found by its name;
// and that of another installation stays until it is asked for.
func TestUntrustWithoutRoot(t *testing.T) {
	needCertutil(t)
	a := newAccount(t)
	a.says(true, `trusted now`, "trust")
	elsewhere := filepath.Join(a.home, "elsewhere")
	a.says(true, `trusted now`, "trust", "--ca-dir", elsewhere)
	if err := os.RemoveAll(elsewhere); err != nil {
		t.Fatal(err)
	}
	out := a.says(true, `(?m)^warcorder CA .* stays: .*--all`, "untrust")
	if strings.Count(out, "  removed") != 1 || strings.Count(a.list(), "warcorder CA") != 1 {
		t.Errorf("%s\n%s", out, a.list())
	}
	a.says(true, `  removed `, "untrust", "--ca-dir", elsewhere)
	if list := a.list(); strings.Contains(list, "warcorder CA") {
		t.Errorf("left: %s", list)
	}
}

// TestTrustOwnAuthority: an institution's root that was trusted before stays; one that trust has
// added goes, with the files of the authority or without.
func TestTrustOwnAuthority(t *testing.T) {
	needCertutil(t)
	a := newAccount(t)
	cert, key := ownAuthority(t, a.home)
	a.certutil("-N", "--empty-password")
	a.certutil("-A", "-t", "CT,C,C", "-n", "of the institution", "-i", cert)
	before := a.list()
	flags := []string{"--ca-cert", cert, "--ca-key", key}
	a.says(true, `already trusted`, append([]string{"trust"}, flags...)...)
	a.says(false, `NOT DONE .*was not added by warcorder trust, and stays`,
		append([]string{"untrust"}, flags...)...)
	if after := a.list(); after != before {
		t.Errorf("afterwards: %s", after)
	}
	a.certutil("-D", "-n", "of the institution")
	before = a.list()
	a.says(true, `trusted now`, append([]string{"trust"}, flags...)...)
	if !strings.Contains(a.list(), "Institution (warcorder trust)") {
		t.Error(a.list())
	}
	a.says(true, `removed +Institution`, "untrust")
	if after := a.list(); after != before {
		t.Errorf("afterwards: %s", after)
	}
}

// ownAuthority makes the files of an authority that is none of ours.
func ownAuthority(t *testing.T, dir string) (cert, key string) {
	t.Helper()
	if _, err := exec.LookPath("openssl"); err != nil {
		t.Skip("no openssl on this machine")
	}
	cert, key = filepath.Join(dir, "own.pem"), filepath.Join(dir, "own.key")
	out, err := exec.Command("openssl", "req", "-x509", "-newkey", "ec",
		"-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=Institution",
		"-addext", "keyUsage=keyCertSign", "-keyout", key, "-out", cert).CombinedOutput()
	if err != nil {
		t.Fatalf("openssl: %v: %s", err, out)
	}
	if err := os.Chmod(key, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := certs.OpenOwn(cert, key); err != nil {
		t.Fatal(err)
	}
	return cert, key
}
