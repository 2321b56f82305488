// Package route has the ways out: through which parents, which are other proxies, a connection to
// an origin leads.
//
//	way      one or more parents, the first to be reached first: http, https, socks5 or socks5h
//	rule     a pattern of hosts, and the way to them; the first rule that matches counts
//	routes   the rules of one recorder, or one that stands for what its environment says
//
// What is sent to a parent before it passes bytes on is made here (connect.go, socks.go). Sockets,
// names and TLS are the caller's (Dialer).
//
// Invariant: the host and the port that are dialled decide the way, and nothing else that a client
// says: who makes up a name for its TLS handshake stays on the way that its CONNECT leads. And no
// text that comes from here has a user or a password in it, but those that parents are sent.
package route

import (
	"fmt"
	"net"
	"reflect"
	"slices"
	"strings"

	"warcorder/proxy/hosts"
)

// Routes say which way leads to which host. With the zero Routes all hosts are reached directly.
type Routes struct{ rules []rule }

type rule struct {
	pattern     hosts.List
	way         *Way         // nil is direct
	environment *environment // if it is not nil, it says which way
}

// IsSet reports whether there are rules, be they for direct connections.
func (r *Routes) IsSet() bool { return len(r.rules) > 0 }

// Equal reports whether two lead everywhere by the same ways.
func (r *Routes) Equal(other *Routes) bool {
	return slices.EqualFunc(r.rules, other.rules, func(a, b rule) bool {
		return reflect.DeepEqual(a.pattern, b.pattern) && reflect.DeepEqual(a.way, b.way) &&
			a.environment.equal(b.environment)
	})
}

// To returns the way to a host and a port as they are dialled, for https or for http; nil leads
// there directly.
func (r *Routes) To(secure bool, host, port string) *Way {
	for i := range r.rules {
		rule := &r.rules[i]
		switch {
		case !rule.pattern.Has(host):
		case rule.environment != nil:
			return rule.environment.to(secure, host, port)
		default:
			return rule.way
		}
	}
	return nil
}

// Ways are those of the rules that lead through parents.
func (r *Routes) Ways() (all []*Way) {
	for _, rule := range r.rules {
		if rule.way != nil {
			all = append(all, rule.way)
		}
	}
	return all
}

// Add appends the rules of more. Rules behind one for all hosts would never count: they are
// refused.
func (r *Routes) Add(more Routes) error {
	n := len(r.rules)
	if n > 0 && r.rules[n-1].pattern.All && len(more.rules) > 0 {
		return fmt.Errorf("number %d of the ways is for all hosts, and the first that matches counts: "+
			"it must be the last", n)
	}
	r.rules = append(r.rules, more.rules...)
	return nil
}

// String names patterns and parents, without passwords.
func (r Routes) String() string {
	var texts []string
	for _, rule := range r.rules {
		if rule.environment != nil {
			texts = append(texts, rule.environment.String())
			continue
		}
		text := rule.way.String()
		if !rule.pattern.All {
			text = rule.pattern.String() + "=" + text
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, ", ")
}

// Way is a chain of parents. One is made for each rule, and two rules never share what belongs to a
// way: a Way is known by its pointer. Kind, IsAuthenticated, Forwards and String take the nil Way,
// which is direct.
type Way struct {
	hops []hop // the first to be reached first
	kind string
}

// Kind is what may be told of a way without telling of its parents: their schemes, as "http" or
// "socks5 > https"; "" of a direct one.
func (w *Way) Kind() string {
	if w == nil {
		return ""
	}
	return w.kind
}

// IsAuthenticated reports whether a parent is told a user and a password.
func (w *Way) IsAuthenticated() bool {
	if w == nil {
		return false
	}
	for i := range w.hops {
		if w.hops[i].asks {
			return true
		}
	}
	return false
}

// Forwards reports whether the last parent is to be sent requests to an origin itself, with a
// target in absolute form: an HTTP proxy is, if they are not for https.
func (w *Way) Forwards(secure bool) bool {
	return w != nil && !secure && w.last().isHTTP()
}

// ResolvesHere reports whether the last parent is told the origin's address, and not its name.
func (w *Way) ResolvesHere() bool { return w.last().resolvesHere() }

// Authorization is the value of Proxy-Authorization for the last parent of a way that forwards; ""
// if it needs none.
func (w *Way) Authorization() string { return w.last().authorization() }

// Unauthorized is the error of a way that forwards, whose last parent has answered 407 with this
// head.
func (w *Way) Unauthorized(head []byte) error { return w.last().unauthorized(head) }

// First is where the first parent listens, which is what is dialled.
func (w *Way) First() (host, port string) { return w.hops[0].host, w.hops[0].port }

func (w *Way) last() *hop { return &w.hops[len(w.hops)-1] }

// String names the parents, without passwords.
func (w *Way) String() string {
	if w == nil {
		return "direct"
	}
	texts := make([]string, len(w.hops))
	for i := range w.hops {
		texts[i] = w.hops[i].scheme + "://" + w.hops[i].address()
	}
	return strings.Join(texts, " ")
}

// hop is one parent.
type hop struct {
	scheme         string // http, https, socks5 or socks5h
	host, port     string // lower case, no brackets
	user, password string
	asks           bool // for user and password
}

func (h *hop) address() string { return net.JoinHostPort(h.host, h.port) }

func (h *hop) isHTTP() bool { return h.scheme == "http" || h.scheme == "https" }

// resolvesHere reports that the parent is told addresses, and no names.
func (h *hop) resolvesHere() bool { return h.scheme == "socks5" }
