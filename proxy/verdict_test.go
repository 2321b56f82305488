package proxy

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"warcorder/proxy/http1"
	"warcorder/proxy/reach"
	"warcorder/recorder"
)

var somewhere = origin{secure: true, host: "host.test", port: "443", name: "name.test"}

// TestVerdicts: what each kind of error means, wrapped as it comes.
func TestVerdicts(t *testing.T) {
	const place = "host.test:443"
	ambiguous := http1.Refuse("two lengths")
	dialing := func(step string, err error) error {
		return &dialError{step, &net.OpError{Op: "dial", Net: "tcp", Err: err}}
	}
	reading := func(err error) error { return &net.OpError{Op: "read", Net: "tcp", Err: err} }
	full := errors.New("the disk is full")
	rules := reach.Rules{Deny: set(t, "*.test")}
	denied := reach.New(rules, reach.Inside(), false, nil).Name("host.test", "name.test")
	for _, c := range []struct {
		name      string
		table     verdicts
		err       error
		status    int
		told      string
		gap       string
		truncated string
		broke     string // if not what the client is told
	}{
		{"not recording", ours, &notReady{full}, 503,
			"warcorder is not recording at the moment: the disk is full. Nothing passes unrecorded; " +
				"try again when the operator has seen to it.", recorder.GapRefused, "", ""},
		{"not kept", ours, &unkeptError{full}, 503,
			"warcorder cannot record this exchange: the disk is full. Nothing passes unrecorded.",
			recorder.GapWrite, "unspecified", "the rest could not be kept: the disk is full"},
		{"stopping", ours, errStopping, 503, "warcorder is being stopped.",
			recorder.GapCut, "disconnect", "the recorder was stopped"},
		{"client gone", ours, errClientGone, 408, "The client went away.",
			recorder.GapCut, "disconnect", "the client went away"},

		{"head ambiguous", heads, ambiguous, 400, "two lengths", recorder.GapRefused, "", ""},
		{"head too large", heads, errHeadTooLarge, 431,
			"the request's head is larger than max-header-size", recorder.GapRefused, "", ""},
		{"heads crowded", heads, errCrowdedHeads, 503, "too many large heads are being read",
			recorder.GapRefused, "", ""},
		{"head late", heads, reading(os.ErrDeadlineExceeded), 408,
			"the request's head did not come within timeout-header", recorder.GapRefused, "", ""},

		{"body ambiguous", uploads, ambiguous, 400,
			"The request's body is ambiguous and was not passed on further: two lengths.",
			recorder.GapRefused, "disconnect",
			"the request's body is ambiguous and was not passed on further: two lengths"},
		{"body too long", uploads, http1.ErrBodyTooLong, 413,
			"The request's body is larger than max-body-size.", recorder.GapRefused, "length", ""},
		{"body beyond total", uploads, &overtimeError{reading(os.ErrDeadlineExceeded), "timeout-total"}, 408,
			"The request's body did not come within timeout-total.", recorder.GapCut, "time",
			"timeout-total had passed"},
		{"body late", uploads, reading(os.ErrDeadlineExceeded), 408,
			"The request's body did not come within timeout-idle.", recorder.GapCut, "time", ""},
		{"body broken off", uploads, io.EOF, 408,
			"The client went away in the middle of its request's body.", recorder.GapCut, "disconnect", ""},

		{"ourselves", answers, dialing("connect", errSelf), 508,
			"The address " + place + " is this proxy itself. Through the proxy its own pages are at http://warcorder.internal/.",
			recorder.GapRefused, "disconnect", ""},
		{"denied", answers, dialing("connect", denied), 403,
			"warcorder may not connect to host.test: the setting deny has \"*.test\". If it is to be " +
				"reached all the same, start with --allow=host.test.", recorder.GapBlocked, "disconnect", ""},
		{"answer ambiguous", answers, ambiguous, 502,
			"The answer of " + place + " is ambiguous and was not passed on: two lengths.",
			recorder.GapRefused, "disconnect", ""},
		{"answer's head too large", answers, errHeadTooLarge, 502,
			"The head of the answer of " + place + " is larger than max-header-size.",
			recorder.GapRefused, "length", "the head is too large"},
		{"endless interim answers", answers, errEndlessInterim, 502,
			place + " sent more than 1000 interim responses and no answer.",
			recorder.GapRefused, "disconnect", ""},
		{"answers' heads crowded", answers, errCrowdedHeads, 503,
			"The head of the answer of " + place +
				" is large, and too many large heads are being read. Try again.",
			recorder.GapRefused, "disconnect", ""},
		{"answer too long", answers, http1.ErrBodyTooLong, 502,
			"No answer from " + place + ": the body is larger than max-body-size.",
			recorder.GapUpstream, "length", "the body is larger than max-body-size"},
		{"certificate", answers,
			&dialError{"tls", &tls.CertificateVerificationError{Err: errors.New("it has expired")}}, 502,
			"The certificate of " + place + " is not valid: it has expired. To record it anyway, " +
				"start with --insecure-upstream=name.test.", recorder.GapUpstream, "disconnect", ""},
		{"connecting late", answers, dialing("connect", context.DeadlineExceeded), 504,
			place + " did not answer in time (timeout-connect).", recorder.GapUpstream, "time", ""},
		{"connecting beyond total", answers,
			&overtimeError{dialing("connect", context.DeadlineExceeded), "timeout-total"}, 504,
			place + " did not answer in time (timeout-connect).", recorder.GapUpstream, "time", ""},
		{"handshake late", answers, dialing("tls", os.ErrDeadlineExceeded), 504,
			place + " did not answer in time (timeout-tls).", recorder.GapUpstream, "time", ""},
		{"answer beyond total", answers, &overtimeError{reading(os.ErrDeadlineExceeded), "timeout-total"}, 504,
			place + " did not answer in time (timeout-first-byte or timeout-total).",
			recorder.GapUpstream, "time", "timeout-total had passed"},
		{"answer late", answers, reading(os.ErrDeadlineExceeded), 504,
			place + " did not answer in time (timeout-first-byte or timeout-total).",
			recorder.GapUpstream, "time", "the origin sent nothing more within timeout-idle"},
		{"name unknown", answers, dialing("connect", &net.DNSError{Err: "no such host", Name: "x"}), 502,
			"The name host.test could not be resolved: no such host.",
			recorder.GapUpstream, "disconnect", ""},
		{"name server late", answers, dialing("connect", &net.DNSError{Err: "late", IsTimeout: true}), 504,
			place + " did not answer in time (timeout-connect).", recorder.GapUpstream, "time", ""},
		{"refused", answers, dialing("connect", os.NewSyscallError("connect", syscall.ECONNREFUSED)), 502,
			place + " refused the connection.", recorder.GapUpstream, "disconnect", ""},
		{"handshake", answers, &dialError{"tls", errors.New("bad record MAC")}, 502,
			"The TLS handshake with " + place + " failed: bad record MAC.",
			recorder.GapUpstream, "disconnect", ""},
		{"reset", answers, reading(os.NewSyscallError("read", syscall.ECONNRESET)), 502,
			place + " reset the connection.", recorder.GapUpstream, "disconnect", ""},
		{"closed", answers, io.ErrUnexpectedEOF, 502,
			place + " closed the connection before its answer was complete.",
			recorder.GapUpstream, "disconnect", ""},
		{"unforeseen", answers, errors.New("a lion"), 502,
			"No answer from " + place + ": a lion.", recorder.GapUpstream, "disconnect", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.broke == "" {
				c.broke = c.told
			}
			v := c.table.on(c.err, somewhere)
			if v.status != c.status || v.told != c.told || v.gap != c.gap ||
				v.truncated != c.truncated || v.broke != c.broke {
				t.Errorf("%d %q %s %s %q", v.status, v.told, v.gap, v.truncated, v.broke)
			}
		})
	}
}

// TestEveryVerdict: a line that says nothing to somebody is no verdict, and none stands behind one
// that matches all.
func TestEveryVerdict(t *testing.T) {
	for name, table := range map[string]verdicts{
		"ours": ours, "heads": heads, "uploads": uploads, "answers": answers} {
		for i, v := range table {
			if http.StatusText(v.status) == "" || v.told == "" || v.gap == "" {
				t.Errorf("%s %d: %d %q %q", name, i, v.status, v.told, v.gap)
			}
			if _, all := v.of(errors.New("a lion")); all && i != len(table)-1 {
				t.Errorf("%s %d matches all, and is not the last", name, i)
			}
		}
	}
	if v := heads.on(io.EOF, origin{}); v.status != 0 {
		t.Errorf("a client that goes away is told %d", v.status)
	}
}

// TestJudge: of two sides that have failed, the one that is the cause.
func TestJudge(t *testing.T) {
	full := &unkeptError{errors.New("the disk is full")}
	closed := &net.OpError{Op: "read", Net: "tcp", Err: net.ErrClosed}
	late := os.ErrDeadlineExceeded
	for _, c := range []struct {
		name   string
		read   error
		sent   error
		side   side
		change func(*exchange)
		want   string // in what the client is told
	}{
		{"nothing was uploaded", io.EOF, nil, clientSide, nil, "closed the connection"},
		{"we ended the upload", io.EOF, errStopped, clientSide, nil, "closed the connection"},
		{"the client's body ends", closed, io.EOF, clientSide, nil,
			"in the middle of its request's body"},
		{"the client's body is late", closed, late, clientSide, nil, "within timeout-idle"},
		{"the origin closes", io.EOF, syscall.EPIPE, originSide, nil, "reset the connection"},
		{"the origin reads nothing", closed, late, originSide, nil, "timeout-first-byte"},
		{"the answer is refused", errHeadTooLarge, syscall.EPIPE, originSide, nil,
			"larger than max-header"},
		{"the answer is not kept", full, io.EOF, clientSide, nil, "cannot record"},
		{"the body is not kept", closed, full, originSide, nil, "cannot record"},
		{"total", late, late, clientSide, func(e *exchange) { e.until = time.Unix(1, 0) },
			"within timeout-total"},
		{"stopped", closed, io.EOF, clientSide, stopped, "being stopped"},
		{"stopped on a full disk", full, nil, clientSide, stopped, "cannot record"},
		{"the client is gone", closed, nil, clientSide, func(e *exchange) { e.client.gone.Store(true) },
			"The client went away."},
		{"the client is gone, the fetch goes on", io.EOF, nil, clientSide, func(e *exchange) {
			e.client.gone.Store(true)
			e.cfg.OnClientAbort = "finish"
		}, "closed the connection"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := &exchange{client: &session{}, limits: limits{cfg: &Config{}}, stop: t.Context(), to: somewhere}
			if c.sent != nil {
				e.upload = &upload{err: c.sent, side: c.side}
			}
			if c.change != nil {
				c.change(e)
			}
			if v := e.judge(c.read); !strings.Contains(v.told, c.want) {
				t.Errorf("%q, want %q in it", v.told, c.want)
			}
		})
	}
}

// TestJudgeTwoRefusals: where the request's body and the answer are both refused, the client is
// told of its body.
func TestJudgeTwoRefusals(t *testing.T) {
	ambiguous := http1.Refuse("two lengths")
	full := &unkeptError{errors.New("the disk is full")}
	for _, c := range []struct {
		name   string
		read   error
		sent   error
		side   side
		status int
		gap    string
	}{
		{"ambiguous", errHeadTooLarge, ambiguous, clientSide, 400, recorder.GapRefused},
		{"both ambiguous", ambiguous, ambiguous, clientSide, 400, recorder.GapRefused},
		{"too long", ambiguous, http1.ErrBodyTooLong, clientSide, 413, recorder.GapRefused},
		{"too long, and crowded", errCrowdedHeads, http1.ErrBodyTooLong, clientSide, 413,
			recorder.GapRefused},
		{"late", ambiguous, os.ErrDeadlineExceeded, clientSide, 502, recorder.GapRefused},
		{"the origin has gone", ambiguous, syscall.EPIPE, originSide, 502, recorder.GapRefused},
		{"not kept", ambiguous, full, originSide, 503, recorder.GapWrite},
		{"no body", ambiguous, nil, clientSide, 502, recorder.GapRefused},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := &exchange{client: &session{}, limits: limits{cfg: &Config{}}, stop: t.Context(), to: somewhere}
			if c.sent != nil {
				e.upload = &upload{err: c.sent, side: c.side}
			}
			if v := e.judgeUnanswered(c.read); v.status != c.status || v.gap != c.gap {
				t.Errorf("%d %s, want %d %s", v.status, v.gap, c.status, c.gap)
			}
		})
	}
}

func stopped(e *exchange) {
	ctx, cancel := context.WithCancel(e.stop)
	cancel()
	e.stop = ctx
}
