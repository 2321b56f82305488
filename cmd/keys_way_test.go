package cmd

import (
	"crypto/tls"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"warcorder/proxy/route/routetest"
)

// wayKeys say by which way origins are reached, and who shows whom which certificate.
func wayKeys() []keyRow {
	return []keyRow{
		{key: "upstream", shows: showUpstream},
		{key: "upstream-ca", shows: showUpstreamCA},
		{key: "client-certs", shows: showClientCerts},
	}
}

// asked is what a parent was asked for, in all.
func asked(parent *routetest.Parent) (all string) {
	for _, conn := range parent.Seen() {
		all += conn.User + " " + strings.Join(conn.Asked, " ") + "\n"
	}
	return all
}

func showUpstream(t *testing.T, b *keyBench) {
	root := newIssued(t, "the root of the parent", nil)
	cfg := &tls.Config{Certificates: []tls.Certificate{root.leaf(t, "parent").pair()}}
	parents := map[string]*routetest.Parent{
		"socks5h": routetest.SOCKS5(t, "", ""), "socks5": routetest.SOCKS5(t, "", ""),
		"http": routetest.HTTP(t, nil, "", ""), "https": routetest.HTTP(t, cfg, "", ""),
		"all": routetest.HTTP(t, nil, "user", "s3cr3t"),
	}
	url := func(name, scheme string) string { return parents[name].URL(scheme) }
	r := b.record(t, newKeyNames(t, false).setting()+"upstream-ca: "+inPEM(t, root.pem)+`
upstream:
  - "*.onion.test=`+url("socks5h", "socks5h")+`"
  - "direct.test=direct"
  - "direct.test=`+url("all", "http")+`"
  - "here.test=`+url("socks5", "socks5")+`"
  - "secure.test=`+url("https", "https")+`"
  - "chain.test=`+url("http", "http")+" "+url("socks5h", "socks5h")+`"
  - "`+url("all", "http")+`"
`)
	port := portOf(t, b.pages.Listener.Addr().String())
	for host, by := range map[string]map[string]string{ // what is asked of whom
		"a.onion.test": {"socks5h": "a.onion.test:" + port},
		"direct.test":  {},
		"here.test":    {"socks5": "127.0.0.1:" + port}, // resolved here
		"secure.test":  {"https": "secure.test:" + port},
		"chain.test":   {"http": parents["socks5h"].Address, "socks5h": "chain.test:" + port},
		"other.test":   {"all": "user http://other.test:" + port},
	} {
		before := map[string]string{}
		for name, parent := range parents {
			before[name] = asked(parent)
		}
		r.fetch(at(b.pages, host, "/way")).wants(t, 200, "page /way")
		for name, parent := range parents {
			now := strings.TrimPrefix(asked(parent), before[name])
			if !strings.Contains(now, by[name]) || by[name] == "" && now != "" {
				t.Errorf("%s asked %s for %q, want %q", host, name, now, by[name])
			}
		}
	}
	showDefaultWay(t, b)
}

// showDefaultWay: with no upstream the environment counts, and without that it is direct.
func showDefaultWay(t *testing.T, b *keyBench) {
	parent := routetest.HTTP(t, nil, "", "")
	for _, variable := range []string{"HTTP_PROXY=", "ALL_PROXY="} {
		r := recordAtHome(t, "listen: 127.0.0.1:0\nca-dir: "+b.ca, "collections/default",
			variable+parent.URL("http"))
		client := keyClient(r.address, nil)
		askBy(client, "GET", at(b.pages, "by.test", "/way"), "").wants(t, 200, "page /way")
	}
	if n := strings.Count(asked(parent), "by.test"); n != 2 {
		t.Errorf("the parent of the environment was asked %d times", n)
	}
	b.plain.fetch(b.pages.URL+"/way").wants(t, 200, "page /way")
}

func showUpstreamCA(t *testing.T, b *keyBench) {
	ours, systems := newIssued(t, "the root of ours", nil), newIssued(t, "one of the system's", nil)
	answer := func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "it came") }
	origin := servesTLS(t, ours.leaf(t, "origin"), nil, answer)
	other := servesTLS(t, systems.leaf(t, "origin"), nil, answer)
	file := "upstream-ca: " + inPEM(t, ours.pem)
	r := b.record(t, file)
	r.fetch(origin.URL).wants(t, 200, "it came")
	r.fetch(other.URL).wants(t, 502, "")
	b.plain.fetch(origin.URL).wants(t, 502, "")
	if runtime.GOOS != "linux" { // whose roots a variable names
		return
	}
	home := recordAtHome(t, "listen: 127.0.0.1:0\nca-dir: "+b.ca+"\n"+file, "collections/default",
		"SSL_CERT_FILE="+inPEM(t, systems.pem))
	client := keyClient(home.address, trustOf(t, b.ca))
	askBy(client, "GET", origin.URL, "").wants(t, 200, "it came")
	askBy(client, "GET", other.URL, "").wants(t, 200, "it came")
}

func showClientCerts(t *testing.T, b *keyBench) {
	root := newIssued(t, "the root", nil)
	origin := servesTLS(t, root.leaf(t, "origin"), root, func(w http.ResponseWriter, r *http.Request) {
		name := "nobody"
		if shown := r.TLS.PeerCertificates; len(shown) > 0 {
			name = shown[0].Subject.CommonName
		}
		io.WriteString(w, "it is "+name)
	})
	archive, crawler := root.leaf(t, "the archive"), root.leaf(t, "the crawler")
	base := newKeyNames(t, false).setting() + "upstream-ca: " + inPEM(t, root.pem) + "\n"
	r := b.record(t, base+"client-certs:\n"+
		`- {host: "*.intranet.test", cert: `+inPEM(t, archive.pem)+", key: "+inPEM(t, archive.key)+"}\n"+
		"- {host: exact.test, cert: "+inPEM(t, crawler.pem, crawler.key)+"}\n")
	plain := b.record(t, base)
	for host, want := range map[string]string{"a.intranet.test": "the archive",
		"intranet.test": "nobody", "exact.test": "the crawler", "other.test": "nobody"} {
		r.fetch(at(origin, host, "/")).wants(t, 200, "it is "+want)
		plain.fetch(at(origin, host, "/")).wants(t, 200, "it is nobody")
	}
}
