package proxy

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/crypto/bcrypt"

	"warcorder/proxy/access"
)

// asking is a configuration with users, of NAME:PASSWORD.
func asking(t testing.TB, pairs ...string) Config {
	t.Helper()
	pairs = slices.Clone(pairs)
	for i, pair := range pairs {
		name, password, _ := strings.Cut(pair, ":")
		hash, err := bcrypt.GenerateFromPassword([]byte(password), bcrypt.MinCost)
		if err != nil {
			t.Fatal(err)
		}
		pairs[i] = name + ":" + string(hash)
	}
	cfg := config()
	var err error
	if cfg.Users, err = access.ParseUsers(strings.Join(pairs, ",")); err != nil {
		t.Fatal(err)
	}
	return cfg
}

// shows is the field by which a client shows a name and a password.
func shows(pair string) string {
	return "Proxy-Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte(pair))
}

const challenge = "\r\nProxy-Authenticate: Basic realm=\"warcorder\", charset=\"UTF-8\"\r\n"

// each answers every request of a connection.
func each(answer string) func(*peer) {
	return func(o *peer) {
		for o.readHead() != "" {
			o.send(answer)
		}
	}
}

// TestLoginPlain: requests in absolute form are asked for a password on one connection, which goes
// on where they have no body, and the user of each is the one that it shows.
func TestLoginPlain(t *testing.T) {
	h := newHouse(t, asking(t, "anna:secret", "bert:other"))
	o := newOrigin(t, false, each(numbered(1)))
	client := h.dial()
	for i, c := range []struct{ method, shows, status string }{
		{"GET", "", "407"},
		{"GET", shows("anna:wrong"), "407"},
		{"GET", shows("anna:secret"), "200"},
		{"GET", shows("anna:secret"), "200"},
		{"GET", "", "407"}, // who has shown it before shows it each time
		{"GET", "Proxy-Authorization: Negotiate YWJj", "407"},
		{"GET", shows("anna:secret") + "\r\n" + shows("bert:other"), "407"},
		{"GET", shows("bert:other"), "200"},
		{"GET", shows("anna:secret"), "200"},
		{"HEAD", shows("anna:wrong"), "407"},
	} {
		fields := []string{fmt.Sprintf("%s http://%s/%d HTTP/1.1", c.method, o.address, i), "Host: a"}
		if c.shows != "" {
			fields = append(fields, c.shows)
		}
		client.send(text(fields...))
		head := client.readHead()
		wantFault(t, head, c.status, "")
		if strings.Contains(head, challenge) != (c.status == "407") {
			t.Errorf("%d: %q", i, head)
		}
		if c.method != "HEAD" {
			client.readN(contentLength(t, head))
		}
	}
	client.conn.Close()
	if n := len(o.connections()); n != 1 {
		t.Errorf("%d connections to the origin", n)
	}
	for _, o := range o.connections() {
		if strings.Contains(strings.ToLower(o.seen.String()), "proxy-auth") {
			t.Errorf("the origin has the credential: %q", o.seen.String())
		}
	}
	h.wantUsers("2 anna", "3 anna", "7 bert", "8 anna")
}

func contentLength(t testing.TB, head string) (n int) {
	t.Helper()
	_, rest, found := strings.Cut(head, "Content-Length: ")
	if _, err := fmt.Sscan(rest, &n); !found || err != nil {
		t.Fatalf("%q has no length", head)
	}
	return n
}

// wantUsers ends the house: the log has the users of the captures, each "PATH USER"; no record has
// a user or a credential, and nothing is a gap.
func (h *house) wantUsers(want ...string) {
	h.t.Helper()
	for _, gap := range h.gaps() {
		h.t.Errorf("a gap: %+v", gap)
	}
	records := h.records()
	for _, record := range records {
		all := strings.ToLower(fmt.Sprint(record.header) + string(record.block))
		for _, secret := range []string{"proxy-auth", "anna", "bert", "secret"} {
			if strings.Contains(all, secret) {
				h.t.Errorf("a record has %q: %.300s", secret, all)
			}
		}
	}
	if n := len(of(records, "response")) + len(of(records, "revisit")); n != len(want) {
		h.t.Errorf("%d captures, want %d", n, len(want))
	}
	log := h.log.String()
	for _, one := range want {
		path, user, _ := strings.Cut(one, " ")
		found := false
		for line := range strings.SplitSeq(log, "\n") {
			found = found || strings.Contains(line, `"message":"capture"`) &&
				strings.Contains(line, "/"+path+`"`) && strings.Contains(line, `"user":"`+user+`"`)
		}
		if !found {
			h.t.Errorf("no line for %s of %s:\n%s", path, user, log)
		}
	}
	for _, secret := range []string{"secret", "c2VjcmV0", "$2a$"} {
		if strings.Contains(log, secret) {
			h.t.Errorf("the log has %q:\n%s", secret, log)
		}
	}
}

// TestLoginTunnel: a CONNECT is asked for a password, and its user is that of all that passes in
// its tunnel, whatever is shown inside.
func TestLoginTunnel(t *testing.T) {
	for _, secure := range []bool{false, true} {
		t.Run(map[bool]string{false: "http", true: "https"}[secure], func(t *testing.T) {
			h := newHouse(t, asking(t, "anna:secret", "bert:other"))
			o := newOrigin(t, secure, each(numbered(1)))
			const asks, wrong = "asks for a name and a password", "The name or the password is none"
			for shown, says := range map[string]string{"X: y": asks, shows("anna:wrong"): wrong,
				shows("anna:secret") + "\r\n" + shows("bert:other"): asks} {
				client := h.dial()
				client.send(text("CONNECT "+o.address+" HTTP/1.1", "Host: a", shown) + "\x16\x03\x01")
				got := client.readAll()
				wantFault(t, got, "407", says)
				if !strings.Contains(got, challenge) {
					t.Errorf("%q", got)
				}
			}
			client := h.tunnelAs(o.address, secure, shows("anna:secret"))
			for i := range 3 {
				client.send(text(fmt.Sprintf("GET /%d HTTP/1.1", i), "Host: a", shows("bert:other")))
				client.readN(len(numbered(1)))
			}
			client.conn.Close()
			if n := len(o.connections()); n != 1 {
				t.Errorf("%d connections to the origin", n)
			}
			h.wantUsers("0 anna", "1 anna", "2 anna")
		})
	}
}

// TestLoginUploads: the body of an upload that nobody may make is not waited for, and not read
// without bound.
func TestLoginUploads(t *testing.T) {
	h := newHouse(t, asking(t, "anna:secret"))
	for _, fields := range [][]string{
		{"Content-Length: 1000000000000"},
		{"Transfer-Encoding: chunked"},
		{"Content-Length: 10", "Expect: 100-continue"},
	} {
		client := h.dial()
		client.send(text(append([]string{"POST http://127.0.0.1:1/ HTTP/1.1", "Host: a"}, fields...)...))
		head := client.readHead()
		wantFault(t, head, "407", "Connection: close")
		go func() {
			piece := make([]byte, 1<<16)
			for err := error(nil); err == nil; _, err = client.conn.Write(piece) {
			}
		}()
		client.readN(contentLength(t, head))
		client.readAll()
	}
	h.untilClients(0)
	if gaps := h.gaps(); len(gaps) != 0 {
		t.Errorf("%v", gaps)
	}
}

// TestLoginTold: what is wrong is told of once a second, with who tried and whence, and nothing of
// what a client without a password sends is a gap, or a line for each.
func TestLoginTold(t *testing.T) {
	const flood = 200
	h := newHouse(t, asking(t, "anna:secret"))
	client := h.dial()
	for i := range flood {
		client.send(text("GET http://127.0.0.1:1/ HTTP/1.1", "Host: a", shows(fmt.Sprint("ann\u202ea:hidden", i))))
		client.readN(contentLength(t, client.readHead()))
	}
	client.conn.Close()
	for range flood / 10 {
		for _, sent := range []string{"GET http://a\r\n\r\n", text("CONNECT x:y HTTP/1.1"), "GET http://127.0.0.1:1/ HT"} {
			client := h.dial()
			client.send(sent)
			client.conn.Close()
		}
	}
	h.untilClients(0)
	h.proxy.Shutdown(t.Context())
	if gaps := h.gaps(); len(gaps) != 0 {
		t.Errorf("%d gaps: %v", len(gaps), gaps[0])
	}
	log := h.log.String()
	if lines := strings.Count(log, "\n"); lines > 40 || strings.Contains(log, "hidden") {
		t.Errorf("%d lines:\n%s", lines, log)
	}
	if !strings.Contains(log, `"user":"ann?a"`) || !strings.Contains(log, `"client":"127.0.0.1:`) {
		t.Errorf("%s", log)
	}
	times := 0
	for line := range strings.SplitSeq(log, "\n") {
		if _, rest, found := strings.Cut(line, `"times":`); found && strings.Contains(line, "wrong name") {
			var n int
			fmt.Sscan(strings.SplitN(rest, ",", 2)[0], &n)
			times += n
		}
	}
	if times != flood {
		t.Errorf("%d wrong passwords are told of, want %d", times, flood)
	}
}

// TestLoginFlood: while wrong passwords come from many connections, a user who is known is served.
func TestLoginFlood(t *testing.T) {
	h := newHouse(t, asking(t, "anna:secret"))
	o := newOrigin(t, false, each(numbered(1)))
	ask := func(client *peer) {
		client.send(text("GET http://"+o.address+"/ HTTP/1.1", "Host: a", shows("anna:secret")))
		if got := client.readN(len(numbered(1))); got != numbered(1) {
			t.Errorf("%q", got)
		}
	}
	known := h.dial()
	ask(known)
	answers := make(chan string, 1000)
	var flood sync.WaitGroup
	for i := range 50 {
		flood.Go(func() {
			client := h.dial()
			for j := range 10 {
				client.send(text("GET http://a/ HTTP/1.1", "Host: a", shows(fmt.Sprint("anna:", i, "-", j))))
				head := client.readHead()
				answers <- strings.Fields(head + " - -")[1]
				client.readN(contentLength(t, head))
				if strings.Contains(head, "Connection: close") {
					client = h.dial()
				}
			}
			client.conn.Close()
		})
	}
	for range 50 {
		ask(known)
		again := h.dial() // another connection of the same browser
		ask(again)
		again.conn.Close()
	}
	flood.Wait()
	close(answers)
	for status := range answers {
		if status != "407" && status != "503" {
			t.Errorf("a wrong password got %s", status)
		}
	}
}

// TestLoginBound: a connection to an origin that one user's request has authenticated is not the
// next user's, though both come on one connection.
func TestLoginBound(t *testing.T) {
	h := newHouse(t, asking(t, "anna:secret", "bert:other"))
	o := newOrigin(t, false, each(numbered(1)))
	client := h.dial()
	for _, pair := range []string{"anna:secret", "anna:secret", "bert:other"} {
		client.send(text("GET http://"+o.address+"/ HTTP/1.1", "Host: a", "Authorization: NTLM abc", shows(pair)))
		client.readN(len(numbered(1)))
	}
	if n := len(o.connections()); n != 2 {
		t.Errorf("%d connections to the origin, want one for each user", n)
	}
}

// TestLoginOfCompletions: a whole that is asked for belongs to the user who took the part.
func TestLoginOfCompletions(t *testing.T) {
	cfg := asking(t, "anna:secret")
	cfg.Complete.What, cfg.Complete.Quiet, cfg.Complete.Within = completeAlways, 0, 0
	h := newHouse(t, cfg)
	part := text("HTTP/1.1 206 Partial Content", "Content-Range: bytes 0-0/2", "Content-Length: 1") + "x"
	whole := text("HTTP/1.1 200 OK", "Content-Length: 2") + "xy"
	o := newOrigin(t, false, func(o *peer) {
		for head := o.readHead(); head != ""; head = o.readHead() {
			if strings.Contains(head, "Range:") {
				o.send(part)
			} else {
				o.send(whole)
			}
		}
	})
	client := h.dial()
	client.send(text("GET http://"+o.address+"/film HTTP/1.1", "Host: a", "Range: bytes=0-0", shows("anna:secret")))
	client.readN(len(part))
	client.conn.Close()
	until(t, "both are logged", func() bool {
		return strings.Count(h.log.String(), `"message":"capture"`) == 2
	})
	if n := strings.Count(h.log.String(), `"user":"anna"`); n != 2 {
		t.Errorf("%d lines have the user:\n%s", n, h.log)
	}
}

// TestNobodyAsked: without users a credential is not looked at, and goes no further.
func TestNobodyAsked(t *testing.T) {
	h := newHouse(t, config())
	o := newOrigin(t, false, each(numbered(1)))
	client := h.dial()
	client.send(text("GET http://"+o.address+"/ HTTP/1.1", "Host: a", shows("anna:secret")))
	if got := client.readN(len(numbered(1))); got != numbered(1) {
		t.Errorf("%q", got)
	}
	client.conn.Close()
	h.untilClients(0)
	if gaps := h.gaps(); len(gaps) != 0 {
		t.Errorf("%v", gaps)
	}
	if strings.Contains(strings.ToLower(o.connections()[0].seen.String()), "proxy-") {
		t.Error("the origin has the credential")
	}
}

// TestLoginOfRefusals: what is wrong with a user's CONNECT is told with the user.
func TestLoginOfRefusals(t *testing.T) {
	h := newHouse(t, asking(t, "anna:secret"))
	client := h.dial()
	client.send(text("CONNECT a.example:99999 HTTP/1.1", "Host: a", shows("anna:secret")))
	wantFault(t, client.readAll(), "400", "port")
	if log := h.log.String(); !strings.Contains(log, `"user":"anna"`) || !strings.Contains(log, "connect refused") {
		t.Errorf("%s", log)
	}
	if gaps := h.gaps(); len(gaps) != 1 {
		t.Errorf("%v", gaps)
	}
}
