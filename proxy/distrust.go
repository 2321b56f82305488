package proxy

import (
	"crypto/tls"
	"time"

	"warcorder/recorder"
)

// connectHost is the name of the leaf for a client that sends no SNI. It notes that the client gets
// a certificate.
func connectHost(hello *tls.ClientHelloInfo) string {
	c, ok := hello.Conn.(*tapConn)
	if !ok {
		return ""
	}
	c.certified = true
	return c.host
}

// noteClients has a configuration note who sends a hello. Who resumes a session gets no certificate,
// and speaks for the others of its kind all the same: it has taken one before.
func noteClients(config *tls.Config) {
	next := config.GetConfigForClient
	config.GetConfigForClient = func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
		if c, ok := hello.Conn.(*tapConn); ok {
			c.kind, c.named = kindOf(hello), hello.ServerName
		}
		return next(hello)
	}
}

// distrusts reports whether the client went away because of our certificate, and if so logs it and
// notes a gap. err is what ended the connection, on which nothing was asked.
func (s *session) distrusts(err error) bool {
	c := s.raw
	if s.leadsHere() {
		return true // the trust page asks just that, and shows the answer
	}
	if !c.certified || s.clients.closing.Load() {
		return false
	}
	age, trusts := time.Since(c.handshakeBegan), s.trust.has(c.kind)
	if isBreak(err, age) {
		s.suggestTunnel(trusts)
	}
	switch understand(err, age, trusts) {
	case saidNo:
		s.tellDistrust("does not trust the certificate", err, s.gap)
	case seemsToSayNo:
		gap := s.gapLater()
		s.doubts.add(&doubt{func() bool { return s.trust.has(c.kind) }, func() {
			s.tellDistrust(seemsToDistrust, err, gap)
		}})
	default:
		return false
	}
	return true
}

// handshakeFailed notes what comes of a handshake that has not come to its end. A browser opens
// connections in advance, and drops those it has no use for: before it asks the host for something by
// another one, or after.
func (s *session) handshakeFailed(err error) {
	if !hungUp(err) {
		if !s.distrusts(err) {
			s.tellFailure(err, s.gap)
		}
		return
	}
	if s.leadsHere() {
		return
	}
	c := s.raw
	doubts := c.certified && !s.clients.closing.Load() && time.Since(c.handshakeBegan) < doubtWithin
	if isBreak(err, time.Since(c.handshakeBegan)) && doubts {
		s.suggestTunnel(s.trust.has(c.kind))
	}
	at, gap := c.at(), s.gapLater()
	s.doubts.add(&doubt{func() bool { return s.pinned.works(at) }, func() {
		if doubts && !s.trust.has(c.kind) {
			s.tellDistrust(seemsToDistrust, err, gap)
		} else {
			s.tellFailure(err, gap)
		}
	}})
}

// noteGap is session.gap, or what it would have done at another time.
type noteGap func(reason, place, detail string)

// gapLater is session.gap as it is now, for who finds out later that there is one.
func (s *session) gapLater() noteGap {
	if s.paused.on() {
		return func(string, string, string) {}
	}
	return s.gapNow
}

const seemsToDistrust = "does not seem to trust the certificate: it closed the connection when it had seen it"

func (s *session) tellDistrust(does string, err error, gap noteGap) {
	said := "the client " + does + " (" + err.Error() + ")"
	s.log.Warn().Str("host", s.tunnel.host).Str("client", s.raw.RemoteAddr().String()).
		Str("do", s.howToTrust()).Msg(said)
	gap(recorder.GapRefused, s.place(), said+": "+s.howToTrust())
}

func (s *session) tellFailure(err error, gap noteGap) {
	s.log.Warn().Str("host", s.tunnel.host).Err(err).Msg("client's TLS handshake failed")
	gap(recorder.GapRefused, s.place(), "the client's TLS handshake failed: "+err.Error())
}

// howToTrust says what makes programs trust the root certificate.
func (s *session) howToTrust() string {
	return "give it the root certificate, as http://" + s.raw.LocalAddr().String() + "/trust says: " +
		"by its trust store, " +
		"curl --cacert, SSL_CERT_FILE, REQUESTS_CA_BUNDLE or NODE_EXTRA_CA_CERTS"
}
