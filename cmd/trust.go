package cmd

import (
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"

	"warcorder/certs"
	"warcorder/certs/stores"
)

type trustCommand struct {
	trustingFlags
}

// Run makes the browsers of this account, or the system, trust the certificate, and says what it
// did, what it could not do and what is left to the person.
func (c *trustCommand) Run(line *commandLine) error {
	t, end, err := c.begin(line)
	if err != nil {
		return err
	}
	defer end()
	there, err := line.present()
	if err != nil {
		return err
	}
	if there == nil && c.System {
		return errors.New("there is no root certificate in " + t.caDir + ": run warcorder trust as who " +
			"records, and then this with --ca-dir and the directory in which that one keeps it")
	}
	if there == nil && c.DryRun {
		fmt.Println("would make a root certificate in " + t.caDir + ", and add it to:")
		for _, store := range t.stores {
			t.say("", store)
		}
		return nil
	}
	authority, err := line.authority()
	if err != nil {
		return err
	}
	if err := t.addAll(authority); err != nil {
		return err
	}
	t.leftToDo()
	return t.result()
}

// addAll makes each store trust what clients have to trust.
func (t *trusting) addAll(authority *certs.Authority) error {
	cert, err := x509.ParseCertificate(authority.DER())
	if err != nil {
		return err
	}
	fmt.Printf("%s\nSHA-256 %s\n\n", t.text(certs.NameOf(cert)), fingerprint(cert))
	each := func(file string) error {
		for _, store := range t.stores {
			if err := t.add(store, cert, file); err != nil {
				t.complain(store, err)
			}
		}
		return nil
	}
	if authority.IsAlone() {
		return each(authority.File())
	}
	return withFile(cert, each)
}

// add makes one store trust the certificate.
func (t *trusting) add(store stores.Store, cert *x509.Certificate, file string) error {
	held, err := t.in(store, cert)
	if err != nil {
		return err
	}
	if held != nil && held.Trusted {
		t.trusted = true
		t.say("already trusted", store)
		return nil
	}
	steps := store.Adding(cert, file, held)
	if t.DryRun {
		t.say("would trust", store)
		return t.do(steps)
	}
	note := stores.Note{Certificate: cert.Raw, Store: store.ID(), Added: time.Now().UTC()}
	if held != nil {
		note.Was = held.Flags
	}
	if err := t.notes.Write(note); err != nil {
		return err
	}
	if err := t.do(steps); err != nil {
		return errors.Join(err, t.notes.Drop(note))
	}
	if held, err = t.in(store, cert); err == nil && (held == nil || !held.Trusted) {
		err = errors.New("it was added, and is not trusted there")
	}
	if err == nil {
		t.changed, t.trusted = true, true
		t.say("trusted now", store)
	}
	return err
}

// leftToDo says what remains for the person.
func (t *trusting) leftToDo() {
	if isFirefoxUnused(t.stores) && !t.System {
		t.say("not yet", "Firefox, which has no profile: start it once, then run this again")
	}
	if who := os.Getenv("SUDO_USER"); who != "" && os.Geteuid() == 0 && !t.System {
		t.say("not done", "the browsers of "+who+": run this without sudo")
	}
	switch {
	case t.DryRun:
		fmt.Println("\nNothing was changed.")
	case !t.trusted:
		fmt.Printf("\nNothing trusts it. By hand: %s ca --out DIR writes it, and a browser's settings "+
			"import it.\n", startedAs(os.Args[0]))
	case t.System:
		fmt.Println("\nPrograms know it when they start again. To take it away again, as root:\n" +
			"  " + startedAs(os.Args[0]) + " untrust --system --ca-dir " + stores.Quoted(t.caDir))
	default:
		if t.changed {
			fmt.Println("\nStart those browsers again that are open.")
		}
		program := startedAs(os.Args[0])
		fmt.Printf("\nPrograms have lists of their own; for one of them: %s run -- COMMAND\n"+
			"When you are done, take the trust away again: %s untrust\n", program, program)
	}
}

// isFirefoxUnused reports whether Firefox is there, has a database of its own on this system, and
// has not made it yet.
func isFirefoxUnused(all []stores.Store) bool {
	ofFirefox := func(s stores.Store) bool { return strings.HasPrefix(s.String(), "Firefox") }
	if runtime.GOOS == "darwin" || runtime.GOOS == "windows" || slices.ContainsFunc(all, ofFirefox) {
		return false
	}
	for _, name := range []string{"firefox", "firefox-esr"} {
		if _, err := exec.LookPath(name); err == nil {
			return true
		}
	}
	return false
}
