package proxy

import (
	"cmp"
	"fmt"
	"net"
	"time"

	"warcorder/proxy/access"
	"warcorder/proxy/dial"
	"warcorder/proxy/dns"
	"warcorder/proxy/hosts"
	"warcorder/proxy/http1"
	"warcorder/proxy/route"
	"warcorder/recorder"
)

// Config is how the proxy behaves. Start from Default: a zero Config has no time for anything, and
// Check refuses it.
type Config struct {
	// Source answers in the origins' place; nil: the origins answer.
	Source Source

	// Beside are other listeners by which this proxy's clients may have come. They are the proxy itself
	// as its own listener is, and who reaches one of them from another machine may not go inside.
	Beside []net.Addr

	// Aside are listeners of this process that are no proxy. Nothing is dialled there.
	Aside []net.Addr

	// Clients are the addresses that may use the proxy. If it is empty they are those of loopback, or
	// all if there are Users.
	Clients hosts.Networks

	Users access.Users // who may use the proxy, by name and password; with none nobody is asked

	InsecureUpstream hosts.List   // origins that are recorded although their certificate is not valid
	NoRecord         hosts.List   // hosts whose exchanges pass without being recorded
	Tunnel           hosts.List   // hosts whose CONNECTs pass through untouched
	Deny             hosts.Set    // where no connection goes
	Allow            hosts.Set    // where one goes although Deny, or the proxy by itself, denies it
	Upstream         route.Routes // by which way each host is reached
	OnClientAbort    string       // of what Complete leaves out, when its client goes away: cut, finish

	// Codings are the content codings that an origin may be asked for: what clients accept beside them
	// is left out of their requests.
	Codings http1.Codings

	// Anticache says which conditions are left out of requests, so that no 304 confirms what the
	// collection lacks: missing (those of such a 304), always (all), never (none).
	Anticache string

	UpstreamCA  string       // file of roots (PEM) by which origins are judged, beside the system's
	ClientCerts []ClientCert // shown to the origins that they name

	MaxConnections  int   // clients that may be connected at a time, tunnels included
	MaxHeaderSize   int64 // bytes of the largest message head that is accepted
	MaxHeaderMemory int64 // bytes that message heads above 32 KiB may take together
	MaxBodySize     int64 // bytes of the largest message body; 0 is no limit
	RecordDNS       bool  // records what name servers answer
	Resolver        dns.Servers
	SourceAddress   dial.SourceAddress // of connections to origins
	Complete        Complete
	Timeout         Timeout
}

// Timeout bounds each step of an exchange.
type Timeout struct {
	Header    time.Duration // for a client to send a request's head
	Connect   time.Duration // for a connection to the origin
	TLS       time.Duration // for a TLS handshake, with the client and with the origin
	FirstByte time.Duration // for the origin to begin its answer once it has the request
	Idle      time.Duration // between two pieces of a body, and between two requests of a client
	Total     time.Duration // for a whole exchange; 0 is no limit
}

// Default is the configuration that an operator has who sets nothing.
func Default() Config {
	return Config{
		OnClientAbort:   "cut",
		Codings:         http1.Codings{Names: []string{"gzip", "deflate", "br"}},
		Anticache:       "missing",
		MaxConnections:  10_000,
		MaxHeaderSize:   1 << 20,
		MaxHeaderMemory: 512 << 20,
		Complete:        defaultComplete(),
		Timeout: Timeout{
			Header:    30 * time.Second,
			Connect:   30 * time.Second,
			TLS:       30 * time.Second,
			FirstByte: 5 * time.Minute,
			Idle:      5 * time.Minute,
		},
	}
}

// Check refuses settings with which nothing could be fetched.
func (c *Config) Check() error {
	t := &c.Timeout
	for name, d := range map[string]time.Duration{"header": t.Header, "connect": t.Connect,
		"tls": t.TLS, "first-byte": t.FirstByte, "idle": t.Idle} {
		if d <= 0 {
			return fmt.Errorf(
				"timeout-%s is %v: give a time above 0 (only timeout-total may be 0, for no limit)", name, d)
		}
	}
	if c.MaxConnections <= 0 {
		return fmt.Errorf(
			"max-connections is %d: give a number above 0; with none no client could connect",
			c.MaxConnections)
	}
	if c.MaxBodySize < 0 {
		return fmt.Errorf("max-body-size is %d: give a size, or 0 for no limit", c.MaxBodySize)
	}
	if t.Total < 0 {
		return fmt.Errorf("timeout-total is %v: give a time, or 0 for no limit", t.Total)
	}
	_, err := c.loadCertificates()
	return cmp.Or(c.checkHeads(), c.Complete.check(), c.SourceAddress.Check(), err)
}

// MayUse returns the addresses whose clients may use the proxy.
func (c *Config) MayUse() hosts.Networks {
	switch {
	case !c.Clients.IsEmpty():
		return c.Clients
	case !c.Users.IsEmpty():
		return hosts.Words("@any")
	}
	return hosts.Words("@loopback")
}

// headCopies is how often a head may be in memory: in a buffer that has grown by doubling, as it
// came, and as it goes on.
const headCopies = 4

func (c *Config) checkHeads() error {
	if c.MaxHeaderSize < 1<<10 || c.MaxHeaderSize > recorder.MaxHead {
		return fmt.Errorf(
			"max-header-size is %d: give a size from 1KiB to %dKiB; in a record, no reader of ours looks "+
				"further for the end of a head",
			c.MaxHeaderSize, recorder.MaxHead>>10)
	}
	if c.MaxHeaderMemory < headCopies*c.MaxHeaderSize {
		return fmt.Errorf(
			"max-header-memory is %d: give at least %d, for one head of max-header-size and its copies",
			c.MaxHeaderMemory, headCopies*c.MaxHeaderSize)
	}
	return nil
}
