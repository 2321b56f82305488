package stores

import (
	"bytes"
	"context"
	"crypto/sha1"
	"crypto/x509"
	"fmt"
	"slices"
	"strings"

	"warcorder/certs"
)

// Keychain is a keychain of macOS, which Safari, Chrome, Edge and Firefox 120 and later ask.
type Keychain struct {
	Path   string
	System bool // its trust is that of all accounts
}

// security is the program of macOS.
const security = "/usr/bin/security"

func (k Keychain) String() string {
	if k.System {
		return "the system's keychain"
	}
	return "the login keychain: Safari, Chrome, Edge, Firefox"
}

// ID implements Store.
func (k Keychain) ID() string { return "keychain:" + k.Path }

// Find implements Store.
func (k Keychain) Find(ctx context.Context, search Search) ([]Held, error) {
	all, err := run(ctx, []string{security, "find-certificate", "-a", "-p", k.Path})
	if err != nil {
		return nil, err
	}
	found := search.held(parseAll(all))
	if len(found) == 0 {
		return nil, nil
	}
	// It fails where there is no trust at all, and says nothing that would be misread.
	trust, _ := run(ctx, append([]string{security, "dump-trust-settings"}, k.domain()...))
	for i := range found {
		found[i].Trusted = slices.Contains(parseTrust(string(trust)), certs.NameOf(found[i].Cert))
	}
	return found, nil
}

// parseTrust returns the names that security dump-trust-settings prints: Cert 0: NAME.
func parseTrust(text string) (names []string) {
	for line := range strings.Lines(text) {
		head, name, is := strings.Cut(strings.TrimSpace(line), ": ")
		if is && strings.HasPrefix(head, "Cert ") {
			names = append(names, name)
		}
	}
	return names
}

// domain is the option for the trust of all accounts.
func (k Keychain) domain() []string {
	if k.System {
		return []string{"-d"}
	}
	return nil
}

// Adding implements Store. macOS asks the person for consent.
func (k Keychain) Adding(cert *x509.Certificate, file string, _ *Held) []Step {
	as := "trustRoot"
	if !bytes.Equal(cert.RawIssuer, cert.RawSubject) {
		as = "trustAsRoot"
	}
	return []Step{{Run: slices.Concat([]string{security, "add-trusted-cert"}, k.domain(),
		[]string{"-r", as, "-k", k.Path, file})}}
}

// Removing implements Store.
func (k Keychain) Removing(held Held, file, _ string) []Step {
	var steps []Step
	if held.Trusted {
		steps = append(steps, Step{Run: slices.Concat([]string{security, "remove-trusted-cert"},
			k.domain(), []string{file})})
	}
	return append(steps, Step{Run: []string{security, "delete-certificate",
		"-Z", thumbprint(held.Cert), k.Path}})
}

// thumbprint is the SHA-1 of a certificate, by which macOS and Windows name it.
func thumbprint(cert *x509.Certificate) string { return fmt.Sprintf("%X", sha1.Sum(cert.Raw)) }
