package dns

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

// server is a name server that gives one answer to all questions for an IPv4 address.
type server struct {
	netip.AddrPort
	asked atomic.Int64
}

// serve starts one that answers with code, and if that is success with an address. One that is
// silent answers nothing.
func serve(t *testing.T, code dnsmessage.RCode, address string, silent bool) *server {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &server{AddrPort: netip.MustParseAddrPort(conn.LocalAddr().String())}
	var running sync.WaitGroup
	running.Go(func() {
		b := make([]byte, 4096)
		for {
			n, from, err := conn.ReadFrom(b)
			if err != nil {
				return
			}
			s.asked.Add(1)
			if !silent {
				conn.WriteTo(reply(t, b[:n], code, address), from)
			}
		}
	})
	t.Cleanup(func() {
		conn.Close()
		running.Wait()
	})
	return s
}

// reply answers with an address, or with several that have blanks between.
func reply(t *testing.T, question []byte, code dnsmessage.RCode, address string) []byte {
	var m dnsmessage.Message
	if err := m.Unpack(question); err != nil {
		t.Error(err)
		return nil
	}
	m.Response, m.RCode, m.Additionals = true, code, nil
	if q := m.Questions[0]; code == dnsmessage.RCodeSuccess && q.Type == dnsmessage.TypeA {
		for one := range strings.FieldsSeq(address) {
			m.Answers = append(m.Answers, dnsmessage.Resource{
				Header: dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class, Type: q.Type},
				Body:   &dnsmessage.AResource{A: netip.MustParseAddr(one).As4()},
			})
		}
	}
	packed, err := m.Pack()
	if err != nil {
		t.Error(err)
	}
	return packed
}

// TestInTurn: which of several servers are asked, and whose answer counts.
func TestInTurn(t *testing.T) {
	const good, none, broken = dnsmessage.RCodeSuccess, dnsmessage.RCodeNameError,
		dnsmessage.RCodeServerFailure
	for _, c := range []struct {
		name   string
		first  dnsmessage.RCode
		silent bool
		host   string
		want   string // addresses
		second bool   // is asked
	}{
		{"the first knows", good, false, "a.test", "192.0.2.1", false},
		{"the first cannot tell", broken, false, "a.test", "192.0.2.2", true},
		{"the first is silent", good, true, "a.test", "192.0.2.2", true},
		{"there is no such name", none, false, "a.test", "", false},
		{"an address", good, false, "192.0.2.9", "192.0.2.9", false},
		{"an address in IPv6", good, false, "::ffff:192.0.2.9", "192.0.2.9", false},
		{"a number", good, false, "3221225993", "", false},
		{"a short address", good, false, "127.1", "", false},
		{"an octal address", good, false, "0300.0.2.011", "", false},
		{"the hosts file", good, false, "localhost", "127.0.0.1 ::1", false},
	} {
		for _, recording := range []bool{false, true} {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				first := serve(t, c.first, "192.0.2.1", c.silent)
				second := serve(t, good, "192.0.2.2", false)
				n := Names{Servers: Servers{first.AddrPort, second.AddrPort}}
				var answers atomic.Int64
				if recording {
					n.Record = func(Answer) { answers.Add(1) }
					n.Broke = func(value any) { t.Error(value) }
				}
				found, err := n.LookUp(t.Context(), c.host, false)
				var texts []string
				for _, address := range found {
					texts = append(texts, address.String())
				}
				if c.host == "localhost" {
					texts = slices.DeleteFunc(texts, func(one string) bool { return strings.Contains(c.want, one) })
				} else if strings.Join(texts, " ") != c.want {
					t.Errorf("%v, %v", found, err)
				}
				if (err == nil) != (c.want != "") || c.host == "localhost" && len(texts) > 0 {
					t.Errorf("%v, %v", found, err)
				}
				var failed *net.DNSError
				if errors.As(err, &failed) && failed.Server != "" && failed.Server != first.String() {
					t.Errorf("the error names another server: %v", err)
				}
				if (second.asked.Load() > 0) != c.second {
					t.Errorf("the second was asked %d times", second.asked.Load())
				}
				byServer := strings.HasPrefix(c.want, "192.0.2.") && strings.HasSuffix(c.host, ".test")
				if (answers.Load() > 0) != (recording && byServer) {
					t.Errorf("%d answers were handed on", answers.Load())
				}
			})
		}
	}
}

// TestManyAddresses: a host has as many addresses as may be judged and dialled in good time.
func TestManyAddresses(t *testing.T) {
	var all strings.Builder
	for i := range maxAddresses + 4 {
		fmt.Fprintf(&all, "192.0.2.%d ", i)
	}
	server := serve(t, dnsmessage.RCodeSuccess, all.String(), false)
	n := Names{Servers: Servers{server.AddrPort}}
	found, err := n.LookUp(t.Context(), "a.test", false)
	if err != nil || len(found) != maxAddresses {
		t.Errorf("%d addresses, %v", len(found), err)
	}
}

// TestNoServer: servers that are not there, one after the other, take no longer than they may, and
// the error is the first one's.
func TestNoServer(t *testing.T) {
	silent := serve(t, dnsmessage.RCodeSuccess, "", true)
	n := Names{Servers: Servers{silent.AddrPort, silent.AddrPort, silent.AddrPort}}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	began := time.Now()
	_, err := n.LookUp(ctx, "a.test", false)
	var late *net.DNSError
	if took := time.Since(began); took > patience || !errors.As(err, &late) || !late.Timeout() {
		t.Errorf("after %v: %v", took, err)
	}
}

func TestServers(t *testing.T) {
	for text, want := range map[string]string{
		"":                                   "",
		"192.0.2.53":                         "192.0.2.53:53",
		"192.0.2.53:5353, 2001:db8::53":      "192.0.2.53:5353,[2001:db8::53]:53",
		"[2001:db8::53],[2001:db8::54]:5353": "[2001:db8::53]:53,[2001:db8::54]:5353",
		"fe80::1%eth0":                       "[fe80::1%eth0]:53",
		"192.0.2.53,192.0.2.53":              "192.0.2.53:53,192.0.2.53:53",
	} {
		servers, err := ParseServers(text)
		again, wrong := ParseServers(servers.String())
		if err != nil || wrong != nil || servers.String() != want || !slices.Equal(again, servers) {
			t.Errorf("%q: %v, %v, %v", text, servers, err, wrong)
		}
	}
	for _, bad := range []string{"dns.example", "dns.example:53", "192.0.2.53:0", "192.0.2.53:70000",
		"192.0.2", ",", "192.0.2.53,", "tls://192.0.2.53", "192.0.2.53:"} {
		if servers, err := ParseServers(bad); err == nil || !strings.Contains(err.Error(), "192.0.2.53:5353") {
			t.Errorf("%q: %v, %v", bad, servers, err)
		}
	}
}
