package cmd

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"warcorder/certs"
	"warcorder/certs/stores"
)

// trustingFlags are those of trust and untrust.
type trustingFlags struct {
	System bool
	DryRun bool `name:"dry-run"`
}

// trusting is what trust and untrust work with.
type trusting struct {
	trustingFlags
	ctx     context.Context
	caDir   string
	account stores.Account
	stores  []stores.Store
	notes   stores.Notes
	changed bool // something was done
	trusted bool // by one store or more
	wrong   bool // something could not be done, and was said
}

// begin finds the stores that are concerned. The work ends at a signal.
func (f trustingFlags) begin(line *commandLine) (t *trusting, end func(), err error) {
	t = &trusting{trustingFlags: f}
	if t.caDir, err = line.caDir(); err != nil {
		return nil, nil, err
	}
	t.notes = stores.Notes(filepath.Join(t.caDir, "trusted"))
	if f.System {
		store, has := stores.OfSystem("/", runtime.GOOS)
		if !has {
			return nil, nil, errors.New("this system has no store of its own that is known here")
		}
		t.stores = []stores.Store{store}
	} else {
		if t.account, err = stores.ThisAccount(); err != nil {
			return nil, nil, err
		}
		t.stores = stores.OfAccount(t.account, runtime.GOOS)
	}
	t.ctx, end = signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	return t, end, nil
}

// say tells what became of a store, or of a certificate in one.
func (t *trusting) say(what string, of any) { fmt.Printf("  %-16s %s\n", what, t.text(of)) }

// text writes paths as people do, and nothing that a terminal would obey: names of profiles and of
// certificates are others' to choose.
func (t *trusting) text(of any) string {
	text := printable(fmt.Sprint(of))
	if home := t.account.Home; len(home) > 1 {
		text = strings.ReplaceAll(text, home+string(filepath.Separator), "~"+string(filepath.Separator))
	}
	return text
}

// complain tells what could not be done, and why.
func (t *trusting) complain(of any, err error) {
	t.wrong = true
	if errors.Is(err, fs.ErrPermission) && t.System {
		err = fmt.Errorf("%w (only root may; with sudo, say --ca-dir %s)", err, t.caDir)
	}
	fmt.Fprintf(os.Stderr, "  %-16s %s: %s\n", "NOT DONE", t.text(of), t.text(err))
}

// result is the command's, once all is said.
func (t *trusting) result() error {
	if t.wrong {
		return errSaid
	}
	return nil
}

// do takes steps, or shows them.
func (t *trusting) do(steps []stores.Step) error {
	if !t.DryRun {
		return stores.Do(t.ctx, steps)
	}
	for _, step := range steps {
		fmt.Println("     ", printable(step.String()))
	}
	return nil
}

// in returns how a store holds a certificate, or nil.
func (t *trusting) in(store stores.Store, cert *x509.Certificate) (*stores.Held, error) {
	found, err := store.Find(t.ctx, stores.Search{Roots: []*x509.Certificate{cert}})
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

// withFile calls work with a file that has a certificate alone.
func withFile(cert *x509.Certificate, work func(file string) error) error {
	dir, err := os.MkdirTemp("", "warcorder-trust-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "warcorder-ca.pem")
	if err := os.WriteFile(file, stores.PEM(cert), 0o600); err != nil {
		return err
	}
	return work(file)
}

// fingerprint is the hash of a certificate as browsers show it.
func fingerprint(cert *x509.Certificate) string {
	sum := sha256.Sum256(cert.Raw)
	return strings.ReplaceAll(fmt.Sprintf("% X", sum[:]), " ", ":")
}

// present returns the certificate that clients are to trust, or nil where there is none yet. The
// key need not be there.
func (line *commandLine) present() (*x509.Certificate, error) {
	file := line.CACert
	if file == "" {
		dir, err := line.caDir()
		if err != nil {
			return nil, err
		}
		file = certs.RootFile(dir)
	}
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) && line.CACert == "" {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	chain, err := certs.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s %w", file, err)
	}
	return chain[len(chain)-1], nil
}

func isSame(a, b *x509.Certificate) bool { return bytes.Equal(a.Raw, b.Raw) }
