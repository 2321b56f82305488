package proxy

import (
	"strings"

	"github.com/rs/zerolog"

	"warcorder/proxy/access"
	"warcorder/proxy/http1"
	"warcorder/recorder"
)

// login asks clients for name and password where Config.Users has some (RFC 9110 section 11.7, RFC
// 7617). A plain request shows its own; a CONNECT shows that of all that passes in its tunnel. No
// credential goes further: http1.Change takes it out of what origins and records get.
//
// The invariant is that nobody who has shown nothing makes us do anything but answer: no name is
// looked up and no body waited for; and what such clients do wrong is no gap, and in the log a line
// a second. Nor do they keep others out: until a connection has shown something it counts as one
// that waits, and makes room for a new one (clients); of those that ask for the proxy's own pages
// there are as many as of strangers.
type login struct {
	wrong     summary // credentials that are nobody's, by client and name
	unchecked summary // clients whose credentials there was no time to check
	nameless  summary // clients who have shown nothing, and sent what cannot be understood

	// what the large heads of plain requests may take, which are read before it is known whose they
	// are: not from what is for tunnels and for origins' answers
	memory *budget
}

// headShares is what the large heads may take of plain requests where users are asked for, and of all
// else.
func (c *Config) headShares() (plain, others int64) {
	least := headCopies * c.MaxHeaderSize
	plain = max(c.MaxHeaderMemory/4, least)
	if c.Users.IsEmpty() {
		return plain, c.MaxHeaderMemory
	}
	return plain, max(c.MaxHeaderMemory-plain, least)
}

func (l *login) init(r *relay) {
	l.wrong.tell = func(who string, n int64) {
		client, name, _ := strings.Cut(who, " ")
		r.log.Warn().Str("client", client).Str("user", name).Int64("times", n).
			Msg("wrong name or password")
	}
	l.unchecked.tell = func(client string, n int64) {
		r.log.Warn().Str("client", client).Int64("times", n).
			Msg("too many passwords are to be checked: clients are turned away")
	}
	l.nameless.tell = func(client string, n int64) {
		r.log.Warn().Str("client", client).Int64("times", n).
			Msg("requests refused, of clients who have shown no password")
	}
}

// close tells what is left to tell.
func (l *login) close() {
	l.wrong.close()
	l.unchecked.close()
	l.nameless.close()
}

var (
	noPassword    = refusal{407, "This proxy asks for a name and a password (proxy-users)."}
	wrongPassword = refusal{407, "The name or the password is none of this proxy's (proxy-users)."}
	// which ends the connection: who floods us is to make another one for each try
	noTime = refusal{503, "Too many passwords are being checked at the moment. Try again."}
)

// check returns why a client is not served, or nil if it is, by the user that pass has then.
func (l *login) check(door *access.Door, c *tapConn, pass *access.Pass, field []byte) *refusal {
	if door == nil {
		return nil
	}
	switch door.Check(pass, field, c.from()) {
	case access.Known:
		return nil
	case access.Crowded:
		l.unchecked.add(c.RemoteAddr().String())
		return &noTime
	case access.Wrong:
		l.wrong.add(c.RemoteAddr().String() + " " + access.NameIn(field))
		return &wrongPassword
	}
	return &noPassword
}

// budgetOf is what the large heads of a session are taken from.
func (r *relay) budgetOf(now *settings, tunnel *origin) *budget {
	if tunnel == nil && now.door != nil {
		return r.login.memory
	}
	return r.memory
}

// asksLogin answers a plain request that shows nobody's name and password. answered says that it
// has; goesOn, whether the connection does.
func (s *session) asksLogin(req *http1.Request) (answered, goesOn bool) {
	if s.tunnel != nil { // whose CONNECT has shown them
		return false, true
	}
	if refused := s.login.check(s.door, s.raw, &s.pass, req.Credential); refused != nil {
		goesOn := req.Framing == http1.NoBody && req.KeepAlive && refused != &noTime
		return true, s.tell(req, *refused, goesOn)
	}
	if s.nobodys() && !s.clients.resume(&s.seat) {
		return true, false
	}
	s.become(s.pass.User)
	return false, true
}

// become makes the session that of a user. A connection that is bound to it is another user's.
func (s *session) become(user string) {
	if user == s.user {
		return
	}
	s.origins.close()
	s.user, s.log = user, s.logOf(user)
}

// logOf is the log with the user in each line, if there is one.
func (r *relay) logOf(user string) *zerolog.Logger {
	if user == "" {
		return &r.log
	}
	log := r.log.With().Str("user", recorder.Logged(user)).Logger()
	return &log
}

// nobodys reports whether the client has not shown yet that it may use the proxy.
func (s *session) nobodys() bool { return s.door != nil && s.user == "" }

// hushed is nobodys for what is to be told of: it is told in the summary.
func (s *session) hushed() bool {
	if !s.nobodys() {
		return false
	}
	s.login.nameless.add(s.raw.RemoteAddr().String())
	return true
}
