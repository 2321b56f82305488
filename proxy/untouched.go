package proxy

import (
	"context"
	"net/netip"
	"time"

	"warcorder/proxy/admin"
	"warcorder/recorder"
)

// A CONNECT to a host of Config.Tunnel is passed through untouched: the client speaks to the origin
// itself, by the origin's own certificate, and nobody reads along. What leads there is what leads
// all exchanges there (origins.dial), and the client learns whether it does before it has sent
// anything. Where the CONNECT names an address, the name in the client's hello decides as well.

// leadsUntouched reports whether the host of a CONNECT is one of Config.Tunnel.
func (s *session) leadsUntouched() bool {
	return s.cfg.Tunnel.Has(s.tunnel.host) && !s.tunnel.isOwn()
}

// asksUntouched reports whether the client, whose hello is to come and whose CONNECT named an
// address, asks for a host of Config.Tunnel, and makes that the tunnel's name. The hello stays to
// be read.
func (s *session) asksUntouched() bool {
	if len(s.cfg.Tunnel.Hosts) == 0 {
		return false
	}
	if _, err := netip.ParseAddr(s.tunnel.host); err != nil {
		return false
	}
	s.raw.SetReadDeadline(time.Now().Add(s.cfg.Timeout.TLS))
	name := helloName(s.raw)
	if !s.cfg.Tunnel.Has(name) || admin.IsName(name) {
		return false
	}
	s.tunnel.name = name
	return true
}

// passUntouched connects the client with where its CONNECT leads, and passes bytes until both ends
// have closed. told is a client that has had its 200.
func (s *session) passUntouched(told bool) {
	s.tunnel.secure, s.tunnel.opaque = true, true
	if s.tunnel.name == "" {
		s.tunnel.name = s.tunnel.host
	}
	s.route(s.tunnel)
	s.in.conn, s.in.heads = s.conn, s.memory
	s.clients.occupy(&s.seat)
	defer s.in.drop()
	up, err := s.dialUntouched()
	if err != nil {
		s.noTunnel(err, told)
		return
	}
	defer up.close()
	s.conn.SetWriteDeadline(time.Now().Add(refusalPatience))
	if !told {
		if _, err := s.conn.Write(established); err != nil {
			return
		}
	}
	s.noteUntouched()
	if s.passes() {
		splice(s.conn, s.in.bytes(), up.conn, up.bytes(), s.cfg.Timeout.Idle)
	}
}

// dialUntouched opens a connection to the origin, unless the client goes away meanwhile.
func (s *session) dialUntouched() (*upstream, error) {
	ctx, cancel := context.WithCancel(s.stop)
	defer cancel()
	if s.isUnrecorded() {
		ctx = context.WithValue(ctx, discreet{}, true)
	}
	s.in.watch(func(error) {
		s.gone.Store(true)
		cancel()
	})
	defer s.in.unwatch()
	up, err := s.origins.dial(ctx, *s.tunnel)
	if err != nil {
		return nil, err
	}
	s.upstream.Store(up)
	if s.stop.Err() != nil { // stopped meanwhile: whoever did may not have seen this connection
		up.raw.Close()
	}
	return up, nil
}

// noTunnel tells the client why there is no tunnel. One that has had its 200 is told by a reset.
func (s *session) noTunnel(err error, told bool) {
	v := answers.on(err, *s.tunnel)
	switch {
	case s.stop.Err() != nil:
		v = ours.on(errStopping, *s.tunnel)
	case s.gone.Load():
		v = ours.on(errClientGone, *s.tunnel)
	}
	s.log.Warn().Str("host", s.tunnel.name).Err(err).Msg("no tunnel")
	s.gap(v.gap, s.place(), v.told)
	switch {
	case told:
		s.end(true)
	case !s.gone.Load():
		s.page(refusal{v.status, v.told})
		s.linger()
	}
}

// isUnrecorded reports a tunnel of which not even the list of gaps is to know.
func (s *session) isUnrecorded() bool {
	return s.paused.on() || s.cfg.NoRecord.Has(s.tunnel.name)
}

// noteUntouched counts a tunnel. A browser opens many to one host: one in an hour is listed.
func (s *session) noteUntouched() {
	const passes = "the tunnel passes untouched and unrecorded (tunnel)"
	switch {
	case s.isUnrecorded():
		s.rec.GapsMore(recorder.GapUnrecorded, 1)
	case s.untouched.isDue(s.tunnel.name, time.Hour):
		s.log.Info().Str("host", s.tunnel.name).Msg(passes)
		s.rec.Gap(recorder.GapTunnelled, s.place(), passes)
	default:
		s.rec.GapsMore(recorder.GapTunnelled, 1)
	}
}
