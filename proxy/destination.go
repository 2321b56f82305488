package proxy

import (
	"bytes"

	"warcorder/proxy/http1"
)

// destination returns where the request goes, and its target in origin-form. On a plain connection
// the target must say where. In a tunnel the CONNECT has said so; a target that names a place there
// as well must name that same place, or the record would be of one site under the other's name.
// A Host field decides nothing: it passes as it came.
func (s *session) destination(req *http1.Request) (origin, []byte, error) {
	if bytes.Equal(req.Method, []byte("CONNECT")) {
		return origin{}, nil, http1.Refuse("a CONNECT inside a tunnel")
	}
	scheme, rest, absolute := bytes.Cut(req.Target, []byte("://"))
	if s.tunnel != nil && (!absolute || req.Target[0] == '/' || req.Target[0] == '*') {
		if req.Target[0] != '/' && string(req.Target) != "*" {
			return origin{}, nil, http1.Refuse("the target is neither a path nor a URL")
		}
		return *s.tunnel, req.Target, nil
	}
	if !absolute {
		return origin{}, nil, http1.Refuse("a proxy request needs a target of the form http://host/path")
	}
	named, target, err := http1.ParseAbsolute(string(scheme), rest)
	if err != nil {
		return origin{}, nil, err
	}
	to := origin{secure: named.Secure, host: named.Host, port: named.Port}
	if to.secure {
		to.name = to.host
	}
	target = http1.OriginForm(target, string(req.Method) == "OPTIONS")
	if s.tunnel == nil {
		return to, target, nil
	}
	if to.secure != s.tunnel.secure || to.port != s.tunnel.port ||
		to.host != s.tunnel.host && to.host != s.tunnel.name {
		return origin{}, nil, http1.Refuse("the target names another place than the tunnel leads to")
	}
	return *s.tunnel, target, nil
}

// forward appends the head as the origin gets it: with target in origin-form on plain requests, and
// in a tunnel with the target that the client sent.
func (s *session) forward(dst []byte, req *http1.Request, target []byte, c http1.Change) []byte {
	if s.tunnel != nil {
		target = nil
	}
	return req.Forward(dst, s.head, target, c)
}

// target is what a request names that leads nowhere.
func (s *session) target(req *http1.Request) string {
	if bytes.Contains(req.Target, []byte("://")) {
		return http1.WithoutUserinfo(string(req.Target))
	}
	return s.place()
}
