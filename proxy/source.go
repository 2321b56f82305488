package proxy

// keep puts a connection back for the next request: of anybody, or of this client if it is
// authenticated.
func (s *session) keep(up *upstream, bound bool) {
	up.bound = up.bound || bound
	if !up.bound {
		s.p.upstreams.put(up)
		return
	}
	up.rest()
	up.used++
	s.bound = up
}

// takeBound returns this client's own connection to o if it has one that lives.
func (s *session) takeBound(o origin) *upstream {
	up := s.bound
	if up == nil {
		return nil
	}
	s.bound = nil
	if up.origin == o && up.alive() {
		return up
	}
	up.close()
	return nil
}

func (s *session) unbind() {
	if s.bound != nil {
		s.bound.close()
		s.bound = nil
	}
}
