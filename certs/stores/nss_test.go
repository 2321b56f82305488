package stores

import (
	"context"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"warcorder/certs"
)

// TestParseList: names may have blanks in them, and commas, and what looks like trust.
func TestParseList(t *testing.T) {
	list := `
Certificate Nickname                                         Trust Attributes
                                                             SSL,S/MIME,JAR/XPI

warcorder CA here 2026-01-01 abcdef                          C,,  
A, B  C,,  and more                                          ,,   
with a key                                                   u,u,u
all                                                          CT,C,C
distrusted                                                   p,p,p
`
	want := []Held{
		{Nickname: "warcorder CA here 2026-01-01 abcdef", Flags: "C,,", Trusted: true},
		{Nickname: "A, B  C,,  and more", Flags: ",,"},
		{Nickname: "with a key", Flags: "u,u,u"},
		{Nickname: "all", Flags: "CT,C,C", Trusted: true},
		{Nickname: "distrusted", Flags: "p,p,p"},
	}
	var rows []Held
	for _, row := range parseList(list) {
		if row.Nickname != "" && !strings.Contains(row.Nickname, "Nickname") {
			rows = append(rows, row)
		}
	}
	if len(rows) != len(want) {
		t.Fatalf("%+v", rows)
	}
	for i := range want {
		if rows[i] != want[i] {
			t.Errorf("%+v, want %+v", rows[i], want[i])
		}
	}
}

// database is one in a directory of its own, which is not there yet, for who has certutil.
func database(t *testing.T) Database {
	t.Helper()
	if _, err := exec.LookPath(certutil); err != nil {
		t.Skip("no certutil of NSS on this machine")
	}
	return Database{"a test", filepath.Join(t.TempDir(), "o'neil $HOME")}
}

// certutil runs it on the database.
func (d Database) certutil(t *testing.T, args ...string) string {
	t.Helper()
	args = append([]string{"-d", "sql:" + d.Dir}, args...)
	out, err := exec.Command(certutil, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%q: %v: %s", args, err, out)
	}
	return string(out)
}

// find returns the one certificate of a search, or nil.
func (d Database) find(t *testing.T, search Search) *Held {
	t.Helper()
	found, err := d.Find(context.Background(), search)
	if err != nil || len(found) > 1 {
		t.Fatalf("%v, %v", found, err)
	}
	if len(found) == 0 {
		return nil
	}
	return &found[0]
}

// TestNSS: a root is trusted once it is added, and when it is taken away the list is what it was.
func TestNSS(t *testing.T) {
	d, ctx := database(t), context.Background()
	cert, file := ourRoot(t)
	search := Search{Roots: []*x509.Certificate{cert}}
	if d.find(t, search) != nil {
		t.Error("found in no database")
	}
	if err := Do(ctx, d.Adding(cert, file, nil)); err != nil {
		t.Fatal(err)
	}
	for i := range 30 { // what sites have sent
		other, file := otherRoot(t, pkix.Name{CommonName: "site", SerialNumber: strings.Repeat("i", i)})
		d.certutil(t, "-A", "-t", ",,", "-n", "site "+other.Subject.SerialNumber, "-i", file)
	}
	for _, search := range []Search{search, {Ours: true}} {
		held := d.find(t, search)
		if held == nil || !held.Trusted || held.Nickname != certs.NameOf(cert) || !held.Cert.Equal(cert) {
			t.Fatalf("%+v", held)
		}
		before := d.certutil(t, "-L")
		if err := Do(ctx, d.Removing(*held, file, "")); err != nil || d.find(t, search) != nil {
			t.Errorf("removed: %v", err)
		}
		want := strings.Count(before, "\n") - 1
		if after := d.certutil(t, "-L"); strings.Count(after, "\n") != want || d.find(t, search) != nil {
			t.Errorf("left: %s", after)
		}
		if err := Do(ctx, d.Adding(cert, file, nil)); err != nil {
			t.Fatal(err)
		}
	}
}

// TestNSSHeld: a certificate that is there by another name, without being trusted, gets its trust
// and loses it again.
func TestNSSHeld(t *testing.T) {
	d, ctx := database(t), context.Background()
	cert, file := otherRoot(t, pkix.Name{CommonName: "ACME Root"})
	search := Search{Roots: []*x509.Certificate{cert}}
	if err := os.MkdirAll(d.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	d.certutil(t, "-N", "--empty-password")
	d.certutil(t, "-A", "-t", "p,,", "-n", "ACME Root - ACME", "-i", file)
	before := d.certutil(t, "-L")
	held := d.find(t, search)
	if held == nil || held.Trusted || held.Flags != "p,," {
		t.Fatalf("%+v", held)
	}
	if err := Do(ctx, d.Adding(cert, file, held)); err != nil {
		t.Fatal(err)
	}
	added := d.find(t, search)
	if added == nil || !added.Trusted {
		t.Fatalf("%+v", added)
	}
	if err := Do(ctx, d.Removing(*added, file, held.Flags)); err != nil {
		t.Fatal(err)
	}
	if after := d.certutil(t, "-L"); after != before {
		t.Errorf("%s, and before %s", after, before)
	}
}

// TestNSSColon: a name is not taken for that of a device.
func TestNSSColon(t *testing.T) {
	d, ctx := database(t), context.Background()
	cert, file := otherRoot(t, pkix.Name{CommonName: "ACME: Root\nof all"})
	search := Search{Roots: []*x509.Certificate{cert}}
	if err := Do(ctx, d.Adding(cert, file, nil)); err != nil {
		t.Fatal(err)
	}
	held := d.find(t, search)
	if held == nil || held.Nickname != "ACME  Root of all (warcorder trust)" || !held.Trusted {
		t.Fatalf("%+v in %s", held, d.certutil(t, "-L"))
	}
	if err := Do(ctx, d.Removing(*held, file, "")); err != nil || d.find(t, search) != nil {
		t.Errorf("%v, and %s", err, d.certutil(t, "-L"))
	}
}

// TestNSSPassword: who has a password on a database is told so, and nothing is left in it.
func TestNSSPassword(t *testing.T) {
	d, ctx := database(t), context.Background()
	cert, file := ourRoot(t)
	if err := os.MkdirAll(d.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	password := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(password, []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	d.certutil(t, "-N", "-f", password)
	before := d.certutil(t, "-L")
	if err := Do(ctx, d.Adding(cert, file, nil)); !errors.Is(err, ErrPassword) {
		t.Errorf("with a password: %v", err)
	}
	if after := d.certutil(t, "-L"); after != before {
		t.Errorf("left: %s", after)
	}
}

// TestNSSNames: two certificates of one name are not taken for each other, and a row that a name
// with a line break makes is none.
func TestNSSNames(t *testing.T) {
	d, ctx := database(t), context.Background()
	cert, file := ourRoot(t)
	if err := Do(ctx, d.Adding(cert, file, nil)); err != nil {
		t.Fatal(err)
	}
	_, forged := otherRoot(t, pkix.Name{CommonName: "forged"})
	d.certutil(t, "-A", "-t", ",,", "-n", "x\nwarcorder CA forged C,,", "-i", forged)
	search := Search{Roots: []*x509.Certificate{cert}, Ours: true}
	if held := d.find(t, search); held == nil {
		t.Fatal("not found beside a forged name")
	}
	twin, file := otherRoot(t, cert.Subject)
	d.certutil(t, "-A", "-t", ",,", "-n", certs.NameOf(cert), "-i", file)
	found, err := d.Find(ctx, search)
	if err == nil || !strings.Contains(err.Error(), "2 certificates") {
		t.Errorf("beside a twin (%v): %v, %v", certs.IsOurs(twin), found, err)
	}
}
