package proxy

import (
	"errors"
	"os"
	"time"

	"warcorder/proxy/http1"
)

// answer reads heads until that of the final response is buffered, and returns it and its length.
// 1xx heads go to the client at once; they are no part of the response record.
func (e *exchange) answer() (res http1.Response, length int, err error) {
	fill := func() error { return e.fill(e.due) }
	for interim := 0; ; interim++ {
		e.due = e.by(e.cfg.Timeout.FirstByte)
		head, err := e.up.head(int(e.cfg.MaxHeaderSize), fill)
		if err != nil {
			return res, 0, err
		}
		if res, err = e.client.parseAnswer(head, e.req); err != nil {
			return res, 0, err
		}
		if res.Status == 407 && e.up.forwards { // the parent's own, and none of the client's business
			return res, 0, e.to.way.Unauthorized(head)
		}
		if res.Status == 101 && !e.req.Upgrade {
			return res, 0, http1.Refuse("a 101 to a request that asked for no upgrade")
		}
		if res.Status == 101 || res.Status >= 200 {
			return res, len(head), nil
		}
		if interim == maxInterim {
			return res, 0, errEndlessInterim
		}
		if e.upload != nil && res.Status == 100 {
			e.upload.invited = true
		}
		if e.req.Minor > 0 { // to an HTTP/1.0 client it would be the answer (RFC 9110 section 15.2)
			if err := e.toClient(head); err != nil {
				return res, 0, err
			}
		}
		e.up.consume(len(head))
	}
}

// parseAnswer reads the head of an answer to a request of the session's.
func (s *session) parseAnswer(head []byte, req *http1.Request) (http1.Response, error) {
	res, err := http1.ParseResponse(head, req)
	if err == nil && s.tunnel == nil {
		err = res.ResetContent()
	}
	return res, err
}

// fill reads from the origin until the moment at. While the upload runs, it reads the client, and
// the origin may take its time; when the upload has ended it wakes the read. Otherwise nobody reads
// the client, and whether it has gone would show only in the next write to it. So the client is
// watched, but only when the origin is not prompt: a watch takes a goroutine.
func (e *exchange) fill(at time.Time) error {
	s := e.client
	if e.upload != nil && !e.upload.ended() {
		err := e.up.fill(largeBuffer)
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			return err
		}
		<-e.upload.done
		if e.upload.err != nil {
			return err
		}
		e.due = e.by(e.cfg.Timeout.FirstByte) // only now has the origin the whole request
		at = e.due
	}
	if e.upload != nil {
		e.up.forgetDeadlines()
	}
	if s.in.watching == nil && !s.gone.Load() {
		first, slack := time.Now().Add(glance), glance/2
		if at.Before(first.Add(slack)) {
			first, slack = at, 0
		}
		e.up.readUntil(first, slack)
		err := e.up.fill(largeBuffer)
		if !errors.Is(err, os.ErrDeadlineExceeded) || first == at {
			return err
		}
		s.in.watch(e.clientGone)
	}
	e.up.readUntil(at, 0)
	return e.up.fill(largeBuffer)
}

// clientGone is called when the client has ended its connection.
func (e *exchange) clientGone(error) {
	e.client.gone.Store(true)
	if !e.goesOn() {
		e.up.raw.Close() // wakes the read
	}
}

// maxInterim is how many 1xx responses may come before the final one. Each gives the origin more
// time.
const maxInterim = 1000

// toClient passes bytes on, unless nobody is there and the fetch is to be finished for the archive.
func (e *exchange) toClient(b []byte) error {
	if !e.client.gone.Load() {
		e.sent = true
		e.boundWrite(&e.client.in)
		_, err := e.client.conn.Write(b)
		if err == nil || e.overtime(err) {
			return err
		}
		e.client.gone.Store(true)
	}
	if e.goesOn() {
		return nil
	}
	return errClientGone
}
