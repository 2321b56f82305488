// Package dns looks host names up and hands on what name servers answer, as Heritrix records it: a
// block of type text/dns (RFC 4027) under a dns: URI (RFC 4501), in which the time stands first and
// then the records of the answer, one a line. Of one name there is an answer for its IPv4 addresses
// and, with ?type=AAAA, one for the others.
//
//	20261122063000
//	www.example.org.	300	IN	CNAME	host.example.org.
//	host.example.org.	300	IN	A	192.0.2.1
//
// What crosses the wire is read beside the resolver: the answer's TTLs are nowhere else. What is in
// the hosts file asks no server, whichever are set, and so there is no answer to hand on.
//
// Invariant: an answer that is handed on is one to a question that was asked, from the server that
// was asked; a message that cannot be read is passed over and harms no look-up.
package dns

import (
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

// MediaType is the type of an Answer's block (RFC 4027).
const MediaType = "text/dns"

// Answer is what a name server answered.
type Answer struct {
	URI    string // dns:example.org
	Date   time.Time
	Server netip.Addr
	Block  []byte
}

// Names looks host names up. Record, if it is set, is called with each answer, in goroutines of the
// resolver's; an answer to the same question comes again only when the last one is old. Broke is
// called with the value of a panic in reading a message. Servers, if there are any, are asked in
// the place of those of the system. All three are set before the first look-up.
type Names struct {
	Record  func(Answer)
	Broke   func(value any)
	Servers Servers

	once     sync.Once
	tapped   []*net.Resolver // one for each server
	discreet []*net.Resolver // of which nothing is handed on

	mu    sync.Mutex
	until map[string]time.Time // by URI: when its answer is handed on anew
}

const (
	oldAnswer = time.Hour // an answer is handed on anew after that time, or when its TTL has passed
	maxNames  = 10_000    // answers remembered; when there are more, some are handed on twice
)

// tap knows which question went to a server, and finds its answer among the messages that come.
// Anyone may send a datagram to the resolver's port: ID and question must be those that were asked.
type tap struct {
	names    *Names
	server   netip.Addr
	id       uint16
	question dnsmessage.Question
	answered bool
}

// asked notes a question. Like heard, it runs in goroutines of the resolver's, which would not
// survive a panic.
func (t *tap) asked(message []byte) {
	defer t.names.rescue()
	var p dnsmessage.Parser
	header, err := p.Start(message)
	if err != nil {
		return
	}
	if question, err := p.Question(); err == nil {
		t.id, t.question, t.answered = header.ID, question, false
	}
}

// heard hands a message on if it is the answer.
func (t *tap) heard(message []byte) {
	defer t.names.rescue()
	var p dnsmessage.Parser
	header, err := p.Start(message)
	if err != nil || t.answered || header.ID != t.id || !header.Response || header.Truncated ||
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
	t.answered = true
	t.names.record(t.question, answers, t.server)
}

// rescue is deferred by what reads messages: an answer that cannot be read is lost, and the look-up
// goes on.
func (n *Names) rescue() {
	if value := recover(); value != nil {
		n.Broke(value)
	}
}

// packetTap is a tap on UDP, where each Read is a message.
type packetTap struct {
	*net.UDPConn
	tap
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

// streamTap is a tap on TCP, where the length of a message stands before it (RFC 1035 section
// 4.2.2).
type streamTap struct {
	net.Conn
	tap
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

// record hands an answer on, unless it has that of the same question already and it is not old yet.
func (n *Names) record(question dnsmessage.Question, answers []dnsmessage.Resource,
	server netip.Addr) {
	uri := uriOf(question)
	now := time.Now()
	block := now.UTC().AppendFormat(nil, "20060102150405\n")
	until := now.Add(oldAnswer)
	for _, answer := range answers {
		line := zoneLine(&answer)
		if line == "" {
			continue
		}
		block = append(block, line...)
		if expires := now.Add(time.Duration(answer.Header.TTL) * time.Second); expires.Before(until) {
			until = expires
		}
	}
	if n.due(uri, now, until) {
		n.Record(Answer{URI: uri, Date: now, Server: server, Block: block})
	}
}

// due reports whether an answer is to be handed on now, and if so not again until then.
func (n *Names) due(uri string, now, until time.Time) bool {
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

// uriOf returns the URI of a question (RFC 4501). The type is A if it does not say another.
func uriOf(question dnsmessage.Question) string {
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

// zoneLine returns a record of an answer as zone files have it (RFC 1035 section 5), or "" if it is
// of no kind that leads to an address.
func zoneLine(r *dnsmessage.Resource) string {
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
