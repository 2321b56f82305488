package route

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/net/http/httpproxy"

	"warcorder/proxy/hosts"
)

// environment is what the variables say by which curl, wget and others are told of proxies. A nil
// way is direct.
type environment struct {
	http, https *Way
	none        string // NO_PROXY
	// whether NO_PROXY leaves a URL to a parent, told by a URL that is not nil
	proxied func(*url.URL) (*url.URL, error)
}

func (e *environment) to(secure bool, host, port string) *Way {
	way, scheme := e.http, "http"
	if secure {
		way, scheme = e.https, "https"
	}
	if way == nil {
		return nil
	}
	u, err := e.proxied(&url.URL{Scheme: scheme, Host: net.JoinHostPort(host, port)})
	if u == nil && err == nil {
		return nil
	}
	return way
}

func (e *environment) String() string {
	return "for http " + e.http.String() + ", for https " + e.https.String()
}

// Environment is what the environment says of ways out.
type Environment struct {
	Routes Routes
	Used   []string // the variables that Routes are made of
	Own    []string // the variables that name the recorder itself, and are passed over
}

// variables are those that name parents for http and for https, the first one to count first.
var variables = [2][]string{
	{"http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"},
	{"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"},
}

// FromEnvironment reads HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY, in capitals or not. They
// are understood as others understand them: the scheme may be missing, and what NO_PROXY names,
// localhost and addresses of loopback are reached directly. isSelf knows the address of the
// recorder itself, which a person may have exported for other programs.
func FromEnvironment(getenv func(string) string, isSelf func(host, port string) bool) (
	e Environment, err error) {
	var ways [2]*Way
	for i, names := range variables {
		for _, name := range names {
			text := strings.TrimSpace(getenv(name))
			if text == "" || ways[i] != nil {
				continue
			}
			way, err := parseVariable(text)
			if err != nil {
				return Environment{}, fmt.Errorf("%s in the environment cannot be used: %w. "+
					"What upstream says counts before it: upstream=direct does without", name, err)
			}
			if isSelf(way.First()) {
				e.Own = appendNew(e.Own, name)
				continue
			}
			ways[i] = way
			e.Used = appendNew(e.Used, name)
		}
	}
	if len(e.Used) > 0 {
		none := strings.TrimSpace(cmp.Or(getenv("no_proxy"), getenv("NO_PROXY")))
		e.Routes.rules = []rule{{pattern: hosts.List{All: true}, environment: newEnvironment(ways, none)}}
	}
	return e, nil
}

// Variables are those that name proxies, and are set.
func Variables(getenv func(string) string) (set []string) {
	for _, names := range variables {
		for _, name := range names {
			if strings.TrimSpace(getenv(name)) != "" {
				set = appendNew(set, name)
			}
		}
	}
	return set
}

func (e *environment) equal(other *environment) bool {
	if e == nil || other == nil {
		return e == other
	}
	return e.none == other.none && reflect.DeepEqual(e.http, other.http) &&
		reflect.DeepEqual(e.https, other.https)
}

func newEnvironment(ways [2]*Way, none string) *environment {
	const some = "http://parent" // whether there is a parent is asked, and not which
	cfg := httpproxy.Config{HTTPProxy: some, HTTPSProxy: some, NoProxy: none}
	return &environment{http: ways[0], https: ways[1], none: none, proxied: cfg.ProxyFunc()}
}

// parseVariable reads the value of a variable: one parent, whose scheme may be missing.
func parseVariable(text string) (*Way, error) {
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	if len(strings.Fields(text)) > 1 {
		return nil, errors.New("it has blanks in it")
	}
	return parseWay(text)
}

func appendNew(list []string, one string) []string {
	if slices.Contains(list, one) {
		return list
	}
	return append(list, one)
}
