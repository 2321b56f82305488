// Package stores is the places where browsers and systems keep the roots that they trust: it finds
// those of an account, looks what is in them, and knows the commands by which a certificate is
// added and taken away. Start with [OfAccount] or [OfSystem]; ask a [Store] what it holds, and [Do]
// the steps that it names. [Notes] remember what was added.
//
// Invariant: nothing changes but by a step, and whoever wants to see the steps first can. A step
// concerns one certificate, which was compared byte for byte; what the store held before is there
// after it is taken away again.
//
// What is done by whom:
//
//	Linux and others   certutil of NSS, for the databases of Chromium and Firefox
//	                   a file and the system's own command, for the system's store
//	macOS              security, for the keychain
//	Windows            certutil of Windows, for the store Root
package stores

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/pem"
	"strings"

	"warcorder/certs"
)

// Store is one place that holds roots.
type Store interface {
	// String is what people call it.
	String() string
	// ID tells it from all others, also in the notes of a later run.
	ID() string
	// Find returns what of the search is in it.
	Find(ctx context.Context, search Search) ([]Held, error)
	// Adding returns the steps that make it trust a certificate, which is in file as PEM. If it is
	// held there without being trusted, held says how.
	Adding(cert *x509.Certificate, file string, held *Held) []Step
	// Removing returns the steps that take a certificate away which is held there, or, where was is
	// set, bring its trust back to that. The certificate is in file as PEM.
	Removing(held Held, file, was string) []Step
}

// Held is a certificate in a store.
type Held struct {
	Cert     *x509.Certificate
	Trusted  bool   // for the certificates of servers
	Nickname string // in NSS
	Flags    string // of trust, in NSS
}

// Search is what to look for.
type Search struct {
	Roots []*x509.Certificate // these
	Ours  bool                // and each that warcorder has made, here or elsewhere
}

// matches reports whether a certificate is looked for.
func (s Search) matches(cert *x509.Certificate) bool {
	for _, root := range s.Roots {
		if bytes.Equal(cert.Raw, root.Raw) {
			return true
		}
	}
	return s.Ours && certs.IsOurs(cert)
}

// mayBe reports whether a certificate of that nickname is worth a look.
func (s Search) mayBe(nickname string) bool {
	for _, root := range s.Roots {
		if strings.Contains(nickname, certs.NameOf(root)) {
			return true
		}
	}
	return s.Ours && strings.Contains(nickname, certs.OurName)
}

// PEM returns a certificate as the commands read it.
func PEM(cert *x509.Certificate) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert.Raw})
}

// parseAll returns the certificates of a PEM text; what cannot be read is none of ours.
func parseAll(text []byte) (all []*x509.Certificate) {
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if cert, err := x509.ParseCertificate(block.Bytes); err == nil {
			all = append(all, cert)
		}
	}
	return all
}

// held returns those of the certificates that are looked for, each once.
func (s Search) held(all []*x509.Certificate) (found []Held) {
	seen := map[string]bool{}
	for _, cert := range all {
		if s.matches(cert) && !seen[string(cert.Raw)] {
			seen[string(cert.Raw)] = true
			found = append(found, Held{Cert: cert, Trusted: true})
		}
	}
	return found
}

// Noted returns the store that a note names and that is none of those, if it can be found again: an
// account may have had another home.
func Noted(id string, others []Store) (Store, bool) {
	for _, other := range others {
		if other.ID() == id {
			return nil, false
		}
	}
	dir, is := strings.CutPrefix(id, nssID)
	return Database{"a database of before", dir}, is
}

// OfAccount returns the stores of an account, on the system that GOOS names.
func OfAccount(account Account, system string) []Store {
	switch system {
	case "darwin":
		return []Store{Keychain{Path: account.Home + "/Library/Keychains/login.keychain-db"}}
	case "windows":
		return []Store{WindowsRoots{}}
	}
	var all []Store
	for _, database := range databases(account) {
		all = append(all, database)
	}
	return all
}

// OfSystem returns the store that all accounts share, or false if this system has none that we
// know. Linux distributions are told apart by the directories below root, which is "/".
func OfSystem(root, system string) (Store, bool) {
	switch system {
	case "darwin":
		return Keychain{Path: "/Library/Keychains/System.keychain", System: true}, true
	case "windows":
		return WindowsRoots{Machine: true}, true
	}
	return anchorsOf(root)
}
