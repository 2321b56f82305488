package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"time"

	"github.com/rs/zerolog"

	"warcorder/store/collection"
)

// resolvePatience is how long the name in listen may take to be looked up.
const resolvePatience = 900 * time.Millisecond

// address returns the address that listen stands for. What is judged is then what is listened on: a
// name is looked up once.
func (c *recordFlags) address() (netip.AddrPort, error) {
	ctx, cancel := context.WithTimeout(context.Background(), resolvePatience)
	defer cancel()
	host, service, err := net.SplitHostPort(c.listen)
	if err != nil || host == "" {
		return netip.AddrPort{}, fmt.Errorf(
			"--listen %q names no host: write 127.0.0.1:8080, or 0.0.0.0:8080 to listen on all of the "+
				"machine's addresses", c.listen)
	}
	port, err := net.DefaultResolver.LookupPort(ctx, "tcp", service)
	if err != nil {
		return netip.AddrPort{}, fmt.Errorf("--listen %q needs a port from 0 to 65535: %w", c.listen, err)
	}
	addresses, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil || len(addresses) == 0 {
		return netip.AddrPort{}, fmt.Errorf("--listen %q has a name that could not be looked up: %w",
			c.listen, err)
	}
	return netip.AddrPortFrom(firstOf(addresses), uint16(port)), nil
}

// listener takes the address that is listened on, before anything is opened or made: a second
// recorder leaves nothing behind. Clients that come before the recorder is ready wait.
func (c *recordFlags) listener(dir collection.Dir) (net.Listener, error) {
	ln, err := net.Listen("tcp", c.at.String())
	if err == nil {
		return ln, nil
	}
	if who, running := dir.Recorder(); running {
		return nil, recordedBy(dir, who)
	}
	if who := whoListens(c.at.String()); who != "" {
		return nil, fmt.Errorf("%s is the address of %s: set that as the proxy, or give another address "+
			"with --listen (%s for a free port)", c.at, who, netip.AddrPortFrom(c.at.Addr(), 0))
	}
	return nil, fmt.Errorf("%w: give another address with --listen (%s for a free port)", err,
		netip.AddrPortFrom(c.at.Addr(), 0))
}

// whoListens says which recorder listens on an address; "" if it is none, or may not be asked.
func whoListens(address string) string {
	_, here := typable(address)
	client := http.Client{Timeout: resolvePatience, Transport: &http.Transport{}} // by no proxy
	defer client.CloseIdleConnections()
	res, err := client.Get("http://" + here + "/status")
	if err != nil {
		return ""
	}
	defer res.Body.Close()
	var other struct {
		PID int    `json:"pid"`
		Dir string `json:"dir"`
	}
	err = json.NewDecoder(io.LimitReader(res.Body, maxForeignStatus)).Decode(&other)
	if err != nil || other.Dir == "" {
		return ""
	}
	dir := printable(other.Dir[:min(len(other.Dir), maxForeignDir)])
	return fmt.Sprintf("process %d, which records %s", other.PID, dir)
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

// checkOpen refuses to listen where other machines reach us while nothing says who may use the
// proxy: whoever found the port could fetch through it, in the recorder's name and network, and
// fill the archive.
func (c *recordFlags) checkOpen() error {
	at, err := c.address()
	if err != nil {
		return err
	}
	c.at = at
	said := !c.Proxy.Clients.IsEmpty() || !c.Proxy.Users.IsEmpty()
	if said || at.Addr().Unmap().IsLoopback() {
		return nil
	}
	return errors.New("--listen " + strconv.Quote(c.listen) + " lets other machines in, and nothing " +
		"says who may use the proxy: set clients to their networks (--clients 192.168.1.0/24; " +
		"@loopback for this machine alone; @any for whoever reaches it), or proxy-users to names and " +
		"passwords (warcorder password)")
}

// soundToken is how many characters an api-token has at least that nobody finds by trying.
const soundToken = 20

// advise tells of settings that are no error, and may not be what is meant.
func (c *recordFlags) advise(log zerolog.Logger) {
	alone := c.at.Addr().Unmap().IsLoopback()
	if n := len(c.APIToken); n > 0 && n < soundToken && !alone {
		log.Warn().Int("characters", n).Msg("api-token is short: who reaches the port may try tokens " +
			"until one is right; make one with: openssl rand -hex 32")
	}
	clients := c.Proxy.Clients
	if alone && !clients.IsEmpty() && !clients.HasPeer(c.at.Addr()) {
		log.Warn().Str("listen", c.listen).Str("clients", clients.String()).
			Msg("only this machine reaches what listen says, and clients leaves it out: give listen an " +
				"address of the network")
	}
}
