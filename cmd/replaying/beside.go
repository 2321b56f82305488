package replaying

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"warcorder/store/cdxserver"
	"warcorder/store/replay"
)

// Told is what a recorder tells, line by line, of a replay that it was asked for (POST /replay, with
// Options as a form):
//
//	{"address": "127.0.0.1:40001", "user": "…", "password": "…"}  first: where it listens, and for whom
//	{"missed": …}                                                 a replay.Miss, as it comes
//	{"report": …}                                                 last: the recorder ends before who asked
//
// The listener has a page, ReportPath, with the report until then.
type Told struct {
	*Doorway
	Missed *replay.Miss   `json:"missed,omitempty"`
	Report *replay.Report `json:"report,omitempty"`
}

// Opened is what is told first: who may use the listener.
func Opened(address, user, password string) Told {
	return Told{Doorway: &Doorway{address, user, password}}
}

// beside is the recorder that has the collection open, and replays it for us.
type beside struct {
	recorder cdxserver.Recorder
	door     *Doorway
	told     io.ReadCloser
	ended    chan struct{} // closed when it tells nothing any more
	asked    atomic.Bool   // for anything since latest was had

	mu     sync.Mutex
	latest replay.Report // that was had
	final  bool          // it is the last one
}

func askBeside(running cdxserver.Recorder, o Options, missed func(replay.Miss)) (*beside, error) {
	told, err := running.Replay(o.form())
	if err != nil {
		return nil, err
	}
	b := &beside{recorder: running, told: told, ended: make(chan struct{})}
	lines := json.NewDecoder(told)
	var first Told
	if err := lines.Decode(&first); err != nil || first.Doorway == nil {
		told.Close()
		return nil, fmt.Errorf("%w: it did not say where it replays (%w)", cdxserver.ErrNobody, err)
	}
	b.door = first.Doorway
	go b.hear(lines, missed)
	go b.follow()
	return b, nil
}

// followEvery is the time after which it is asked what became of requests. A recorder that is killed
// says no last word: the report lacks what it did in that time.
const followEvery = time.Second

// follow has the report at hand until the recorder ends.
func (b *beside) follow() {
	every := time.NewTicker(followEvery)
	defer every.Stop()
	for {
		select {
		case <-b.ended:
			return
		case <-every.C:
			if b.asked.Swap(false) {
				b.report()
			}
		}
	}
}

// hear takes down what the recorder tells.
func (b *beside) hear(lines *json.Decoder, missed func(replay.Miss)) {
	defer close(b.ended)
	for {
		var line Told
		if err := lines.Decode(&line); err != nil {
			return
		}
		switch {
		case line.Missed != nil:
			missed(*line.Missed)
		case line.Report != nil:
			b.mu.Lock()
			b.latest, b.final = *line.Report, true
			b.mu.Unlock()
		}
	}
}

func (b *beside) hasEnded() bool {
	select {
	case <-b.ended:
		return true
	default:
		return false
	}
}

// Answer has the recorder answer. The error is errShut only if that has ended: it may end a
// connection alone.
func (b *beside) Answer(ctx context.Context, method, url string, head []byte, body io.Reader) (
	answer []byte, rest io.ReadCloser, err error) {
	b.asked.Store(true)
	answer, rest, err = b.door.ask(ctx, url, head, body)
	if errors.Is(err, errShut) && b.goesOn(ctx) {
		err = fmt.Errorf("process %d, which records the collection, gave no answer", b.recorder.PID)
	}
	if err != nil {
		return nil, nil, err
	}
	return answer, &heard{rest, b}, nil
}

// heard is what follows a head. The end of the connection, which may be that of the answer, is none if
// the recorder was killed.
type heard struct {
	io.ReadCloser
	by *beside
}

func (h *heard) Read(p []byte) (int, error) {
	n, err := h.ReadCloser.Read(p)
	if err == io.EOF && h.by.wasKilled() {
		err = fmt.Errorf("%w: it ended in the middle of its answer", errShut)
	}
	return n, err
}

// wasKilled reports that the recorder has ended without a last word.
func (b *beside) wasKilled() bool {
	conn, err := b.door.dial(context.Background())
	if err == nil {
		conn.Close()
	}
	if err == nil || isShortage(err) {
		return false
	}
	select {
	case <-b.ended:
	case <-time.After(doorPatience): // it finishes what others have asked for
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return !b.final
}

// goesOn reports whether the recorder still replays. Of one that ends the connections may do so a
// moment before the rest.
func (b *beside) goesOn(ctx context.Context) bool {
	conn, err := b.door.dial(ctx)
	if isShortage(err) {
		return true
	}
	if err != nil {
		return false
	}
	conn.Close()
	select {
	case <-b.ended:
		return false
	case <-ctx.Done():
	case <-time.After(doorPatience):
	}
	return true
}

// maxReport is how much of a recorder's report is read.
const maxReport = 64 << 20

// report asks what became of requests until now. Of a recorder that cannot be asked it is what was
// known last.
func (b *beside) report() replay.Report {
	b.mu.Lock()
	latest, final := b.latest, b.final
	b.mu.Unlock()
	if final {
		return latest
	}
	listener := b.recorder
	listener.Address = b.door.Address
	page, err := listener.ReadMost(ReportPath, maxReport)
	var now replay.Report
	if err == nil {
		err = json.Unmarshal(page, &now)
	}
	if err != nil {
		return latest
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.final {
		b.latest = now
	}
	return b.latest
}

// close ends the recorder's replay, and returns what became of it.
func (b *beside) close() replay.Report {
	r := b.report()
	b.told.Close()
	return r
}
