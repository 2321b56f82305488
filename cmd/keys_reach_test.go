package cmd

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
)

// reachKeys say what is fetched, from where, and what of it passes unrecorded.
func reachKeys() []keyRow {
	return []keyRow{
		{key: "record-dns", shows: showRecordDNS},
		{key: "insecure-upstream", shows: showInsecureUpstream},
		{key: "deny", shows: showDeny},
		{key: "allow", shows: showAllow},
		{key: "resolver", shows: showResolver},
		{key: "source-address", shows: showSourceAddress},
		{key: "no-record", shows: showNoRecord},
		{key: "tunnel", shows: showTunnel},
	}
}

// at is the URL of an origin by another host.
func at(origin *httptest.Server, host, path string) string {
	scheme, rest, _ := strings.Cut(origin.URL, "://")
	return scheme + "://" + host + rest[strings.LastIndexByte(rest, ':'):] + path
}

func showRecordDNS(t *testing.T, b *keyBench) {
	for file, recorded := range map[string]int{"record-dns: true": 1, "": 0} {
		r := b.record(t, file+newKeyNames(t, false).setting())
		r.fetch(at(b.pages, "news.test", "/")).wants(t, 200, "page /")
		r.settle(t)
		lines := r.indexed(t, `"dns:news.test"`)
		if len(lines) != recorded || len(r.records(t, "resource", "dns:news.test")) != recorded {
			t.Errorf("%q: %q", file, lines)
		}
	}
}

func showInsecureUpstream(t *testing.T, b *keyBench) {
	secure := newSite(t).secure
	names := newKeyNames(t, false).setting()
	all := b.record(t, "insecure-upstream: true"+names)
	some := b.record(t, `insecure-upstream: [other.test, "*.example.test"]`+names)
	for host, want := range map[string]int{
		"other.test": 200, "a.b.example.test": 200, "example.test": 502,
		"127.0.0.1": 502,
	} {
		target := at(secure, host, "/bytes/1")
		all.fetch(target).wants(t, 200, "")
		some.fetch(target).wants(t, want, "")
	}
	b.plain.fetch(at(secure, "127.0.0.1", "/bytes/1")).wants(t, 502, "insecure-upstream")
}

// counted makes an origin that counts how often it is asked.
func counted(t *testing.T) (origin *httptest.Server, asked *atomic.Int64) {
	t.Helper()
	asked = &atomic.Int64{}
	return keyOrigin(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		io.WriteString(w, "it came")
	}), asked
}

func showDeny(t *testing.T, b *keyBench) {
	origin, asked := counted(t)
	denied := func(file string, hosts ...string) {
		t.Helper()
		r := b.record(t, file+newKeyNames(t, false).setting())
		for _, host := range hosts {
			r.fetch(at(origin, host, "/")).wants(t, 403, "")
		}
		r.gaps(t, map[string]int{"blocked": len(hosts)})
		if gaps := r.own(t, "/gaps"); asked.Load() > 0 || !strings.Contains(gaps, `"blocked"`) {
			t.Errorf("%q: asked %d times: %s", file, asked.Load(), gaps)
		}
	}
	words := []string{"127.0.0.1", "[::1]", "10.0.0.1", "169.254.7.7", "169.254.169.254"}
	denied(`deny: ["*.bad.test", exact.test, 192.0.2.7, 127.0.0.64/26, "@metadata"]`,
		"a.bad.test", "exact.test", "192.0.2.7", "127.0.0.65", "169.254.169.254")
	denied(`deny: ["@loopback", "@private", "@link-local", "@metadata"]`, words...)
	denied(`deny: "*"`, "any.test", "192.0.2.7")
	denied(`deny: "@any"`, "any.test", "192.0.2.7")
	denied("listen: 0.0.0.0:0\nclients: '@loopback'", words...)
	some := b.record(t, `deny: ["*.bad.test", exact.test]`+newKeyNames(t, false).setting())
	some.fetch(at(origin, "bad.test", "/")).wants(t, 200, "it came")
	some.fetch(at(origin, "inexact.test", "/")).wants(t, 200, "it came")
	b.plain.fetch(origin.URL).wants(t, 200, "it came")
}

func showAllow(t *testing.T, b *keyBench) {
	const deny = `deny: ["*", "@loopback"]` + "\n"
	for allow, passes := range map[string]string{
		"": "", `allow: ["*.good.test", exact.test]`: "a.good.test exact.test",
		"allow: 127.0.0.1/32": "a.good.test exact.test other.test 127.0.0.1",
	} {
		r := b.record(t, deny+allow+newKeyNames(t, false).setting())
		for _, host := range []string{"a.good.test", "exact.test", "other.test", "127.0.0.1"} {
			want := 403
			if strings.Contains(passes, host) {
				want = 200
			}
			if got := r.fetch(at(b.pages, host, "/")); got.err != nil || got.status != want {
				t.Errorf("%q, %s: %d %v, want %d", allow, host, got.status, got.err, want)
			}
		}
	}
}

func showResolver(t *testing.T, b *keyBench) {
	first, second := newKeyNames(t, true), newKeyNames(t, false)
	r := b.record(t, "resolver: ["+first.address+", "+second.address+"]")
	r.fetch(at(b.pages, "news.test", "/")).wants(t, 200, "page /")
	if !strings.Contains(first.names(), "news.test") || !strings.Contains(second.names(), "news.test") {
		t.Errorf("asked were %q, and %q", first.names(), second.names())
	}
	third, fourth := newKeyNames(t, false), newKeyNames(t, false)
	r = b.record(t, "resolver: ["+third.address+", "+fourth.address+"]")
	r.fetch(at(b.pages, "news.test", "/")).wants(t, 200, "page /")
	if third.names() == "" || fourth.names() != "" {
		t.Errorf("asked were %q, and %q", third.names(), fourth.names())
	}
	b.plain.fetch(at(b.pages, "localhost", "/")).wants(t, 200, "page /") // as the system says
	// The port is 53 if none is named, which a test has not.
	line, err := parse(t, "--config", writeFile(t, "resolver: [192.0.2.53, \"192.0.2.54:5353\"]"))
	if err != nil || line.Record.Proxy.Resolver.String() != "192.0.2.53:53,192.0.2.54:5353" {
		t.Errorf("%v, %v", line.Record.Proxy.Resolver, err)
	}
}

func showSourceAddress(t *testing.T, b *keyBench) {
	from := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, _ := net.SplitHostPort(r.RemoteAddr)
		io.WriteString(w, "from "+host+".")
	})
	origin := keyOrigin(t, from)
	b.plain.fetch(origin.URL).wants(t, 200, "from 127.0.0.1.")
	if said := b.refused(t, "source-address: 198.51.100.7"); !strings.Contains(said, "source-address") {
		t.Errorf("%s", said)
	}
	if runtime.GOOS != "linux" { // which alone has all of 127.0.0.0/8
		return
	}
	b.record(t, "source-address: 127.0.0.9").fetch(origin.URL).wants(t, 200, "from 127.0.0.9.")
	ln, err := net.Listen("tcp", "[::1]:0")
	if err != nil {
		t.Logf("no IPv6: %v", err)
		return
	}
	six := httptest.NewUnstartedServer(from)
	six.Listener.Close()
	six.Listener = ln
	six.Start()
	t.Cleanup(six.Close)
	both := b.record(t, `source-address: "127.0.0.9,::1"`)
	both.fetch(origin.URL).wants(t, 200, "from 127.0.0.9.")
	both.fetch(six.URL).wants(t, 200, "from ::1.")
}

func showNoRecord(t *testing.T, b *keyBench) {
	hosts := map[string]bool{"a.quiet.test": false, "quiet.test": true, "exact.test": false,
		"update.googleapis.com": false, "other.test": true}
	for file, all := range map[string]bool{
		`no-record: ["*.quiet.test", exact.test, "@browser-chatter"]`: false, `no-record: "*"`: true,
	} {
		r := b.record(t, file+newKeyNames(t, false).setting())
		unrecorded := 0
		for host, recorded := range hosts {
			target := at(b.pages, host, "/")
			r.fetch(target).wants(t, 200, "page /")
			if recorded = recorded && !all; !recorded {
				unrecorded++
			}
			r.settle(t)
			if (len(r.indexed(t, target)) > 0) != recorded {
				t.Errorf("%q: %s is recorded: %t", file, host, !recorded)
			}
		}
		r.gaps(t, map[string]int{"unrecorded": unrecorded})
	}
	r := b.record(t, newKeyNames(t, false).setting())
	r.fetch(at(b.pages, "update.googleapis.com", "/")).wants(t, 200, "")
	r.settle(t)
	if len(r.indexed(t, "update.googleapis.com")) != 1 {
		t.Error("by default what browsers ask for is not recorded")
	}
}

func showTunnel(t *testing.T, b *keyBench) {
	root := newIssued(t, "the origin's root", nil)
	origin := servesTLS(t, root.leaf(t, "origin"), nil, func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "by itself")
	})
	r := b.record(t, "insecure-upstream: true\ntunnel: [localhost]")
	pinned := keyClient(r.address, root.pool()) // takes the origin's own certificate only
	askBy(pinned, "GET", at(origin, "localhost", "/"), "").wants(t, 200, "by itself")
	if got := askBy(pinned, "GET", origin.URL, ""); got.err == nil {
		t.Errorf("another host passes untouched as well: %q", got.body)
	}
	r.fetch(origin.URL).wants(t, 200, "by itself")
	if lines := r.indexed(t, "localhost"); len(lines) > 0 || len(r.indexed(t, origin.URL)) == 0 {
		t.Errorf("%q", lines)
	}
	r.gaps(t, map[string]int{"tunnelled": 1, "refused": 1})
	direct := keyClient(b.plain.address, root.pool())
	if got := askBy(direct, "GET", at(origin, "localhost", "/"), ""); got.err == nil {
		t.Error("by default a tunnel is untouched")
	}
}
