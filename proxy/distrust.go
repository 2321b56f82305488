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
		s.tellDistrust("the client does not trust the certificate (" + err.Error() + ")")
	case seemsToSayNo:
		s.doubts.add(&doubt{func() bool { return s.trust.has(c.kind) }, func() {
			s.tellDistrust("the client does not seem to trust the certificate: " +
				"it closed the connection when it had seen it (" + err.Error() + ")")
		}})
	default:
		return false
	}
	return true
}

func (s *session) tellDistrust(said string) {
	s.log.Warn().Str("host", s.tunnel.host).Str("client", s.raw.RemoteAddr().String()).
		Str("do", s.howToTrust()).Msg(said)
	s.gap(recorder.GapRefused, s.place(), said+": "+s.howToTrust())
}

// howToTrust says what makes programs trust the root certificate.
func (s *session) howToTrust() string {
	return "give it the root certificate, as http://" + s.raw.LocalAddr().String() + "/trust says: " +
		"by its trust store, " +
		"curl --cacert, SSL_CERT_FILE, REQUESTS_CA_BUNDLE or NODE_EXTRA_CA_CERTS"
}
