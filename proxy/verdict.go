package proxy

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"syscall"

	"warcorder/proxy/admin"
	"warcorder/proxy/http1"
	"warcorder/proxy/reach"
	"warcorder/proxy/route"
	"warcorder/recorder"
)

// verdict is what an error means: for the client, for the gap list and for the record. The tables
// below have one for each kind of error, and nothing else in the package tells one kind from
// another. A new limit is one line there.
//
// What a verdict leads to is a warning in the log, whatever the kind: an exchange is missing or
// cut, and the recording goes on. Errors that an operator must act on are the recorder's to report.
//
// In words, {why} is the error's detail, {place}, {host} and {name} are the origin's.
type verdict struct {
	of func(error) (why string, is bool)

	status    int    // of the client's page
	told      string // the words for the client, and for the gap list if no answer had begun
	gap       string // the reason in the gap list, if no answer had begun
	truncated string // WARC-Truncated of what came of the answer
	broke     string // words for the record if the answer had begun; "" is what the client is told

	// The relay found the fault in the answer itself: it is not explained by an upload that failed,
	// too, and nothing of a head like that is kept.
	inAnswer bool
}

// verdicts are looked through from the first to the last, and the first that matches holds.
type verdicts []verdict

// ours are ends that we make ourselves, and ends that a client makes.
var ours = verdicts{
	{of: as(func(e *notReady) string { return e.err.Error() }), status: 503,
		told: "warcorder is not recording at the moment: {why}. Nothing passes unrecorded; " +
			"try again when the operator has seen to it.",
		gap: recorder.GapRefused},
	{of: as(func(e *unkeptError) string { return e.err.Error() }), status: 503,
		told: "warcorder cannot record this exchange: {why}. Nothing passes unrecorded.",
		gap:  recorder.GapWrite, truncated: "unspecified", broke: "the rest could not be kept: {why}"},
	{of: is(errStopping), status: 503,
		told: "warcorder is being stopped.",
		gap:  recorder.GapCut, truncated: "disconnect", broke: "the recorder was stopped"},
	{of: is(errTrace), status: 405,
		told: "A TRACE is not passed on: a proxy on the way to {place} could answer it with the " +
			"password that it is given.",
		gap: recorder.GapRefused},
	{of: is(errClientGone), status: 408,
		told: "The client went away.",
		gap:  recorder.GapCut, truncated: "disconnect", broke: "the client went away"},
}

// heads are what can be wrong with a request's head. The words stand in a sentence.
var heads = verdicts{
	{of: as(reasonOf), status: 400, told: "{why}", gap: recorder.GapRefused},
	{of: is(errHeadTooLarge), status: 431,
		told: "the request's head is larger than max-header-size", gap: recorder.GapRefused},
	{of: is(errCrowdedHeads), status: 503, told: "{why}", gap: recorder.GapRefused},
	{of: is(os.ErrDeadlineExceeded), status: 408,
		told: "the request's head did not come within timeout-header", gap: recorder.GapRefused},
}

// uploads are what can go wrong with a request's body on the client's side.
var uploads = verdicts{
	{of: as(reasonOf), status: 400,
		told: "The request's body is ambiguous and was not passed on further: {why}.",
		gap:  recorder.GapRefused, truncated: "disconnect",
		broke: "the request's body is ambiguous and was not passed on further: {why}"},
	{of: is(http1.ErrBodyTooLong), status: 413,
		told: "The request's body is larger than max-body-size.",
		gap:  recorder.GapRefused, truncated: "length"},
	{of: as(anyOvertime), status: 408,
		told: "The request's body did not come within timeout-total.",
		gap:  recorder.GapCut, truncated: "time", broke: "{why} had passed"},
	{of: late, status: 408,
		told: "The request's body did not come within timeout-idle.",
		gap:  recorder.GapCut, truncated: "time"},
	{of: other, status: 408,
		told: "The client went away in the middle of its request's body.",
		gap:  recorder.GapCut, truncated: "disconnect"},
}

// answers are what can keep the origin's answer away, or end it too soon.
var answers = verdicts{
	{of: ownWay, status: 508,
		told: "{place} is reached through another proxy, which is this one itself. " +
			"Name another one in upstream.",
		gap: recorder.GapRefused, truncated: "disconnect"},
	{of: lateWay, status: 504,
		told: "{place} is reached through another proxy, which did not answer in time " +
			"(timeout-connect).",
		gap: recorder.GapUpstream, truncated: "time"},
	{of: as(func(e *route.Error) string { return e.Why }), status: 502,
		told: "{place} is reached through another proxy, and that failed: {why}.",
		gap:  recorder.GapUpstream, truncated: "disconnect", inAnswer: true},
	{of: is(errSelf), status: 508,
		told: "The address {place} is this proxy itself. " +
			"Through the proxy its own pages are at http://" + admin.Name + "/.",
		gap: recorder.GapRefused, truncated: "disconnect"},
	{of: as((*reach.Denial).Error), status: 403,
		told: "{why}", gap: recorder.GapBlocked, truncated: "disconnect"},
	{of: as(reasonOf), status: 502,
		told: "The answer of {place} is ambiguous and was not passed on: {why}.",
		gap:  recorder.GapRefused, truncated: "disconnect", inAnswer: true},
	{of: is(errHeadTooLarge), status: 502,
		told: "The head of the answer of {place} is larger than max-header-size.",
		gap:  recorder.GapRefused, truncated: "length", broke: "{why}", inAnswer: true},
	{of: is(errEndlessInterim), status: 502,
		told: "{place} sent {why} and no answer.",
		gap:  recorder.GapRefused, truncated: "disconnect", inAnswer: true},
	{of: is(errCrowdedHeads), status: 503,
		told: "The head of the answer of {place} is large, and {why}. Try again.",
		gap:  recorder.GapRefused, truncated: "disconnect", inAnswer: true},
	{of: is(http1.ErrBodyTooLong), status: 502,
		told: "No answer from {place}: {why}.",
		gap:  recorder.GapUpstream, truncated: "length", broke: "{why}", inAnswer: true},
	{of: is(errNeverWhole), status: 502,
		told: "No answer from {place}: {why}.",
		gap:  recorder.GapUpstream, truncated: "length", broke: "{why}", inAnswer: true},
	{of: as(func(e *tls.CertificateVerificationError) string { return e.Err.Error() }), status: 502,
		told: "The certificate of {place} is not valid: {why}. " +
			"To record it anyway, start with --insecure-upstream={name}.",
		gap: recorder.GapUpstream, truncated: "disconnect"},
	{of: wantsCertificate, status: 502,
		told: "{place} asks its clients for a certificate, got none, and ended the connection ({why}). " +
			"If it is to have one, name it in client-certs.",
		gap: recorder.GapUpstream, truncated: "disconnect"},
	{of: lateDial, status: 504,
		told: "{place} did not answer in time (timeout-{why}).",
		gap:  recorder.GapUpstream, truncated: "time"},
	{of: as(anyOvertime), status: 504,
		told: "{place} did not answer in time (timeout-first-byte or timeout-total).",
		gap:  recorder.GapUpstream, truncated: "time", broke: "{why} had passed"},
	{of: late, status: 504,
		told: "{place} did not answer in time (timeout-first-byte or timeout-total).",
		gap:  recorder.GapUpstream, truncated: "time",
		broke: "the origin sent nothing more within timeout-idle"},
	{of: as(func(e *net.DNSError) string { return e.Err }), status: 502,
		told: "The name {host} could not be resolved: {why}.",
		gap:  recorder.GapUpstream, truncated: "disconnect"},
	{of: is(syscall.ECONNREFUSED), status: 502,
		told: "{place} refused the connection.",
		gap:  recorder.GapUpstream, truncated: "disconnect"},
	{of: failedHandshake, status: 502,
		told: "The TLS handshake with {place} failed: {why}.",
		gap:  recorder.GapUpstream, truncated: "disconnect"},
	{of: is(syscall.ECONNRESET, syscall.EPIPE), status: 502,
		told: "{place} reset the connection.",
		gap:  recorder.GapUpstream, truncated: "disconnect"},
	{of: is(io.EOF, io.ErrUnexpectedEOF), status: 502,
		told: "{place} closed the connection before its answer was complete.",
		gap:  recorder.GapUpstream, truncated: "disconnect"},
	{of: other, status: 502,
		told: "No answer from {place}: {why}.",
		gap:  recorder.GapUpstream, truncated: "disconnect"},
}

// archives are what can keep the answer of a Source away.
var archives = verdicts{
	{of: as(reasonOf), status: 502,
		told: "The answer of the archive is ambiguous and was not passed on: {why}."},
	{of: is(errHeadTooLarge), status: 502,
		told: "The head of the answer of the archive is larger than max-header-size."},
	{of: is(errCrowdedHeads), status: 503,
		told: "The head of the answer of the archive is large, and {why}. Try again."},
	{of: is(errBodyNotKept), status: 413, told: "No answer: {why}."},
	{of: as(anyOvertime), status: 504,
		told: "The archive did not answer in time ({why})."},
	{of: other, status: 502, told: "The archive could not be read: {why}."},
}

// on returns the verdict on an error with its words put in, or the zero verdict if none matches.
func (all verdicts) on(err error, to origin) verdict {
	for _, v := range all {
		why, is := v.of(err)
		if !is {
			continue
		}
		words := strings.NewReplacer("{why}", why, "{place}", net.JoinHostPort(to.host, to.port),
			"{host}", to.host, "{name}", to.name)
		v.told, v.broke = words.Replace(v.told), words.Replace(v.broke)
		if v.broke == "" {
			v.broke = v.told
		}
		return v
	}
	return verdict{}
}

// is matches errors that wrap one of the targets, whose text is the detail.
func is(targets ...error) func(error) (string, bool) {
	return func(err error) (string, bool) {
		for _, target := range targets {
			if errors.Is(err, target) {
				return target.Error(), true
			}
		}
		return "", false
	}
}

// as matches errors that wrap one of a type. why gives the detail.
func as[E error](why func(E) string) func(error) (string, bool) {
	return func(err error) (string, bool) {
		var one E
		if !errors.As(err, &one) {
			return "", false
		}
		return why(one), true
	}
}

func other(err error) (string, bool) { return err.Error(), true }
func late(err error) (string, bool)  { return "", isTimeout(err) }

func reasonOf(e *http1.Error) string      { return e.Reason }
func anyOvertime(e *overtimeError) string { return e.setting }

// ownWay matches parents that are the proxy itself.
func ownWay(err error) (why string, is bool) {
	var way *route.Error
	return "", errors.As(err, &way) && errors.Is(err, errSelf)
}

// lateWay matches parents that take too long.
func lateWay(err error) (why string, is bool) {
	var way *route.Error
	return "", errors.As(err, &way) && isTimeout(err)
}

func lateDial(err error) (step string, is bool) {
	var dial *dialError
	if !errors.As(err, &dial) {
		return "", false
	}
	return dial.step, isTimeout(err)
}

func failedHandshake(err error) (why string, is bool) {
	var dial *dialError
	if !errors.As(err, &dial) {
		return "", false
	}
	return dial.err.Error(), dial.step == "tls"
}
