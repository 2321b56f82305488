package shared

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
)

// address is where a server is, or the Sentinels that know where.
type address struct {
	network          string // tcp, unix
	at               []string
	tls              *tls.Config
	user, password   string
	sentinelPassword string
	master           string // "" without Sentinels
	db               int
	name             string // for people and files: without user and passwords
}

const example = "write redis://HOST:6379/0, rediss:// for TLS, unix:///PATH or " +
	"redis+sentinel://HOST:26379,HOST:26379/MASTER"

// maxText is how many bytes the address may have: each WARC file has it.
const maxText = 1 << 10

// parse reads an address:
//
//	redis://[[USER]:PASSWORD@]HOST[:6379][/DB]             rediss:// the same with TLS
//	unix://[[USER]:PASSWORD@]/PATH[?db=DB]
//	redis+sentinel://[[USER]:PASSWORD@]HOST[:26379],…/MASTER[/DB][?sentinel-password=PASSWORD]
//
// An error of it says nothing of the address, which may hold a password.
func parse(text string) (a address, err error) {
	scheme, rest, _ := strings.Cut(text, "://")
	if len(text) > maxText || strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return a, errors.New("it is no URL of a Redis or Valkey server: " + example)
	}
	rest, query, _ := strings.Cut(rest, "?")
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		if a.user, a.password, err = userIn(rest[:at]); err != nil {
			return a, err
		}
		rest = rest[at+1:]
	}
	args, err := url.ParseQuery(query)
	if err != nil {
		return a, errors.New("what stands behind ? cannot be read")
	}
	switch scheme {
	case "redis", "rediss":
		err = a.server(rest, scheme == "rediss")
	case "unix":
		err = a.socket(rest, args)
	case "redis+sentinel", "rediss+sentinel":
		err = a.sentinels(rest, args, scheme == "rediss+sentinel")
	default:
		err = errors.New("it is no URL of a Redis or Valkey server: " + example)
	}
	if len(args) > 0 { // which may be the rest of a password
		err = errors.Join(err, errors.New("what stands behind ? is not known: write a ? in a password as %3F"))
	}
	a.name = scheme + "://" + rest
	return a, err
}

// userIn reads what stands before @.
func userIn(text string) (user, password string, err error) {
	user, password, _ = strings.Cut(text, ":")
	user, err = url.PathUnescape(user)
	password, err2 := url.PathUnescape(password)
	if errors.Join(err, err2) != nil {
		return "", "", errors.New("write a % in a user or password as %25")
	}
	if password == "" {
		return "", "", errors.New("a user needs a password: write USER:PASSWORD@, or :PASSWORD@")
	}
	return user, password, nil
}

// passwords are those that it has.
func (a *address) passwords() (all []string) {
	for _, password := range []string{a.password, a.sentinelPassword} {
		if password != "" {
			all = append(all, password)
		}
	}
	return all
}

// server reads HOST[:PORT][/DB].
func (a *address) server(rest string, withTLS bool) error {
	host, db, _ := strings.Cut(rest, "/")
	a.network = "tcp"
	at, err := hostOf(host, "6379")
	if a.at = []string{at}; withTLS {
		a.tls = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	return errors.Join(err, a.setDB(db))
}

// socket reads PATH.
func (a *address) socket(path string, args url.Values) error {
	a.network, a.at = "unix", []string{path}
	db := args.Get("db")
	args.Del("db")
	if !strings.HasPrefix(path, "/") {
		return errors.New("a socket has an absolute path: write unix:///PATH")
	}
	return a.setDB(db)
}

// sentinels reads HOST[:PORT],…/MASTER[/DB].
func (a *address) sentinels(rest string, args url.Values, withTLS bool) (err error) {
	hosts, master, _ := strings.Cut(rest, "/")
	master, db, _ := strings.Cut(master, "/")
	a.network, a.master, a.sentinelPassword = "tcp", master, args.Get("sentinel-password")
	args.Del("sentinel-password")
	if master == "" {
		return errors.New("the name of the master that the Sentinels watch is not there: " + example)
	}
	for host := range strings.SplitSeq(hosts, ",") {
		at, failed := hostOf(host, "26379")
		a.at, err = append(a.at, at), errors.Join(err, failed)
	}
	if withTLS {
		a.tls = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	return errors.Join(err, a.setDB(db))
}

// hostOf reads HOST[:PORT].
func hostOf(text, port string) (string, error) {
	host := text
	if h, p, err := net.SplitHostPort(text); err == nil {
		host, port = h, p
	} else {
		host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if host == "" || err != nil || n == 0 || strings.ContainsAny(host, "/[]") {
		return "", errors.New("it names no host and port: " + example)
	}
	return net.JoinHostPort(host, port), nil
}

// setDB reads the number of a database.
func (a *address) setDB(text string) (err error) {
	if text == "" {
		return nil
	}
	n, err := strconv.ParseUint(text, 10, 15)
	if err != nil {
		return errors.New("the database is no number: write redis://HOST:6379/0")
	}
	a.db = int(n)
	return nil
}

// Check returns an error unless text can be the address of a server; "" is none, and can.
func Check(text string) error {
	if text == "" {
		return nil
	}
	if _, err := parse(text); err != nil {
		return fmt.Errorf("dedup-shared: %w", err)
	}
	return nil
}

// Name is an address as files and people are told of it: without user, password and arguments.
func Name(text string) string {
	a, err := parse(text)
	if err != nil {
		return "a URL"
	}
	return a.name
}
