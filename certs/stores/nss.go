package stores

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"

	"warcorder/certs"
)

// certutil is the program of NSS, by its name in PATH.
const certutil = "certutil"

// Database is a certificate database of NSS, which Chromium has one of for an account and Firefox
// one in each profile. It may not be there yet.
type Database struct {
	Of  string // whose it is
	Dir string
}

func (d Database) String() string { return d.Of + " (" + d.Dir + ")" }

// ID implements Store.
func (d Database) ID() string { return nssID + d.Dir }

const nssID = "nss:"

// exists reports whether there is a database that certutil can read.
func (d Database) exists() bool {
	_, err := os.Stat(filepath.Join(d.Dir, "cert9.db"))
	return err == nil
}

// command is certutil on this database. The empty password is that of a database without one: who
// is there is not asked for another.
func (d Database) command(args ...string) []string {
	return append([]string{certutil, "-d", "sql:" + d.Dir, "-f", os.DevNull}, args...)
}

// forServers are the flags by which NSS trusts a root for the certificates of servers, and for
// nothing else.
const forServers = "C,,"

// Adding implements Store.
func (d Database) Adding(cert *x509.Certificate, file string, held *Held) (steps []Step) {
	if _, err := os.Stat(d.Dir); err != nil {
		steps = append(steps, Step{Make: d.Dir})
	}
	if !d.exists() {
		steps = append(steps, Step{Run: d.command("-N", "--empty-password")})
	}
	if held != nil {
		return append(steps, Step{Run: d.command("-M", "-t", forServers, "-n", held.Nickname)})
	}
	name := nickname(cert)
	return append(steps, Step{
		Run: d.command("-A", "-t", forServers, "-n", name, "-i", file),
		// where a password is asked for, it is in, and is not trusted
		Undo: d.command("-D", "-n", name),
	})
}

// nickname is what a certificate is called in a database. No other certificate there has that name:
// the names of our own differ, and those of others say that they came by us. What stands before a
// colon NSS would take for a device.
func nickname(cert *x509.Certificate) string {
	name := strings.Map(func(r rune) rune {
		if r == ':' || !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, certs.NameOf(cert))
	if certs.IsOurs(cert) {
		return name
	}
	return name + " (warcorder trust)"
}

// Removing implements Store.
func (d Database) Removing(held Held, _, was string) []Step {
	if was != "" {
		return []Step{{Run: d.command("-M", "-t", was, "-n", held.Nickname)}}
	}
	return []Step{{Run: d.command("-D", "-n", held.Nickname)}}
}

// Find implements Store. It reads the list of names, and of the certificates those that a name or
// their trust make worth a look: the rest is what sites have sent.
func (d Database) Find(ctx context.Context, search Search) (found []Held, err error) {
	if !d.exists() {
		return nil, nil
	}
	list, err := run(ctx, d.command("-L"))
	if err != nil {
		return nil, err
	}
	for _, row := range parseList(string(list)) {
		if !row.Trusted && !search.mayBe(row.Nickname) {
			continue
		}
		all, err := d.certificates(ctx, row.Nickname)
		if err != nil {
			return nil, err
		}
		for _, held := range search.held(all) {
			if len(all) > 1 {
				return nil, fmt.Errorf("%d certificates are called %q there: take the one of %s away in "+
					"the browser's settings", len(all), row.Nickname, certs.NameOf(held.Cert))
			}
			row.Cert = held.Cert
			found = append(found, row)
		}
	}
	return found, nil
}

// certificates returns those of a nickname. One that only looks like a nickname has none.
func (d Database) certificates(ctx context.Context, nickname string) ([]*x509.Certificate, error) {
	out, err := run(ctx, d.command("-L", "-n", nickname, "-a"))
	var missing *MissingError
	if errors.As(err, &missing) || ctx.Err() != nil {
		return nil, err
	}
	if err != nil {
		return nil, nil
	}
	return parseAll(out), nil
}

// row is a line of certutil -L: a name, and what it is trusted for (servers, mail, code).
var row = regexp.MustCompile(`(?m)^(.+?) +([a-zA-Z]*,[a-zA-Z]*,[a-zA-Z]*) *$`)

// parseList reads what certutil -L prints. Names are the sites' to choose: one with a line break in
// it may stand for a row, and no certificate is found by that.
func parseList(list string) (rows []Held) {
	for _, match := range row.FindAllStringSubmatch(list, -1) {
		servers, _, _ := strings.Cut(match[2], ",")
		rows = append(rows, Held{
			Nickname: match[1],
			Flags:    match[2],
			Trusted:  strings.Contains(servers, "C"),
		})
	}
	return rows
}
