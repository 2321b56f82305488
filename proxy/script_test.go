package proxy

import (
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/dns/dnsmessage"

	"warcorder/proxy/dns"
)

// script is what a name server of a test answers: of a name, one text a look-up, of which the last
// stays. A text is a row of addresses, and of names that end in a dot: aliases on the way to them.
// Other names there are none.
type script map[string][]string

// scripted is a name server that follows a script.
type scripted struct {
	t       *testing.T
	lines   script
	address netip.AddrPort

	mu    sync.Mutex
	asked map[dnsmessage.Question]int
}

// serve starts the server and returns the setting that asks it.
func (lines script) serve(t *testing.T) dns.Servers {
	t.Helper()
	s := lines.start(t)
	return dns.Servers{s.address}
}

func (lines script) start(t *testing.T) *scripted {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &scripted{t: t, lines: lines, asked: map[dnsmessage.Question]int{},
		address: netip.MustParseAddrPort(conn.LocalAddr().String())}
	var running sync.WaitGroup
	running.Go(func() {
		b := make([]byte, 4096)
		for {
			n, from, err := conn.ReadFrom(b)
			if err != nil {
				return
			}
			conn.WriteTo(s.answer(b[:n]), from)
		}
	})
	t.Cleanup(func() {
		conn.Close()
		running.Wait()
	})
	return s
}

// answer answers one question, with a TTL of 0.
func (s *scripted) answer(message []byte) []byte {
	var query dnsmessage.Message
	if err := query.Unpack(message); err != nil || len(query.Questions) != 1 {
		s.t.Errorf("asked %q: %v", message, err)
		return nil
	}
	question := query.Questions[0]
	reply := dnsmessage.Message{
		Header:    dnsmessage.Header{ID: query.ID, Response: true, RecursionAvailable: true},
		Questions: query.Questions,
		Answers:   s.records(question, s.line(question)),
	}
	if len(s.lines[nameOf(question)]) == 0 {
		reply.RCode = dnsmessage.RCodeNameError
	}
	packed, err := reply.Pack()
	if err != nil {
		s.t.Error(err)
	}
	return packed
}

func nameOf(question dnsmessage.Question) string {
	return strings.ToLower(strings.TrimSuffix(question.Name.String(), "."))
}

// line returns what the script says now. Each look-up asks for both types, in any order.
func (s *scripted) line(question dnsmessage.Question) string {
	lines := s.lines[nameOf(question)]
	if len(lines) == 0 {
		return ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	at := min(s.asked[question], len(lines)-1)
	s.asked[question]++
	return lines[at]
}

// records are the answer's.
func (s *scripted) records(question dnsmessage.Question, line string) (all []dnsmessage.Resource) {
	header := dnsmessage.ResourceHeader{Name: question.Name, Class: dnsmessage.ClassINET}
	for text := range strings.FieldsSeq(line) {
		if strings.HasSuffix(text, ".") {
			alias := dnsmessage.MustNewName(text)
			header.Type = dnsmessage.TypeCNAME
			body := &dnsmessage.CNAMEResource{CNAME: alias}
			all = append(all, dnsmessage.Resource{Header: header, Body: body})
			header.Name = alias
			continue
		}
		address := netip.MustParseAddr(text)
		if header.Type = dnsmessage.TypeA; address.Is6() {
			header.Type = dnsmessage.TypeAAAA
		}
		if header.Type != question.Type {
			continue
		}
		var body dnsmessage.ResourceBody = &dnsmessage.AAAAResource{AAAA: address.As16()}
		if address.Is4() {
			body = &dnsmessage.AResource{A: address.As4()}
		}
		all = append(all, dnsmessage.Resource{Header: header, Body: body})
	}
	return all
}
