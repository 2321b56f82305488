package route

import (
	"slices"
	"strings"
	"testing"
)

// TestEnvironment: the variables count as for curl: small letters before capitals, the one of a
// scheme before ALL_PROXY, NO_PROXY and loopback before both. One that names the recorder itself is
// passed over, and told.
func TestEnvironment(t *testing.T) {
	self := func(host, port string) bool { return host == "127.0.0.1" && port == "8080" }
	for name, c := range map[string]struct {
		set                 map[string]string
		http, https, hidden string // of a.example, a.example, and hidden.example
		used, own           []string
	}{
		"nothing": {nil, "direct", "direct", "direct", nil, nil},
		"blank":   {map[string]string{"HTTP_PROXY": " "}, "direct", "direct", "direct", nil, nil},
		"capitals": {map[string]string{"HTTP_PROXY": "http://p:1", "HTTPS_PROXY": "https://q"},
			"http://p:1", "https://q:443", "https://q:443", []string{"HTTP_PROXY", "HTTPS_PROXY"}, nil},
		"small letters first": {map[string]string{"http_proxy": "p:1", "HTTP_PROXY": "http://q"},
			"http://p:1", "direct", "direct", []string{"http_proxy"}, nil},
		"for all": {map[string]string{"ALL_PROXY": "socks5h://p", "https_proxy": "q"},
			"socks5h://p:1080", "http://q:80", "http://q:80", []string{"ALL_PROXY", "https_proxy"}, nil},
		"not for all": {map[string]string{"all_proxy": "p", "NO_PROXY": "x, .example:80,hidden.example"},
			"direct", "http://p:80", "direct", []string{"all_proxy"}, nil},
		"for none": {map[string]string{"all_proxy": "p", "no_proxy": "*"},
			"direct", "direct", "direct", []string{"all_proxy"}, nil},
		"ourselves": {map[string]string{"http_proxy": "http://127.0.0.1:8080", "ALL_PROXY": "q",
			"https_proxy": "http://127.0.0.1:8080/"},
			"http://q:80", "http://q:80", "http://q:80", []string{"ALL_PROXY"},
			[]string{"http_proxy", "https_proxy"}},
		"nobody but ourselves": {map[string]string{"all_proxy": "127.0.0.1:8080"},
			"direct", "direct", "direct", nil, []string{"all_proxy"}},
	} {
		e, err := FromEnvironment(func(name string) string { return c.set[name] }, self)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		r := &e.Routes
		got := []string{r.To(false, "a.example", "80").String(), r.To(true, "a.example", "443").String(),
			r.To(true, "hidden.example", "443").String()}
		if !slices.Equal(got, []string{c.http, c.https, c.hidden}) ||
			!slices.Equal(e.Used, c.used) || !slices.Equal(e.Own, c.own) {
			t.Errorf("%s: %q, used %q, own %q", name, got, e.Used, e.Own)
		}
		for _, near := range []string{"localhost", "127.0.0.2", "::1"} {
			if way := r.To(true, near, "443"); way != nil {
				t.Errorf("%s: %s is reached by %v", name, near, way)
			}
		}
	}
}

// TestBadEnvironment: what cannot be used is refused, with the variable's name and no password.
func TestBadEnvironment(t *testing.T) {
	for _, value := range []string{"socks4://u:s3cr@p", "http://u:s3cr@p:port",
		"http://a http://b", "://", "direct"} {
		_, err := FromEnvironment(func(name string) string {
			return map[string]string{"HTTPS_PROXY": value}[name]
		}, func(string, string) bool { return false })
		if value == "direct" { // a host of that name
			if err != nil {
				t.Error(err)
			}
			continue
		}
		if err == nil || !strings.HasPrefix(err.Error(), "HTTPS_PROXY ") ||
			strings.Contains(err.Error(), "s3cr") {
			t.Errorf("%q: %v", value, err)
		}
	}
}
