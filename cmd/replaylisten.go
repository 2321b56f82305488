package cmd

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"sync"

	"github.com/rs/zerolog"

	"warcorder/cmd/replaying"
	"warcorder/proxy/access"
	"warcorder/proxy/admin"
	"warcorder/proxy/hosts"
	"warcorder/store/cdxserver"
	"warcorder/store/readback"
	"warcorder/store/replay"
)

// replayer makes a proxy on ln that replays what the recorder records.
func (s *serving) replayer(c *recordFlags, ln net.Listener, o replaying.Options,
	missed func(replay.Miss), log zerolog.Logger) (*replayer, error) {
	index := s.rec.Index()
	files := readback.Through(s.held, index)
	fresh := &replaying.Fresh{OnDisk: s.rec.OnDiskWithin, Index: s.rec.SettleFor}
	archive, err := o.Archive(index, files, missed, fresh.Await)
	if err != nil {
		return nil, err
	}
	fresh.By = archive
	r := &replayer{
		dir: s.dir, options: o, authority: s.now().authority, tokens: []string{s.token, c.APIToken}, log: log,
		source: replaying.Counted{By: fresh},
		report: archive.Report, recorder: func() int { return 0 }, close: files.Close,
		aside: s.asides(),
	}
	for _, address := range []string{s.address, s.replayAddress(), o.Front} {
		if at, err := netip.ParseAddrPort(address); err == nil { // else there is none
			r.beside = append(r.beside, net.TCPAddrFromAddrPort(at))
		}
	}
	rec := s.rec
	if !o.Fallback {
		rec = nil
	}
	return r, r.make(c, ln, rec)
}

// replayOn replays on the second listener, from now until the recorder ends. What is missing there is
// 404: a page that is looked at is not recorded.
func (c *recordFlags) replayOn(s *serving, ln net.Listener) (err error) {
	options := replaying.Options{Rules: string(c.Rules)}
	s.second, err = s.replayer(c, ln, options, func(replay.Miss) {}, s.log)
	if err == nil {
		s.second.serve()
	}
	return err
}

// replayAddress is that of the second listener, "" if there is none.
func (s *serving) replayAddress() string {
	if s.second == nil {
		return ""
	}
	return s.second.address
}

// replayEnds is closed when the second listener accepts no client any more; nil if there is none.
func (s *serving) replayEnds() <-chan struct{} {
	if s.second == nil {
		return nil
	}
	return s.second.served
}

// replayPage is where another process has this one replay the collection that it records, for as
// long as the request goes on. The listener is for that process alone: on this machine, by a
// password that it is told.
func (c *recordFlags) replayPage(s *serving) admin.Page {
	return admin.Page{Pattern: "POST " + cdxserver.ReplayPath, For: admin.TokenHolder, JSON: true,
		Handler: cdxserver.ReplayPage(func(w http.ResponseWriter, r *http.Request) (int, error) {
			return c.replayFor(s, w, r)
		})}
}

// replayFor replays until the client has gone, or the recorder ends. An error comes before anything
// is answered.
func (c *recordFlags) replayFor(s *serving, w http.ResponseWriter, r *http.Request) (
	status int, err error) {
	if err := r.ParseForm(); err != nil { // of 10 MB at most
		return http.StatusBadRequest, err
	}
	options, err := replaying.OptionsOf(r.Form)
	if err != nil {
		return http.StatusBadRequest, err
	}
	if s.guests.areGone() {
		return http.StatusServiceUnavailable, errEnding
	}
	user, password := "replay-"+rand.Text(), rand.Text() // the log of a capture names the user
	tell := teller{out: json.NewEncoder(w), flush: http.NewResponseController(w).Flush}
	one, err := s.privately(options, user, password, tell.missed)
	if err != nil {
		return http.StatusInternalServerError, err
	}
	w.Header().Set("Content-Type", "application/json")
	tell.say(replaying.Opened(one.address, user, password))
	select {
	case <-r.Context().Done():
	case <-s.guests.ended:
	case <-one.served:
	}
	one.end(context.Background(), s.now().ShutdownTimeout)
	report := one.report()
	tell.say(replaying.Told{Report: &report})
	return 0, nil
}

var errEnding = errors.New("the recorder is ending")

// privately replays on a free port of this machine, for one user, by the settings that count at its
// beginning.
func (s *serving) privately(o replaying.Options, user, password string,
	missed func(replay.Miss)) (*replayer, error) {
	line, err := access.New(user, password)
	if err != nil {
		return nil, err
	}
	own := *s.now().recordFlags
	own.Proxy.Clients = hosts.Words("@loopback")
	if own.Proxy.Users, err = access.ParseUsers(line); err != nil {
		return nil, err
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	// Each answer is in the log of the process that asks, which may be this one.
	log := s.log.Level(max(s.log.GetLevel(), zerolog.WarnLevel))
	one, err := s.replayer(&own, ln, o, missed, log)
	if err != nil {
		return nil, errors.Join(err, ln.Close())
	}
	one.serve()
	return one, nil
}

// teller tells another process of a replay, line by line.
type teller struct {
	mu    sync.Mutex
	out   *json.Encoder
	flush func() error
}

func (t *teller) say(line replaying.Told) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.out.Encode(line)
	t.flush()
}

func (t *teller) missed(m replay.Miss) { t.say(replaying.Told{Missed: &m}) }
