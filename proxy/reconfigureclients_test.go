package proxy

import (
	"math"
	"strings"
	"testing"
	"time"

	"warcorder/proxy/access"
)

// together are the users of some settings.
func together(t *testing.T, all ...Config) (users access.Users) {
	t.Helper()
	for _, cfg := range all {
		var err error
		if users, err = users.With(cfg.Users); err != nil {
			t.Fatal(err)
		}
	}
	return users
}

// TestReconfigureUsers: who is taken out of proxy-users, or has another password, is let in no more on
// what is open: plain connections, those in tunnels, and tunnels that pass bytes alone. For others all
// goes on.
func TestReconfigureUsers(t *testing.T) {
	anna, bert := asking(t, "anna:secret"), asking(t, "bert:other")
	carl, changed := asking(t, "carl:third"), asking(t, "carl:changed")
	cfg := untouched("untouched.test")
	cfg.Users = together(t, anna, bert, carl)
	h := newHouse(t, cfg)
	o, secure := newOrigin(t, false, each(numbered(1))), newOrigin(t, true, each(numbered(1)))
	upgrades := newOrigin(t, false, func(p *peer) {
		p.readHead()
		p.send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n")
		p.in.ReadByte()
	})
	pairs := []string{"anna:secret", "bert:other", "carl:third"}
	plain, inside, passing := map[string]*peer{}, map[string]*peer{}, map[string]*peer{}
	for _, pair := range pairs {
		plain[pair], inside[pair] = h.dial(), h.tunnelAs(secure.address, true, shows(pair))
		wantFault(t, plain[pair].get("http://"+o.address+"/", shows(pair)), "200", "")
		wantFault(t, inside[pair].get("/"), "200", "")
		passing[pair] = h.dial()
		wantFault(t, passing[pair].get("http://"+upgrades.address+"/", shows(pair), "Upgrade: x",
			"Connection: upgrade"), "101", "")
	}
	h.take(func(cfg *Config) { cfg.Users = together(t, anna, changed) })
	for i, pair := range pairs {
		want, within := "407", "403"
		if i == 0 {
			want, within = "200", "200"
		}
		wantFault(t, plain[pair].get("http://"+o.address+"/", shows(pair)), want, "")
		wantFault(t, inside[pair].get("/"), within, "")
		if i > 0 && !inside[pair].ends() {
			t.Errorf("%s: the tunnel goes on", pair)
		}
		if i > 0 && !passing[pair].ends() {
			t.Errorf("%s: bytes go on passing", pair)
		}
	}
	passing[pairs[0]].send("x") // which has the origin end it
	if !passing[pairs[0]].ends() {
		t.Error("the tunnel of a user who is there still does not pass bytes")
	}
	wantFault(t, plain["carl:third"].get("http://"+o.address+"/", shows("carl:changed")), "200", "")
	h.take(func(cfg *Config) { cfg.Users = access.Users{} })
	wantFault(t, plain["bert:other"].get("http://"+o.address+"/"), "200", "")
	wantFault(t, inside["anna:secret"].get("/"), "200", "")
	h.take(func(cfg *Config) { cfg.Users = together(t, bert) })
	wantFault(t, plain["anna:secret"].get("http://"+o.address+"/", shows("anna:secret")), "407", "")
	wantFault(t, plain["carl:third"].get("http://"+o.address+"/", shows("bert:other")), "200", "")
	wantFault(t, inside["anna:secret"].get("/"), "403", "")
}

// TestReconfigureUsersNobodys: a connection whose user is taken out is nobody's: what it sends that
// cannot be understood is told in the summary, and not in that user's name.
func TestReconfigureUsersNobodys(t *testing.T) {
	h := newHouse(t, asking(t, "bert:other"))
	o := newOrigin(t, false, each(numbered(1)))
	client := h.dial()
	wantFault(t, client.get("http://"+o.address+"/", shows("bert:other")), "200", "")
	h.take(func(cfg *Config) { cfg.Users = asking(t, "anna:secret").Users })
	client.send("GET http://a\r\n\r\n")
	client.readAll()
	h.untilClients(0)
	h.proxy.Shutdown(t.Context())
	if log := h.log.String(); strings.Contains(log, "request refused") {
		t.Errorf("it is told as a user's: %s", log)
	}
}

// TestReconfigureUsersPipelined: a request that has come already when passwords begin to be asked for
// is asked for one, and the connection can go on.
func TestReconfigureUsersPipelined(t *testing.T) {
	h := newHouse(t, config())
	asked, answer := make(chan struct{}), make(chan struct{})
	o := newOrigin(t, false, func(p *peer) {
		p.readHead()
		close(asked)
		<-answer
		for p.send(numbered(1)); p.readHead() != ""; p.send(numbered(1)) {
		}
	})
	client := h.dial()
	one := text("GET http://"+o.address+"/ HTTP/1.1", "Host: a")
	client.send(one + one + text("GET http://"+o.address+"/ HTTP/1.1", shows("anna:secret")))
	<-asked
	h.take(func(cfg *Config) { cfg.Users = asking(t, "anna:secret").Users })
	close(answer)
	for _, want := range []string{"200", "407", "200"} {
		head := client.readHead()
		wantFault(t, head, want, "")
		client.readN(contentLength(t, head))
	}
}

// TestReconfigureUserWaits: who is taken out of proxy-users keeps nobody out by a connection that is
// open still, as nobody does who has shown no password.
func TestReconfigureUserWaits(t *testing.T) {
	cfg := config()
	cfg.Users = together(t, asking(t, "anna:secret"), asking(t, "bert:other"))
	cfg.MaxConnections, cfg.Timeout.Header = 1, time.Hour
	h, o := newHouse(t, cfg), newOrigin(t, false, each(numbered(1)))
	bert := h.dial()
	wantFault(t, bert.get("http://"+o.address+"/", shows("bert:other")), "200", "")
	h.take(func(cfg *Config) { cfg.Users = asking(t, "anna:secret").Users })
	bert.send(text("GET http://"+o.address+"/ HTTP/1.1", "Host: a") + "GET http://a half of a head")
	wantFault(t, bert.readHead(), "407", "")
	until(t, "there is a place for another", func() bool {
		head := h.dial().get("http://"+o.address+"/", shows("anna:secret"))
		return strings.Contains(head, " 200 ")
	})
}

// TestReconfigureClients: whose address is taken out of clients gets nothing more on what is open.
func TestReconfigureClients(t *testing.T) {
	cfg := clientsOnly(t)
	cfg.Clients = networks(t, "127.0.0.1,"+stranger)
	h := newHouse(t, cfg)
	o := newOrigin(t, false, each(numbered(1)))
	plain, silent := h.dialFrom(stranger), h.dialFrom(stranger)
	wantFault(t, plain.get("http://"+o.address+"/"), "200", "")
	wantFault(t, silent.get("http://"+o.address+"/"), "200", "")
	near := h.dial()
	wantFault(t, near.get("http://"+o.address+"/"), "200", "")
	h.take(func(cfg *Config) { cfg.Clients = networks(t, "127.0.0.1") })
	wantFault(t, plain.get("http://"+o.address+"/"), "403", "")
	if !plain.ends() {
		t.Error("the connection goes on")
	}
	silent.send(text("CONNECT "+o.address+" HTTP/1.1", "Host: a"))
	wantFault(t, silent.readHead(), "403", "")
	wantFault(t, h.dialFrom(stranger).get("http://"+o.address+"/"), "403", "")
	wantFault(t, near.get("http://"+o.address+"/"), "200", "")
	h.take(func(cfg *Config) { cfg.Clients = networks(t, "@loopback") })
	wantFault(t, h.dialFrom(stranger).get("http://"+o.address+"/"), "200", "")
}

// TestReconfigureConnections: fewer clients are fewer at once, as far as some wait; more are let in.
func TestReconfigureConnections(t *testing.T) {
	h := newHouse(t, crowded(4))
	o := newOrigin(t, false, each(numbered(1)))
	var clients []*peer
	for i := range 4 {
		one := h.dial()
		wantFault(t, one.get("http://"+o.address+"/"), "200", "")
		clients = append(clients, one)
		h.untilWaiting(i + 1)
	}
	h.take(func(cfg *Config) { cfg.MaxConnections = 2 })
	h.untilWaiting(2)
	for i, one := range clients {
		if i < 2 && !one.ends() {
			t.Errorf("%d has waited longest, and goes on", i)
		}
		if i >= 2 {
			wantFault(t, one.get("http://"+o.address+"/"), "200", "")
		}
	}
	h.take(func(cfg *Config) { cfg.MaxConnections = 100 })
	for range 10 {
		wantFault(t, h.dial().get("http://"+o.address+"/"), "200", "")
	}
	const warning = "allows fewer connections"
	if strings.Contains(h.log.String(), warning) {
		t.Errorf("it warns too soon: %s", h.log)
	}
	h.take(func(cfg *Config) { cfg.MaxConnections = math.MaxInt })
	if descriptors() > 0 && !strings.Contains(h.log.String(), warning) {
		t.Errorf("it does not warn: %s", h.log)
	}
}
