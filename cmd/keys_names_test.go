package cmd

import (
	"net"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// keyNames is a name server to which every name is this machine's; one that refuses knows none.
type keyNames struct {
	address string

	mu    sync.Mutex
	asked []string // for addresses of IPv4
}

func newKeyNames(t *testing.T, refuses bool) *keyNames {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &keyNames{address: conn.LocalAddr().String()}
	var running sync.WaitGroup
	running.Go(func() {
		b := make([]byte, 4096)
		for {
			n, from, err := conn.ReadFrom(b)
			if err != nil {
				return
			}
			if answer, err := s.answer(b[:n], refuses); err != nil {
				t.Error(err)
			} else {
				conn.WriteTo(answer, from)
			}
		}
	})
	t.Cleanup(func() { conn.Close(); running.Wait() })
	return s
}

// answer is what it says to a question.
func (s *keyNames) answer(question []byte, refuses bool) ([]byte, error) {
	var query dnsmessage.Message
	if err := query.Unpack(question); err != nil {
		return nil, err
	}
	name, kind := query.Questions[0].Name, query.Questions[0].Type
	reply := dnsmessage.Message{
		Header:    dnsmessage.Header{ID: query.ID, Response: true, RecursionAvailable: true},
		Questions: query.Questions,
	}
	if kind == dnsmessage.TypeA {
		s.mu.Lock()
		s.asked = append(s.asked, strings.TrimSuffix(name.String(), "."))
		s.mu.Unlock()
	}
	if refuses {
		reply.RCode = dnsmessage.RCodeServerFailure
	} else if kind == dnsmessage.TypeA {
		reply.Answers = []dnsmessage.Resource{{
			Header: dnsmessage.ResourceHeader{Name: name, Type: kind, Class: dnsmessage.ClassINET, TTL: 60},
			Body:   &dnsmessage.AResource{A: [4]byte{127, 0, 0, 1}},
		}}
	}
	return reply.Pack()
}

// names are those that it was asked for.
func (s *keyNames) names() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.asked, " ")
}

// setting is the line that has a recorder ask it.
func (s *keyNames) setting() string { return "\nresolver: " + s.address + "\n" }
