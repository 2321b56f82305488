package proxy

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"time"

	"warcorder/proxy/http1"
	"warcorder/recorder"
)

// replay is one request of a session that the Source answers, and the answer on its way to the
// client:
//
//	session ──► posted ──► Source.Answer ──► head, rest ──► pass ──► client
//	                            │ fs.ErrNotExist
//	                            └──► exchange, with what of the body was read (again.go)
//
// What would not pass from an origin does not pass from a Source, and where an answer breaks off
// the client sees that: http1 judges its framing as that of an exchange. Nothing is looked up,
// dialled or recorded.
type replay struct {
	limits
	client *session
	req    *http1.Request
	to     origin
	url    string
	posted posted
	attend attend
	began  time.Time
	passed int64 // bytes of the answer that the client has got
	share  int64 // of the budget for large heads, while the answer's is in memory
	rests  bool  // the Source has nothing at the moment
	idle   int   // how often in a row it has said so
}

// replay answers a request from the Source. If that has no answer, answered is false: the origin is
// to be asked.
func (s *session) replay(req *http1.Request, to origin, url string) (answered, goesOn bool) {
	r := &replay{limits: limits{cfg: s.cfg}, client: s, req: req, to: to, url: url, began: time.Now()}
	r.begin(r.began)
	r.attend.client = s
	r.posted.init(r)
	defer r.rescue(&answered, &goesOn)
	defer r.release()
	ctx, cancel := r.context()
	defer cancel()
	r.attend.gone = cancel
	return r.run(ctx)
}

// release gives back what the request took of the budget for large heads.
func (r *replay) release() {
	r.client.memory.give(r.share)
	r.posted.kept.drop(r.client.memory)
}

// context is done when nobody needs an answer any more.
func (r *replay) context() (context.Context, context.CancelFunc) {
	if r.until.IsZero() {
		return context.WithCancel(r.client.stop)
	}
	return context.WithDeadline(r.client.stop, r.until)
}

// run asks the Source and passes on what it answers.
func (r *replay) run(ctx context.Context) (answered, goesOn bool) {
	head, rest, err := r.ask(ctx)
	if rest != nil {
		defer rest.Close()
	}
	if errors.Is(err, fs.ErrNotExist) && r.client.rec != nil {
		r.attend.end()
		if err = r.giveBack(); err == nil {
			return false, false
		}
	}
	r.posted.kept.drop(r.client.memory)
	whole := r.posted.drain()
	r.attend.begin()
	var res http1.Response
	if err == nil {
		res, err = r.parse(head)
	}
	if err != nil {
		return true, r.fail(ctx, err, whole)
	}
	return true, r.finish(&res, head, r.pass(&res, head, rest), whole)
}

// ask has the Source answer.
func (r *replay) ask(ctx context.Context) (head []byte, rest io.ReadCloser, err error) {
	s := r.client
	if most := r.cfg.MaxBodySize; most > 0 && r.req.Framing == http1.Sized && r.req.Length > most {
		r.posted.err = http1.ErrBodyTooLong
		return nil, nil, r.posted.err
	}
	var body io.Reader
	if r.req.Framing != http1.NoBody {
		body = &r.posted
	} else {
		r.attend.begin()
	}
	return s.source.Answer(ctx, string(r.req.Method), r.url, s.head, body)
}

// parse reads the head of an answer.
func (r *replay) parse(head []byte) (res http1.Response, err error) {
	if int64(len(head)) > r.cfg.MaxHeaderSize {
		return res, errHeadTooLarge
	}
	if size := int64(len(head)); size > largeBuffer {
		if !r.client.memory.take(size) {
			return res, errCrowdedHeads
		}
		r.share = size
	}
	if end, _ := http1.HeadEnd(head, 0); end != len(head) {
		return res, http1.Refuse("its head is not a head and nothing else")
	}
	if res, err = r.client.parseAnswer(head, r.req); err != nil {
		return res, err
	}
	if res.Status < 200 {
		return res, http1.Refuse("an interim answer is none")
	}
	return res, nil
}

// finish settles a request whose answer has begun, and reports whether the connection goes on.
// whole says that the request's body has come to its end.
func (r *replay) finish(res *http1.Response, head []byte, err error, whole bool) bool {
	s := r.client
	r.attend.end()
	if err != nil {
		r.deliver(res)
		s.cutShort(res)
		r.tellCut(err)
		return false
	}
	r.tellAnswer(res, head)
	goesOn := whole && mayGoOn(r.req, res) && !s.gone.Load()
	if !goesOn && !s.gone.Load() {
		s.linger()
	}
	return goesOn
}

// fail tells the client why there is no answer, and reports whether the connection goes on.
func (r *replay) fail(ctx context.Context, err error, whole bool) bool {
	s := r.client
	r.attend.end()
	v := r.judge(ctx, err)
	if s.gone.Load() {
		return false
	}
	return s.tell(r.req, v.refusal(), whole && r.req.KeepAlive && s.stop.Err() == nil)
}

// judge returns the verdict on what kept an answer away, and logs it.
func (r *replay) judge(ctx context.Context, err error) verdict {
	s, sent := r.client, r.posted.fault()
	switch {
	case s.stop.Err() != nil:
		return ours.on(errStopping, r.to)
	case s.gone.Load():
		return ours.on(errClientGone, r.to)
	case sent != nil:
		warnHead(s.log, "request body refused", r.url, sent)
		return uploads.on(r.timed(sent), r.to)
	case ctx.Err() != nil:
		err = &overtimeError{err, "timeout-total"}
	}
	r.tell(err)
	return archives.on(err, r.to)
}

// timed marks an error that is the doing of timeout-total.
func (r *replay) timed(err error) error {
	if r.overtime(err) {
		return &overtimeError{err, "timeout-total"}
	}
	return err
}

// tell logs what is wrong with the archive, or with the Source.
func (r *replay) tell(err error) {
	switch log := r.client.log; {
	case isAmbiguous(err):
		warnHead(log, "the archive's answer was refused", r.url, err)
	case err == errBodyNotKept, err == errCrowdedHeads, err == errHeadTooLarge:
		warn(log, "no answer", r.url, err)
	default:
		log.Error().Str("url", recorder.Logged(r.url)).Err(err).Msg("the archive could not be read")
	}
}

// tellAnswer logs what has been answered.
func (r *replay) tellAnswer(res *http1.Response, head []byte) {
	line := r.client.log.Info()
	if !line.Enabled() {
		return
	}
	line.Str("url", recorder.Logged(r.url)).Int("status", res.Status).
		Str("type", recorder.Logged(mediaType(head))).Int64("length", r.passed).
		Int64("ms", time.Since(r.began).Milliseconds()).Msg("replayed")
}

// mediaType is what a head says of its body; "" if it says nothing.
func mediaType(head []byte) (kind string) {
	http1.Fields(head, func(name, value []byte) {
		if isField(name, "content-type") {
			kind = mediaTypeIn(value)
		}
	})
	return kind
}

// tellCut logs why an answer broke off. That clients go away is usual.
func (r *replay) tellCut(err error) {
	switch s := r.client; {
	case s.gone.Load(), s.stop.Err() != nil, err == errStopping:
	case errors.Is(err, io.ErrUnexpectedEOF):
		warn(s.log, "the answer was cut in the record, and is shown so", r.url, err)
	case errors.Is(err, context.DeadlineExceeded): // as a stream of events that is held open
		warn(s.log, "timeout-total has ended the answer", r.url, err)
	default:
		r.tell(err)
	}
}

// rescue is deferred by replay: a panic of the Source or in the work on its answer ends the
// connection.
func (r *replay) rescue(answered, goesOn *bool) {
	value := recover()
	if value == nil {
		return
	}
	*answered, *goesOn = true, false
	r.client.panics.Caught(value, r.url)
	r.client.end(false)
	r.attend.abandon()
}
