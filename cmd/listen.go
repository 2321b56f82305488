package cmd

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/rs/zerolog"
)

// resolvePatience is how long the name in listen may take to be looked up.
const resolvePatience = 900 * time.Millisecond

// listening is an address that is listened on, as a flag gives it.
type listening struct {
	flag    string         // its name: --listen
	text    string         // what it was given
	replays bool           // and does not record
	usual   string         // what to give instead; "" is that of a recorder or a replay
	at      netip.AddrPort // what that stands for, once it is checked
	socket  net.Listener   // that listens there already; nil if none does
}

// resolve looks the address up. What is judged is then what is listened on: a name is looked up once.
func (l *listening) resolve() error {
	ctx, cancel := context.WithTimeout(context.Background(), resolvePatience)
	defer cancel()
	host, service, err := net.SplitHostPort(l.text)
	if err != nil || host == "" {
		return l.halfNamed()
	}
	port, err := net.DefaultResolver.LookupPort(ctx, "tcp", service)
	if err != nil {
		return fmt.Errorf("%s %q needs a port from 0 to 65535: %w", l.flag, l.text, err)
	}
	addresses, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil || len(addresses) == 0 {
		return fmt.Errorf("%s %q has a name that could not be looked up: %w", l.flag, l.text, err)
	}
	l.at = netip.AddrPortFrom(firstOf(addresses), uint16(port))
	return nil
}

// halfNamed says how to write an address that names no host, or no port.
func (l *listening) halfNamed() error {
	port := strings.TrimPrefix(l.text, ":")
	if _, err := strconv.ParseUint(port, 10, 16); err == nil {
		return fmt.Errorf("%s %q names no host: write 127.0.0.1:%s, or 0.0.0.0:%s to listen on all of "+
			"the machine's addresses", l.flag, l.text, port, port)
	}
	usual := cmp.Or(l.usual, recordListen)
	if l.replays {
		usual = replayListen
	}
	return fmt.Errorf("%s %q is no HOST:PORT: write it as %s", l.flag, l.text, usual)
}

// open takes the address, before anything is opened or made: a second recorder leaves nothing
// behind. Clients that come before the proxy is ready wait.
func (l *listening) open() (net.Listener, error) {
	if l.socket != nil {
		return l.socket, nil
	}
	ln, err := net.Listen("tcp", l.at.String())
	if err == nil {
		return ln, nil
	}
	free := netip.AddrPortFrom(l.at.Addr(), 0)
	if who, replays := whoListens(l.at.String()); who != "" {
		use := "set that as the proxy, or "
		if replays != l.replays || l.usual != "" {
			use = "" // it does something else
		}
		return nil, fmt.Errorf("%s is the address of %s: %sgive another address with %s (%s for a free "+
			"port)", l.at, who, use, l.flag, free)
	}
	switch {
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return nil, fmt.Errorf("%w: this machine has no such address: give one of its own with %s", err, l.flag)
	case errors.Is(err, fs.ErrPermission):
		return nil, fmt.Errorf("%w: ports below 1024 may be for root alone: give another one with %s", err,
			l.flag)
	}
	return nil, fmt.Errorf("%w: give another address with %s (%s for a free port)", err, l.flag, free)
}

// whoListens says which recorder or replay listens on an address; "" if it is none, or may not be
// asked.
func whoListens(address string) (who string, replays bool) {
	_, here := typable(address)
	client := http.Client{Timeout: resolvePatience, Transport: &http.Transport{}} // by no proxy
	defer client.CloseIdleConnections()
	res, err := client.Get("http://" + here + "/status")
	if err != nil {
		return "", false
	}
	defer res.Body.Close()
	var other struct {
		PID  int    `json:"pid"`
		Dir  string `json:"dir"`
		Mode string `json:"mode"`
	}
	err = json.NewDecoder(io.LimitReader(res.Body, maxForeignStatus)).Decode(&other)
	if err != nil || other.Dir == "" {
		return "", false
	}
	dir := printable(other.Dir[:min(len(other.Dir), maxForeignDir)])
	does := "records"
	switch other.Mode {
	case replayMode:
		does, replays = "replays", true
	case serveMode:
		does, replays = "serves", true
	}
	return fmt.Sprintf("process %d, which %s %s", other.PID, does, dir), replays
}

// What is read, and shown, of what may not be a recorder.
const (
	maxForeignStatus = 1 << 20
	maxForeignDir    = 500
)

// firstOf returns the address that net.Listen would take: the first one of IPv4, or else of IPv6.
func firstOf(addresses []netip.Addr) netip.Addr {
	for _, one := range addresses {
		if one = one.Unmap(); one.Is4() {
			return one
		}
	}
	return addresses[0]
}

// check refuses to listen where other machines reach us while nothing says who may use the proxy:
// whoever found the port could fetch through it, in the recorder's name and network, and fill the
// archive, or read it.
func (l *listening) check(proxy *proxyFlags) error {
	if err := l.resolve(); err != nil {
		return err
	}
	return l.judge(proxy)
}

// judge is check for an address that was looked up before.
func (l *listening) judge(proxy *proxyFlags) error {
	said := !proxy.Clients.IsEmpty() || !proxy.Users.IsEmpty()
	if said || l.isAlone() {
		return nil
	}
	return errors.New(l.flag + " " + strconv.Quote(l.text) + " lets other machines in, and nothing " +
		"says who may use the proxy: set clients to their networks (--clients 192.168.1.0/24; " +
		"@loopback for this machine alone; @any for whoever reaches it), or proxy-users to names and " +
		"passwords (warcorder password)" + l.behind())
}

// behind is what to know of clients that come by a port of a container.
func (l *listening) behind() string {
	if !l.at.Addr().IsUnspecified() {
		return ""
	}
	return "; in a container all clients that come by a published port have the address of its bridge, " +
		"and WARCORDER_CLIENTS or WARCORDER_PROXY_USERS sets what is missing"
}

// isAlone reports whether this machine alone reaches the address.
func (l *listening) isAlone() bool { return l.at.Addr().Unmap().IsLoopback() }

// soundToken is how many characters an api-token has at least that nobody finds by trying.
const soundToken = 20

// advise tells of settings that are no error, and may not be what is meant.
func (c *recordFlags) advise(l *listening, log zerolog.Logger) {
	if n := len(c.APIToken); n > 0 && n < soundToken && !l.isAlone() {
		log.Warn().Int("characters", n).Msg("api-token is short: who reaches the port may try tokens " +
			"until one is right; make one with: openssl rand -hex 32")
	}
	clients := c.Proxy.Clients
	if l.isAlone() && !clients.IsEmpty() && !clients.HasPeer(l.at.Addr()) {
		log.Warn().Str("listen", l.text).Str("clients", clients.String()).
			Msg("only this machine reaches what listen says, and clients leaves it out: give listen an " +
				"address of the network")
	}
}
