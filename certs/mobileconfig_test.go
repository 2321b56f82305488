package certs

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// textsOf returns the texts of a property list's elements, by the elements' names.
func textsOf(t *testing.T, list []byte) map[string][]string {
	t.Helper()
	texts := map[string][]string{}
	name, decoder := "", xml.NewDecoder(bytes.NewReader(list))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return texts
		}
		if err != nil {
			t.Fatalf("%v in %s", err, list)
		}
		switch token := token.(type) {
		case xml.StartElement:
			name = token.Name.Local
		case xml.EndElement:
			name = ""
		case xml.CharData:
			if name != "" {
				texts[name] = append(texts[name], string(token))
			}
		}
	}
}

// profileOf returns the configuration profile of an authority.
func profileOf(t *testing.T, a *Authority) []byte {
	t.Helper()
	profile, err := a.Mobileconfig()
	if err != nil {
		t.Fatal(err)
	}
	return profile
}

// namedAuthority is an authority of another's, which bears any name.
func namedAuthority(t *testing.T, name string) *Authority {
	t.Helper()
	a, err := OpenOwn(writeOwn(t, issue(t, name, newEC(t), nil, nil)))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestMobileconfigAgain: a device takes the profile that comes again for the same, and that of
// another root for another; within one, no two things have one UUID.
func TestMobileconfigAgain(t *testing.T) {
	dir := t.TempDir()
	first, again := profileOf(t, open(t, dir)), profileOf(t, open(t, dir))
	if !bytes.Equal(first, again) {
		t.Errorf("another profile of the same root:\n%s\n%s", first, again)
	}
	uuids := regexp.MustCompile(`[0-9A-F]{8}-[0-9A-F]{4}-8[0-9A-F]{3}-[89AB][0-9A-F]{3}-[0-9A-F]{12}`)
	ids := regexp.MustCompile(`internal\.warcorder\.[a-z0-9.]+`)
	other := profileOf(t, open(t, t.TempDir()))
	for _, pattern := range []*regexp.Regexp{uuids, ids} {
		all := pattern.FindAllString(string(first)+string(other), -1)
		slices.Sort(all)
		if len(slices.Compact(slices.Clone(all))) != 4 || len(all) != 4 {
			t.Errorf("two profiles have %q", all)
		}
	}
}

// TestMobileconfigName: whatever an authority is called, the profile is well-formed, and a person
// finds the name in it twice: of the profile, and of the certificate.
func TestMobileconfigName(t *testing.T) {
	for _, name := range []string{
		"Staatsbibliothek <zu> \"Berlin\" & 'Söhne' ]]>", "a\tb\nc", "%s %[1]d",
	} {
		texts := textsOf(t, profileOf(t, namedAuthority(t, name)))
		got := 0
		for _, text := range texts["string"] {
			if text == name {
				got++
			}
		}
		if got != 2 {
			t.Errorf("%q is there %d times: %q", name, got, texts["string"])
		}
	}
}

// TestPlistlibReadsMobileconfig: a reader of others finds what Apple's systems look for.
func TestPlistlibReadsMobileconfig(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3 on this machine")
	}
	a := namedAuthority(t, "A <root> & more")
	dir := t.TempDir()
	if _, err := a.Export(dir); err != nil {
		t.Fatal(err)
	}
	script := exec.Command(python, "-c", `
import plistlib, sys
profile = plistlib.load(open(sys.argv[1], "rb"))
[root] = profile["PayloadContent"]
assert profile["PayloadType"] == "Configuration"
assert root["PayloadType"] == "com.apple.security.root"
assert profile["PayloadVersion"] == root["PayloadVersion"] == 1
assert profile["PayloadRemovalDisallowed"] is False
assert root["PayloadIdentifier"].startswith(profile["PayloadIdentifier"] + ".")
assert profile["PayloadDisplayName"] == root["PayloadDisplayName"] == "A <root> & more"
open(sys.argv[2], "wb").write(root["PayloadContent"])`,
		filepath.Join(dir, "warcorder-ca.mobileconfig"), filepath.Join(dir, "out"))
	if out, err := script.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if der, err := os.ReadFile(filepath.Join(dir, "out")); err != nil || !bytes.Equal(der, a.DER()) {
		t.Errorf("the certificate in it: %v", err)
	}
	got := openssl(t, "x509", "-inform", "DER", "-in", filepath.Join(dir, "out"), "-noout",
		"-subject")
	if !strings.Contains(got, "A <root> & more") {
		t.Errorf("openssl: %s", got)
	}
}
