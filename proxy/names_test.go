package proxy

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"warcorder/proxy/dns"
)

// nameServer answers for names below .test, over UDP and TCP.
type nameServer struct {
	t       *testing.T
	address string
	mu      sync.Mutex
	asked   []string
}

func newNameServer(t *testing.T) *nameServer {
	t.Helper()
	udp, tcp := listenTwice(t)
	s := &nameServer{t: t, address: udp.LocalAddr().String()}
	var running sync.WaitGroup
	running.Go(func() {
		b := make([]byte, 4096)
		for {
			n, from, err := udp.ReadFrom(b)
			if err != nil {
				return
			}
			if strings.Contains(string(b[:n]), "forged") { // of another question, and of another ID
				udp.WriteTo(
					bytes.ReplaceAll(s.answer(slices.Concat([]byte{b[0] ^ 1}, b[1:n]), true), []byte{127, 0, 0, 1},
						[]byte{127, 6, 6, 6}),
					from,
				)
				udp.WriteTo(s.answer(slices.Replace(slices.Clone(b[:n]), 13, 14, 'x'), true), from)
			}
			udp.WriteTo(s.answer(b[:n], true), from)
		}
	})
	running.Go(func() {
		for {
			conn, err := tcp.Accept()
			if err != nil {
				return
			}
			b := make([]byte, 4096)
			io.ReadFull(conn, b[:2])
			n, _ := io.ReadFull(conn, b[:int(b[0])<<8|int(b[1])])
			answer := s.answer(b[:n], false)
			length := binary.BigEndian.AppendUint16(nil, uint16(len(answer)))
			for _, piece := range [][]byte{length[:1], length[1:], answer[:20], answer[20:]} {
				conn.Write(piece)
			}
			conn.Close()
		}
	})
	t.Cleanup(func() {
		udp.Close()
		tcp.Close()
		running.Wait()
	})
	return s
}

// servers is the setting that asks it.
func (s *nameServer) servers() dns.Servers {
	return dns.Servers{netip.MustParseAddrPort(s.address)}
}

// listenTwice listens on a port that is free for both.
func listenTwice(t *testing.T) (net.PacketConn, net.Listener) {
	t.Helper()
	for range 100 {
		tcp, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		udp, err := net.ListenPacket("udp", tcp.Addr().String())
		if err == nil {
			return udp, tcp
		}
		tcp.Close()
	}
	t.Fatal("no port is free for UDP and TCP")
	return nil, nil
}

// answer answers a question by its name: "none…" has no address, "long…" is truncated over UDP,
// "brief…" has a TTL of 0.
func (s *nameServer) answer(message []byte, udp bool) []byte {
	var query dnsmessage.Message
	if err := query.Unpack(message); err != nil || len(query.Questions) != 1 {
		s.t.Errorf("asked %q: %v", message, err)
		return nil
	}
	question := query.Questions[0]
	name := question.Name.String()
	s.mu.Lock()
	s.asked = append(s.asked, name+question.Type.String())
	s.mu.Unlock()
	reply := dnsmessage.Message{
		Header:    dnsmessage.Header{ID: query.ID, Response: true, RecursionAvailable: true},
		Questions: query.Questions,
	}
	header := func(name string, kind dnsmessage.Type, ttl uint32) dnsmessage.ResourceHeader {
		return dnsmessage.ResourceHeader{
			Name:  dnsmessage.MustNewName(name),
			Type:  kind,
			Class: dnsmessage.ClassINET,
			TTL:   ttl,
		}
	}
	ttl := uint32(300)
	if strings.HasPrefix(name, "brief") {
		ttl = 0
	}
	long := strings.HasPrefix(name, "long")
	switch {
	case !strings.HasSuffix(name, ".test."), strings.HasPrefix(name, "unknown"):
		reply.RCode = dnsmessage.RCodeNameError
	case udp && long:
		reply.Truncated = true
		reply.Answers = []dnsmessage.Resource{
			{
				Header: header(name, dnsmessage.TypeA, ttl),
				Body:   &dnsmessage.AResource{A: [4]byte{127, 6, 6, 6}},
			},
		}
	case question.Type == dnsmessage.TypeA && !strings.HasPrefix(name, "none"):
		reply.Answers = []dnsmessage.Resource{
			{
				Header: header(name, dnsmessage.TypeCNAME, 7200),
				Body:   &dnsmessage.CNAMEResource{CNAME: dnsmessage.MustNewName("a b\n;.test.")},
			},
			{
				Header: header("a b\n;.test.", dnsmessage.TypeA, ttl),
				Body:   &dnsmessage.AResource{A: [4]byte{127, 0, 0, 1}},
			},
		}
	case question.Type == dnsmessage.TypeAAAA && strings.HasPrefix(name, "both"):
		reply.Answers = []dnsmessage.Resource{
			{
				Header: header(name, dnsmessage.TypeAAAA, 60),
				Body:   &dnsmessage.AAAAResource{AAAA: [16]byte{15: 1}},
			},
		}
	}
	packed, err := reply.Pack()
	if err != nil {
		s.t.Error(err)
	}
	return packed
}

// viaAlias is the recorded answer of the name server for a name below .test, with its URI.
func viaAlias(name string, ttl int) string {
	const alias = `a\032b\010\;.test.`
	return fmt.Sprintf("dns:%[1]s.test %[1]s.test.\t7200\tIN\tCNAME\t%[2]s\n"+
		"%[2]s\t%[3]d\tIN\tA\t127.0.0.1\n", name, alias, ttl)
}

// TestRecordDNS: what a name server answered is recorded, once until it is old.
func TestRecordDNS(t *testing.T) {
	for _, c := range []struct {
		name, host string
		times      int
		want       []string // URI and answer
	}{
		{"usual", "Site.test", 2, []string{viaAlias("site", 300)}},
		{"both kinds of address", "both.test", 2, []string{viaAlias("both", 300),
			"dns:both.test?type=AAAA both.test.\t60\tIN\tAAAA\t::1\n"}},
		{"over TCP", "long.test", 1, []string{viaAlias("long", 300)}},
		{"TTL 0", "brief.test", 2, []string{viaAlias("brief", 0), viaAlias("brief", 0)}},
		{"forged", "forged.test", 1, []string{viaAlias("forged", 300)}},
		{"unknown", "unknown.test", 1, nil},
		{"no address", "none.test", 1, nil},
		{"hosts file", "localhost", 1, nil},
		{"address", "127.0.0.1", 1, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := newNameServer(t)
			o := newOrigin(t, false, func(p *peer) {
				p.readHead()
				p.send("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx")
			})
			_, port, _ := net.SplitHostPort(o.address)
			cfg := config()
			cfg.RecordDNS = true
			cfg.Resolver = server.servers()
			h := newHouse(t, cfg)
			for range c.times {
				client := h.dial()
				client.send(
					fmt.Sprintf(
						"GET http://%s:%s/ HTTP/1.1\r\nHost: %[1]s:%[2]s\r\nConnection: close\r\n\r\n",
						c.host,
						port,
					),
				)
				answered := strings.HasPrefix(client.readAll(), "HTTP/1.1 200")
				if answered == (c.name == "unknown" || c.name == "no address") {
					t.Errorf("%q", client.seen.String())
				}
			}
			var got []string
			for _, r := range of(h.records(), "resource") {
				first, answer, _ := strings.Cut(string(r.block), "\n")
				at, err := time.Parse("20060102150405", first)
				if err != nil || time.Since(at) > time.Minute || r.header.Get("Content-Type") != "text/dns" ||
					r.header.Get("WARC-IP-Address") != "127.0.0.1" ||
					r.header.Get("WARC-Date")[:10] != at.Format(time.DateOnly) {
					t.Errorf("%v %q", r.header, r.block)
				}
				got = append(got, r.header.Get("WARC-Target-URI")+" "+answer)
			}
			slices.Sort(got)
			if !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
			server.mu.Lock()
			defer server.mu.Unlock()
			if asked := len(server.asked) > 0; asked != strings.HasSuffix(c.host, ".test") {
				t.Errorf("asked %v", server.asked)
			}
		})
	}
}
