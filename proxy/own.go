package proxy

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/textproto"
	"net/url"
	"strconv"
	"strings"
	"time"

	"warcorder/proxy/admin"
	"warcorder/proxy/http1"
)

// Clients that go through the proxy find its own pages at a name of its own (admin.Name), over HTTP
// and in tunnels. Nothing of that is resolved, dialled, recorded or counted, whatever settings say.
// The session has read the head and knows where the request ends: net/http gets no connection, but
// one request, made of that head, without a body. So there is no second reader who could see
// another request.

// isOwn reports a place that is the proxy itself, by name. A client in a tunnel may name it in its
// handshake alone.
func (o *origin) isOwn() bool { return admin.IsName(o.host) || admin.IsName(o.name) }

// leadsHere reports a tunnel to a name of the proxy's own, also before a handshake has ended.
func (s *session) leadsHere() bool {
	return s.tunnel != nil && (s.tunnel.isOwn() || admin.IsName(s.raw.named))
}

// answerOwn answers a request to a name of the proxy's own, and reports whether the connection goes
// on.
func (s *session) answerOwn(req *http1.Request, to *origin, target []byte) (goesOn bool) {
	defer func() {
		switch value := recover(); value {
		case nil:
		case http.ErrAbortHandler:
			goesOn = false
		default:
			panic(value)
		}
	}()
	if len(s.head) > maxFrontHead {
		return false // no word: the page of another site, which can make it so large, would see that
	}
	goesOn = req.Framing == http1.NoBody && req.KeepAlive
	r, refused := s.ownRequest(req, to, target)
	if refused != nil {
		return s.tell(req, *refused, goesOn)
	}
	page := ownPage{header: http.Header{}, status: http.StatusOK}
	s.pages.ServeHTTP(&page, r)
	goesOn = goesOn && page.header.Get("Connection") != "close"
	s.in.writeUntil(time.Now().Add(s.cfg.Timeout.Idle), 0)
	if _, err := s.conn.Write(page.response(req.HeadRequested, goesOn)); err != nil {
		return false
	}
	if !goesOn {
		s.linger()
	}
	return goesOn
}

// ownRequest makes of the head in s.head the request that our pages get, or says why they get none;
// no browser sends what they do not get.
func (s *session) ownRequest(req *http1.Request, to *origin, target []byte) (
	*http.Request, *refusal) {
	site := strings.TrimSuffix(to.siteName(), ".")
	if !admin.IsName(site) {
		return nil, &refusal{421, "The CONNECT leads to " + admin.Name + ", and the handshake in it asks " +
			"for another name."}
	}
	if to.secure && s.tunnel == nil {
		return nil, &refusal{421, "https://" + admin.Name + "/ is inside a CONNECT."}
	}
	_, fields, _ := bytes.Cut(s.head, []byte{'\n'})
	header, err := textproto.NewReader(bufio.NewReader(bytes.NewReader(fields))).ReadMIMEHeader()
	if err != nil {
		return nil, &refusal{400, "The head has a line that is no field."}
	}
	if named := header["Host"]; s.tunnel != nil && !namesOnly(named, site) {
		return nil, &refusal{421, "The Host field names another place than the tunnel leads to."}
	}
	for _, framing := range []string{"Host", "Content-Length", "Transfer-Encoding", "Trailer"} {
		delete(header, framing)
	}
	if to.port != "80" && to.port != "443" {
		site = net.JoinHostPort(site, to.port)
	}
	address := ownAddress(target)
	r := &http.Request{
		Method:     string(req.Method),
		URL:        address,
		RequestURI: address.RequestURI(),
		Proto:      "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:     http.Header(header),
		Body:       http.NoBody,
		Host:       site,
		RemoteAddr: s.raw.RemoteAddr().String(),
	}
	ctx := context.WithValue(s.stop, http.LocalAddrContextKey, s.raw.LocalAddr())
	return admin.ByName(r.WithContext(ctx), to.secure), nil
}

// ownAddress reads a target in origin-form. What cannot be read is the path of no page.
func ownAddress(target []byte) *url.URL {
	path := "/" + strings.TrimLeft(string(target), "/*")
	if address, err := url.ParseRequestURI(path); err == nil {
		return address
	}
	return &url.URL{Path: path}
}

// namesOnly reports whether a Host field, if there is one, names a site.
func namesOnly(fields []string, site string) bool {
	if len(fields) == 0 {
		return true
	}
	host, _, err := http1.SplitAuthority(fields[0], "80")
	return len(fields) == 1 && err == nil && strings.TrimSuffix(host, ".") == site
}

// ownPage keeps a page of our own until it is there as a whole. They are small.
type ownPage struct {
	header http.Header
	status int
	wrote  bool
	body   bytes.Buffer
}

// Header is that of http.ResponseWriter.
func (p *ownPage) Header() http.Header { return p.header }

// WriteHeader is that of http.ResponseWriter: the first status counts.
func (p *ownPage) WriteHeader(status int) {
	if !p.wrote {
		p.status, p.wrote = status, true
	}
}

// Write is that of http.ResponseWriter.
func (p *ownPage) Write(b []byte) (int, error) {
	p.wrote = true
	return p.body.Write(b)
}

// response is the page as it is sent.
func (p *ownPage) response(headOnly, goesOn bool) []byte {
	p.header.Set("Date", time.Now().UTC().Format(http.TimeFormat))
	p.header.Set("Content-Length", strconv.Itoa(p.body.Len()))
	p.header.Set("Connection", "close")
	if goesOn {
		p.header.Set("Connection", "keep-alive")
	}
	var b bytes.Buffer
	io.WriteString(&b, "HTTP/1.1 "+strconv.Itoa(p.status)+" "+http.StatusText(p.status)+"\r\n")
	p.header.Write(&b) // takes line ends out of values
	b.WriteString("\r\n")
	if !headOnly {
		b.Write(p.body.Bytes())
	}
	return b.Bytes()
}
