package stores

import (
	"context"
	"crypto/sha256"
	"crypto/x509"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Anchors is the directory in which a Linux distribution takes roots of one's own, and the command
// that makes of them what curl, wget, git, Python and others read.
type Anchors struct {
	Dir    string
	Suffix string   // of its files
	Update []string // when one was added
	Fresh  []string // when one was removed, if Update would leave something of it
	Hooks  string   // a directory of programs that hear of what is added, and of no removal
}

// distributions are those of Debian, Fedora, Arch and openSUSE, and what is made of them. Debian's
// hooks make the trust store of Java.
var distributions = []Anchors{
	{"usr/local/share/ca-certificates", ".crt", []string{"update-ca-certificates"},
		[]string{"update-ca-certificates", "--fresh"}, "etc/ca-certificates/update.d"},
	{"etc/pki/ca-trust/source/anchors", ".pem", []string{"update-ca-trust", "extract"}, nil, ""},
	{"etc/ca-certificates/trust-source/anchors", ".crt", []string{"trust", "extract-compat"}, nil, ""},
	{"usr/share/pki/trust/anchors", ".pem", []string{"update-ca-certificates"}, nil, ""},
}

func anchorsOf(root string) (Store, bool) {
	for _, anchors := range distributions {
		anchors.Dir = filepath.Join(root, anchors.Dir)
		if anchors.Hooks != "" {
			anchors.Hooks = filepath.Join(root, anchors.Hooks)
		}
		if info, err := os.Stat(anchors.Dir); err == nil && info.IsDir() {
			return anchors, true
		}
	}
	return nil, false
}

func (a Anchors) String() string { return "the system's store (" + a.Dir + ")" }

// ID implements Store.
func (a Anchors) ID() string { return "anchors:" + a.Dir }

// prefix begins the names of files that are ours.
const prefix = "warcorder-"

// file is where a certificate is, once it is added.
func (a Anchors) file(cert *x509.Certificate) string {
	sum := sha256.Sum256(cert.Raw)
	return filepath.Join(a.Dir, fmt.Sprintf("%s%x%s", prefix, sum[:8], a.Suffix))
}

// Find implements Store, for what warcorder has put there: what others have put there, by whatever
// name, stays.
func (a Anchors) Find(_ context.Context, search Search) (found []Held, err error) {
	for _, file := range glob(a.Dir, prefix+"*"+a.Suffix) {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for _, held := range search.held(parseAll(text)) {
			if a.file(held.Cert) == file {
				found = append(found, held)
			}
		}
	}
	return found, nil
}

// Adding implements Store.
func (a Anchors) Adding(cert *x509.Certificate, _ string, _ *Held) []Step {
	return []Step{{Write: a.file(cert), Text: PEM(cert)}, {Run: a.Update}}
}

// Removing implements Store.
func (a Anchors) Removing(held Held, _, _ string) []Step {
	file := a.file(held.Cert)
	steps := []Step{{Remove: file}, {Run: a.Update}}
	if a.Fresh != nil {
		steps[1].Run = a.Fresh
	}
	if a.Hooks == "" {
		return steps
	}
	link := "/etc/ssl/certs/" + strings.TrimSuffix(filepath.Base(file), a.Suffix) + ".pem"
	for _, hook := range glob(a.Hooks, "*") {
		steps = append(steps, Step{Run: []string{hook}, Text: []byte("-" + link + "\n")})
	}
	return steps
}
