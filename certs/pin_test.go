package certs

import (
	"os/exec"
	"strings"
	"testing"
)

// TestPin: the hash is the one that OpenSSL makes of the key.
func TestPin(t *testing.T) {
	authority, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	chain, err := Parse(authority.PEM())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := exec.LookPath("openssl"); err != nil {
		t.Skip("no openssl here")
	}
	openssl := exec.Command("sh", "-c", "openssl x509 -pubkey -noout | openssl pkey -pubin -outform der | "+
		"openssl dgst -sha256 -binary | openssl base64")
	openssl.Stdin = strings.NewReader(string(authority.PEM()))
	want, err := openssl.Output()
	if err != nil || Pin(chain[0]) != strings.TrimSpace(string(want)) {
		t.Errorf("%s, want %s, %v", Pin(chain[0]), want, err)
	}
}
