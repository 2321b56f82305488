// Package devtools speaks the DevTools protocol with a browser of Chromium's family, over the two
// pipes that it was started with (--remote-debugging-pipe): no port is open, to which pages and
// other users could connect.
//
//	pipe   message NUL message NUL …   each a JSON object, in both directions
//
// The commands and events are those of github.com/chromedp/cdproto, types that are generated from
// the protocol's own description (MIT, 0.2 MB of the program). Its client, chromedp, is not used: a
// message may have any length there, events that nobody has taken yet are kept without a limit, and
// the DOM of each page is followed; a page decides on all three. go-rod has had no release since
// 2024, and knows no pipes.
//
// Invariant: whatever a page has the browser send takes linear time and bounded memory. A message of
// more than MostMessage bytes is passed over; an event is decoded if somebody listens for it, and
// handled before the next message is read.
package devtools

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"
)

// MostMessage is how long a message of the browser may be. Reading one takes some three times that.
const MostMessage = 48 << 20

// mostUnwritten is how many commands may wait for a browser that does not read.
const mostUnwritten = 4096

// ErrEnded says that the browser has closed the pipe.
var ErrEnded = errors.New("the browser has ended")

// errStuck says that the browser reads nothing.
var errStuck = errors.New("the browser takes no commands")

// Conn is the connection with a browser.
type Conn struct {
	in      io.ReadCloser
	out     io.WriteCloser
	most    int
	written chan []byte // on their way to the browser
	done    chan struct{}

	mu        sync.Mutex
	err       error // why done is closed
	last      int64 // number of the last command
	waiting   map[int64]chan<- answer
	listeners map[source]func(json.RawMessage)
}

// source is an event of a session; the session of the browser itself is "".
type source struct {
	session target.SessionID
	method  string
}

// answer is what the browser answers to a command.
type answer struct {
	result json.RawMessage
	err    error
}

// Error is what the browser says of a command that it refuses.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *Error) Error() string { return fmt.Sprintf("%s (%d)", e.Message, e.Code) }

// New takes the pipes: what the browser says is read from in, what it is told is written to out.
func New(in io.ReadCloser, out io.WriteCloser) *Conn { return newConn(in, out, MostMessage) }

func newConn(in io.ReadCloser, out io.WriteCloser, most int) *Conn {
	c := &Conn{
		in: in, out: out, most: most,
		written:   make(chan []byte, mostUnwritten),
		done:      make(chan struct{}),
		waiting:   map[int64]chan<- answer{},
		listeners: map[source]func(json.RawMessage){},
	}
	go c.read()
	go c.write()
	return c
}

// Close ends the connection, and with it, as a rule, the browser.
func (c *Conn) Close() { c.fail(ErrEnded) }

// Done is closed when the connection has ended.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Browser is the session of the browser itself.
func (c *Conn) Browser() *Session { return &Session{conn: c} }

// Session is one of those that the browser has begun for a target.
func (c *Conn) Session(id target.SessionID) *Session { return &Session{c, id} }

// fail ends the connection; the first reason counts.
func (c *Conn) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.err = err
		close(c.done)
		c.in.Close()
		c.out.Close()
	}
}

// read takes messages until there are none.
func (c *Conn) read() {
	r := bufio.NewReaderSize(c.in, 64<<10)
	for {
		text, err := message(r, c.most)
		if err != nil {
			c.fail(ErrEnded)
			return
		}
		if text == nil {
			continue
		}
		if err := c.take(text); err != nil {
			c.fail(err)
			return
		}
	}
}

// message returns the next message, or nil for one of more than most bytes.
func message(r *bufio.Reader, most int) (text []byte, err error) {
	long := false
	for {
		piece, err := r.ReadSlice(0)
		if long = long || len(text)+len(piece) > most; long {
			text = nil
		} else {
			text = append(doubled(text, len(piece)), piece...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err != nil:
			return nil, err
		case long:
			return nil, nil
		default:
			return text[:len(text)-1], nil
		}
	}
}

// doubled is text with room for n bytes more: half as much is copied in all as append would.
func doubled(text []byte, n int) []byte {
	if cap(text)-len(text) >= n {
		return text
	}
	return append(make([]byte, 0, max(2*cap(text), len(text)+n)), text...)
}

// take hands a message to whoever waits for it.
func (c *Conn) take(text []byte) error {
	var m struct {
		ID        int64            `json:"id"`
		SessionID target.SessionID `json:"sessionId"`
		Method    string           `json:"method"`
		Params    json.RawMessage  `json:"params"`
		Result    json.RawMessage  `json:"result"`
		Error     *Error           `json:"error"`
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return fmt.Errorf("the browser speaks another protocol: %w", err)
	}
	if m.Method != "" {
		c.mu.Lock()
		handle := c.listeners[source{m.SessionID, m.Method}]
		c.mu.Unlock()
		if handle != nil {
			handle(m.Params)
		}
		return nil
	}
	c.mu.Lock()
	waits := c.waiting[m.ID]
	delete(c.waiting, m.ID)
	c.mu.Unlock()
	if waits != nil {
		a := answer{result: m.Result}
		if m.Error != nil {
			a.err = m.Error
		}
		waits <- a
	}
	return nil
}

// write sends what is to be sent.
func (c *Conn) write() {
	for {
		select {
		case text := <-c.written:
			if _, err := c.out.Write(text); err != nil {
				c.fail(ErrEnded)
				return
			}
		case <-c.done:
			return
		}
	}
}

// why is the reason of the end.
func (c *Conn) why() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// send puts a command on its way, and returns its number. The answer goes to waits, unless that is
// nil.
func (c *Conn) send(session target.SessionID, method string, params any,
	waits chan<- answer) (int64, error) {
	c.mu.Lock()
	c.last++
	id := c.last
	c.mu.Unlock()
	text, err := json.Marshal(struct {
		ID        int64            `json:"id"`
		SessionID target.SessionID `json:"sessionId,omitempty"`
		Method    string           `json:"method"`
		Params    any              `json:"params"`
	}{id, session, method, params})
	if err != nil {
		return 0, fmt.Errorf("%s: %w", method, err)
	}
	if waits != nil {
		c.mu.Lock()
		c.waiting[id] = waits
		c.mu.Unlock()
	}
	select {
	case c.written <- append(text, 0):
	default:
		c.fail(errStuck)
	}
	return id, nil
}

// forget waits no longer for an answer.
func (c *Conn) forget(id int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.waiting, id)
}

// Session is what commands are told to: a page, a frame in a process of its own, a worker, or the
// browser itself.
type Session struct {
	conn *Conn
	id   target.SessionID
}

// Call tells a command, and returns its result. It must not be called by a function of On.
func Call[P, R any](ctx context.Context, s *Session, command cdp.Command[P, R],
	params P) (result R, err error) {
	answered := make(chan answer, 1)
	id, err := s.conn.send(s.id, command.Method, params, answered)
	if err != nil {
		return result, err
	}
	defer s.conn.forget(id)
	select {
	case a := <-answered:
		if a.err == nil {
			a.err = json.Unmarshal(a.result, &result)
		}
		err = a.err
	case <-s.conn.done:
		err = s.conn.why()
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	if err != nil {
		return result, fmt.Errorf("%s: %w", command.Method, err)
	}
	return result, nil
}

// Send tells a command whose answer nobody waits for.
func Send[P, R any](s *Session, command cdp.Command[P, R], params P) {
	s.conn.send(s.id, command.Method, params, nil)
}

// On has a function called with each event of a kind, in the place of the one before. The next
// message waits for it: it must be short, and may Send. An event that is no such is passed over.
func On[E any](s *Session, event cdp.Event[E], do func(E)) {
	s.conn.mu.Lock()
	defer s.conn.mu.Unlock()
	s.conn.listeners[source{s.id, event.Method}] = func(params json.RawMessage) {
		var e E
		if json.Unmarshal(params, &e) == nil {
			do(e)
		}
	}
}

// Forget calls no function of a session any more.
func (s *Session) Forget() {
	s.conn.mu.Lock()
	defer s.conn.mu.Unlock()
	for from := range s.conn.listeners {
		if from.session == s.id {
			delete(s.conn.listeners, from)
		}
	}
}
