package proxy

import (
	"context"
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"warcorder/recorder"
)

// names looks host names up and records what name servers answer, as Heritrix does: a resource
// record of type text/dns (RFC 4027) under a dns: URI (RFC 4501), in which the time stands first
// and then the records of the answer, one a line. Of one name there is a record for its IPv4
// addresses and, with ?type=AAAA, one for the others.
//
// What crosses the wire is read beside the resolver: the answer's TTLs are nowhere else. What is in
// the hosts file asks no server, and so leaves no record.
type names struct {
	rec    *recorder.Recorder
	server string // is asked in the place of the system's; set by tests

	mu    sync.Mutex
	until map[string]time.Time // by URI: when it is recorded anew
}

const (
	oldAnswer = time.Hour // an answer is recorded anew after that time, or when its TTL has passed
	maxNames  = 10_000    // answers remembered; when there are more, some are recorded twice
)

// resolver returns one to look names up with.
func (n *names) resolver(recording bool) *net.Resolver {
	return &net.Resolver{
		PreferGo: true,
		Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			if n.server != "" {
				address = n.server
			}
			var dialer net.Dialer
			conn, err := dialer.DialContext(ctx, network, address)
			if err != nil {
				return nil, err
			}
			if !recording {
				return conn, nil
			}
			server, _ := netip.ParseAddrPort(conn.RemoteAddr().String())
			tap := dnsTap{names: n, server: server.Addr().Unmap()}
			if udp, ok := conn.(*net.UDPConn); ok { // the resolver takes what is no PacketConn for a stream
				return &packetTap{UDPConn: udp, dnsTap: tap}, nil
			}
			return &streamTap{Conn: conn, dnsTap: tap}, nil
		},
	}
}

// dnsTap knows which question went to a server.
type dnsTap struct {
	names    *names
	server   netip.Addr
	id       uint16
	question dnsmessage.Question
	recorded bool
}

// asked notes a question. As heard it runs in goroutines of the resolver's, which have no end for a
// panic.
func (t *dnsTap) asked(message []byte) {
	defer t.names.rescue()
	var p dnsmessage.Parser
	header, err := p.Start(message)
	if err != nil {
		return
	}
	if question, err := p.Question(); err == nil {
		t.id, t.question, t.recorded = header.ID, question, false
	}
}

// heard records a message if it is the answer.
func (t *dnsTap) heard(message []byte) {
	defer t.names.rescue()
	var p dnsmessage.Parser
	header, err := p.Start(message)
	if err != nil || t.recorded || header.ID != t.id || !header.Response || header.Truncated ||
		header.RCode != dnsmessage.RCodeSuccess {
		return
	}
	question, err := p.Question()
	if err != nil || question.Type != t.question.Type || question.Class != t.question.Class ||
		!strings.EqualFold(question.Name.String(), t.question.Name.String()) {
		return
	}
	if p.SkipAllQuestions() != nil {
		return
	}
	answers, err := p.AllAnswers()
	if err != nil || len(answers) == 0 {
		return
	}
	t.recorded = true
	t.names.record(t.question, answers, t.server)
}

// rescue is deferred by what reads messages: a name that cannot be read is not recorded, and that
// is all.
func (n *names) rescue() {
	if value := recover(); value != nil {
		n.rec.Gap(recorder.GapWrite, "dns:", n.rec.Panicked(value, "dns:").Error())
	}
}

// packetTap is a dnsTap on UDP, where each Read is a message.
type packetTap struct {
	*net.UDPConn
	dnsTap
}

func (t *packetTap) Write(p []byte) (int, error) {
	t.asked(p)
	return t.UDPConn.Write(p)
}

func (t *packetTap) Read(p []byte) (int, error) {
	n, err := t.UDPConn.Read(p)
	t.heard(p[:n])
	return n, err
}

// streamTap is a dnsTap on TCP, where the length of a message stands before it (RFC 1035 section
// 4.2.2).
type streamTap struct {
	net.Conn
	dnsTap
	came []byte
}

func (t *streamTap) Write(p []byte) (int, error) {
	if len(p) > 2 {
		t.asked(p[2:])
	}
	return t.Conn.Write(p)
}

func (t *streamTap) Read(p []byte) (int, error) {
	n, err := t.Conn.Read(p)
	t.came = append(t.came, p[:n]...)
	for len(t.came) >= 2 {
		end := 2 + int(binary.BigEndian.Uint16(t.came))
		if len(t.came) < end {
			break
		}
		t.heard(t.came[2:end])
		t.came = t.came[end:]
	}
	return n, err
}

// record records an answer, unless that of the same question is recorded and not old yet.
func (n *names) record(question dnsmessage.Question, answers []dnsmessage.Resource,
	server netip.Addr) {
	uri := dnsURI(question)
	now := time.Now()
	block := now.UTC().AppendFormat(nil, "20060102150405\n")
	until := now.Add(oldAnswer)
	for _, answer := range answers {
		line := dnsLine(&answer)
		if line == "" {
			continue
		}
		block = append(block, line...)
		if expires := now.Add(time.Duration(answer.Header.TTL) * time.Second); expires.Before(until) {
			until = expires
		}
	}
	if !n.due(uri, now, until) {
		return
	}
	e := n.rec.BeginExtra()
	e.Type, e.URI, e.ContentType, e.Date, e.RemoteIP = recorder.Resource, uri, "text/dns", now, server
	e.Block.Write(block) // Commit says if it could not
	if err := e.Commit(); err != nil {
		n.rec.Gap(recorder.GapWrite, uri, err.Error())
	}
}

// due reports whether an answer is to be recorded now, and if so not again until then.
func (n *names) due(uri string, now, until time.Time) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if now.Before(n.until[uri]) {
		return false
	}
	if n.until == nil || len(n.until) >= maxNames {
		n.until = map[string]time.Time{}
	}
	n.until[uri] = until
	return true
}

// dnsURI is the URI of a question (RFC 4501). The type is A if it does not say another.
func dnsURI(question dnsmessage.Question) string {
	var b strings.Builder
	b.WriteString("dns:")
	for _, c := range []byte(strings.ToLower(strings.TrimSuffix(question.Name.String(), "."))) {
		if 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '.' || c == '_' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	if question.Type == dnsmessage.TypeAAAA {
		b.WriteString("?type=AAAA")
	}
	return b.String()
}

// dnsLine is a record of an answer as zone files have it (RFC 1035 section 5); "" if it is of no
// kind that leads to an address.
func dnsLine(r *dnsmessage.Resource) string {
	var kind, value string
	switch body := r.Body.(type) {
	case *dnsmessage.AResource:
		kind, value = "A", netip.AddrFrom4(body.A).String()
	case *dnsmessage.AAAAResource:
		kind, value = "AAAA", netip.AddrFrom16(body.AAAA).String()
	case *dnsmessage.CNAMEResource:
		kind, value = "CNAME", zoneName(body.CNAME)
	default:
		return ""
	}
	return fmt.Sprintf("%s\t%d\tIN\t%s\t%s\n", zoneName(r.Header.Name), r.Header.TTL, kind, value)
}

// zoneName writes a name so that none of its bytes can be taken for anything else.
func zoneName(name dnsmessage.Name) string {
	var b strings.Builder
	for _, c := range name.Data[:name.Length] {
		switch {
		case c <= ' ' || c >= 0x7f:
			fmt.Fprintf(&b, `\%03d`, c)
		case strings.IndexByte(`"();@$\`, c) >= 0:
			b.WriteByte('\\')
			fallthrough
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
