// Package access knows who may use the proxy by name and password: the users that a setting names
// (Users), what a client sends to show that it is one of them, and whether that is so (Door).
//
// A password is kept as its bcrypt hash, which takes a tenth of a second to compare, so that a list
// that is stolen tells little. A Door compares each credential once, and knows it again by a keyed
// hash of its own.
//
// Invariant: neither a password nor the hash of one is in an error, a log line or a String. What a
// client sends costs a bounded number of comparisons at a time and bounded memory, whatever it is,
// and a credential that was good is known again without waiting for any of them.
package access

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/crypto/bcrypt"
)

// Users are those who may use the proxy. The zero value has none.
type Users struct {
	names  []string
	hashes []string // of their passwords, as crypt(3) writes them
}

// MaxCost is the largest cost of a hash: each step doubles the time that a comparison takes, which
// is a second at this one.
const MaxCost = 14

// maxName is the length of the longest name, in bytes.
const maxName = 200

// ParseUsers reads a comma-separated list of NAME:BCRYPT, as htpasswd -B writes each. An empty text
// has no users.
func ParseUsers(text string) (u Users, err error) {
	if strings.TrimSpace(text) == "" {
		return u, nil
	}
	at := 0
	for one := range strings.SplitSeq(text, ",") {
		at++
		name, hash, found := strings.Cut(strings.TrimSpace(one), ":")
		if !found {
			return Users{}, fmt.Errorf("user %d is not NAME:BCRYPT: warcorder password NAME prints what is "+
				"to be here (in a shell, in single quotes: there are dollar signs in it)", at)
		}
		if err := checkName(name); err != nil {
			return Users{}, fmt.Errorf("user %d: %w", at, err)
		}
		if err := checkHash(hash); err != nil {
			return Users{}, fmt.Errorf("user %s: %w", strconv.QuoteToGraphic(name), err)
		}
		if slices.Contains(u.names, name) {
			return Users{}, errTwice(name)
		}
		u.names, u.hashes = append(u.names, name), append(u.hashes, hash)
	}
	return u, nil
}

// With returns the users and those of more, of whom none may be there already.
func (u Users) With(more Users) (Users, error) {
	for _, name := range more.names {
		if slices.Contains(u.names, name) {
			return Users{}, errTwice(name)
		}
	}
	return Users{slices.Concat(u.names, more.names), slices.Concat(u.hashes, more.hashes)}, nil
}

func errTwice(name string) error {
	return fmt.Errorf("user %s is there twice: which password counts?", strconv.QuoteToGraphic(name))
}

// IsEmpty reports that there are no users.
func (u Users) IsEmpty() bool { return len(u.names) == 0 }

// String gives the names, and nothing of the passwords.
func (u Users) String() string { return strings.Join(u.names, ",") }

// GoString is String, so that no verb of fmt shows the hashes.
func (u Users) GoString() string { return u.String() }

// checkName refuses what no client could send as a name (RFC 7617 section 2), or no list could
// hold.
func checkName(name string) error {
	switch {
	case name == "":
		return errors.New("the name is empty")
	case len(name) > maxName:
		return fmt.Errorf("the name is longer than %d bytes", maxName)
	case !utf8.ValidString(name):
		return errors.New("the name is not UTF-8")
	case strings.ContainsAny(name, ":,"):
		return errors.New("a name can have no colon and no comma in it")
	case strings.TrimSpace(name) != name || strings.ContainsFunc(name, unicode.IsControl):
		return errors.New("the name has blanks at its ends, or control characters in it")
	}
	return nil
}

// A bcrypt hash, as crypt(5) has it, is 60 bytes:
//
//	$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy
//	 │   │  └ salt, 22            └ hash, 31 of ./A-Za-z0-9
//	 │   └ cost: 2 to its power is how many rounds
//	 └ version: 2a, 2b, 2y are one for passwords of up to 255 bytes
const (
	hashSize   = 60
	prefixSize = len("$2b$10$")
	inHash     = "./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
)

// checkHash refuses what is no bcrypt hash, in words that do not show it.
func checkHash(hash string) error {
	if len(hash) < prefixSize || hash[:2] != "$2" || !strings.Contains("aby", hash[2:3]) ||
		hash[3] != '$' || hash[6] != '$' {
		return errors.New("behind the name there must be a bcrypt hash, which begins with $2a$, $2b$ or " +
			"$2y$: warcorder password NAME and htpasswd -nB NAME print one (in a shell, in single quotes: " +
			"there are dollar signs in it)")
	}
	if len(hash) != hashSize || strings.Trim(hash[prefixSize:], inHash) != "" {
		return fmt.Errorf("the bcrypt hash is damaged: it has %d bytes and must have %d, of letters, "+
			"digits, dots and slashes", len(hash), hashSize)
	}
	cost, err := bcrypt.Cost([]byte(hash))
	if err != nil || cost > MaxCost {
		return fmt.Errorf("the cost of the bcrypt hash must be from %d to %d: at %d one comparison takes "+
			"a second, and each step doubles that", bcrypt.MinCost, MaxCost, MaxCost)
	}
	return nil
}

// MaxPassword is the length of the longest password, in bytes: bcrypt looks no further.
const MaxPassword = 72

// New makes what ParseUsers reads of one user.
func New(name, password string) (string, error) {
	if err := checkName(name); err != nil {
		return "", err
	}
	switch {
	case password == "":
		return "", errors.New("the password is empty")
	case !utf8.ValidString(password) || strings.ContainsFunc(password, unicode.IsControl):
		return "", errors.New("the password is not UTF-8, or has control characters in it")
	case len(password) > MaxPassword:
		return "", fmt.Errorf("the password is longer than %d bytes, and bcrypt looks no further",
			MaxPassword)
	}
	hash, err := bcrypt.GenerateFromPassword([]byte(password), bcrypt.DefaultCost)
	return name + ":" + string(hash), err
}
