package cmd

import (
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"warcorder/certs"
	"warcorder/certs/stores"
)

type untrustCommand struct {
	trustingFlags
	All bool
}

// Run takes away what trust has added: the present root, and what the notes name. Where neither is
// there any more, each root of warcorder's is taken for ours. It needs no key.
func (c *untrustCommand) Run(line *commandLine) error {
	t, end, err := c.begin(line)
	if err != nil {
		return err
	}
	defer end()
	u := &untrusting{trusting: t, all: c.All}
	if u.notes, err = t.notes.All(); err != nil {
		return err
	}
	present, err := line.present()
	if err != nil {
		return err
	}
	if present != nil {
		u.known = append(u.known, present)
	}
	u.learn()
	for _, store := range t.stores {
		u.clear(store)
	}
	u.conclude()
	return t.result()
}

// untrusting is what untrust works with.
type untrusting struct {
	*trusting
	all    bool // each root of warcorder's goes, and not only those that are known here
	known  []*x509.Certificate
	notes  []stores.Note
	found  int
	others []string // the names of roots that stay
}

// learn takes from the notes which certificates and which stores are concerned.
func (u *untrusting) learn() {
	for _, note := range u.notes {
		if cert, err := note.Cert(); err == nil {
			u.known = append(u.known, cert)
		}
		if store, is := stores.Noted(note.Store, u.stores); is && !u.System {
			u.stores = append(u.stores, store)
		}
	}
	u.all = u.all || len(u.known) == 0
}

// clear takes out of a store what is to go.
func (u *untrusting) clear(store stores.Store) {
	found, err := store.Find(u.ctx, stores.Search{Roots: u.known, Ours: true})
	if err != nil {
		u.complain(store, err)
		return
	}
	for _, held := range found {
		if err := u.takeAway(store, held); err != nil {
			u.complain(store, err)
		}
	}
	u.forget(store, found)
}

// takeAway removes a certificate if it is ours to remove.
func (u *untrusting) takeAway(store stores.Store, held stores.Held) error {
	note, isNoted := u.noteOf(store, held.Cert)
	name := certs.NameOf(held.Cert)
	same := func(cert *x509.Certificate) bool { return isSame(cert, held.Cert) }
	switch {
	case isNoted:
	case !certs.IsOurs(held.Cert) && !held.Trusted:
		return nil // a site has sent it
	case !certs.IsOurs(held.Cert):
		return fmt.Errorf("%s was not added by warcorder trust, and stays: take it away in the "+
			"browser's settings if it is to go", name)
	case !u.all && !slices.ContainsFunc(u.known, same):
		u.others = append(u.others, name)
		return nil
	}
	u.found++
	if u.DryRun {
		u.say("would remove", name+" from "+store.String())
	}
	err := withFile(held.Cert, func(file string) error {
		return u.do(store.Removing(held, file, note.Was))
	})
	if err != nil || u.DryRun {
		return err
	}
	if still, err := u.in(store, held.Cert); err != nil || still != nil && still.Trusted {
		return errors.Join(err, fmt.Errorf("%s is still trusted there", name))
	}
	u.changed = true
	u.say("removed", name+" from "+store.String())
	return nil
}

// noteOf returns the note of a certificate in a store.
func (u *untrusting) noteOf(store stores.Store, cert *x509.Certificate) (stores.Note, bool) {
	for _, note := range u.notes {
		if held, err := note.Cert(); err == nil && note.Store == store.ID() && isSame(held, cert) {
			return note, true
		}
	}
	return stores.Note{}, false
}

// forget drops the notes of a store whose certificates are no longer trusted there.
func (u *untrusting) forget(store stores.Store, found []stores.Held) {
	for _, note := range u.notes {
		if note.Store != store.ID() || u.DryRun {
			continue
		}
		cert, err := note.Cert()
		if err != nil {
			continue
		}
		if held, err := u.in(store, cert); err != nil || held != nil && held.Trusted {
			continue
		}
		if err := u.trusting.notes.Drop(note); err != nil {
			u.complain(store, err)
		}
	}
}

// conclude says what is left.
func (u *untrusting) conclude() {
	if u.found == 0 && !u.wrong {
		fmt.Println("No root of warcorder's was trusted here.")
	}
	slices.Sort(u.others)
	for _, name := range slices.Compact(u.others) {
		fmt.Printf("%s stays: it is another installation's; --all removes it too.\n", u.text(name))
	}
	if u.changed && !u.System {
		fmt.Println("\nStart those browsers again that are open.")
		if _, err := os.Stat(filepath.Join(u.caDir, "ca")); err == nil {
			fmt.Println("The root and its key stay in\n" + u.text(u.caDir) +
				", which you may remove when nothing records with it any more.")
		}
	}
	system, has := stores.OfSystem("/", runtime.GOOS)
	if !has || u.System {
		return
	}
	left, err := system.Find(u.ctx, stores.Search{Roots: u.known, Ours: true})
	if err == nil && len(left) > 0 {
		fmt.Fprintf(os.Stderr, "%s has %s too; as root:\n  %s untrust --system --ca-dir %s\n",
			system, u.text(certs.NameOf(left[0].Cert)), startedAs(os.Args[0]), stores.Quoted(u.caDir))
	}
}
