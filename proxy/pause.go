package proxy

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"warcorder/recorder"
)

// pause lets exchanges pass unrecorded for as long as the operator wishes. Each exchange belongs to
// the state that it begins in: what began before the pause is recorded to its end, and what began
// within it is not, though it ends later. What makes whole an exchange of before waits.
type pause struct {
	mu    sync.Mutex // of who changes it
	since atomic.Pointer[time.Time]
}

// on reports whether exchanges that begin now pass unrecorded.
func (p *pause) on() bool { return p.since.Load() != nil }

// Pause lets exchanges that begin from now on pass unrecorded. It returns since when they do: a
// second one changes nothing.
func (p *Proxy) Pause() time.Time {
	p.paused.mu.Lock()
	defer p.paused.mu.Unlock()
	if since := p.paused.since.Load(); since != nil {
		return *since
	}
	p.rec.TellPaused(true)
	now := time.Now()
	p.paused.since.Store(&now)
	p.log.Info().Msg("paused: what begins from now on passes unrecorded, and is counted")
	return now
}

// Resume records exchanges that begin from now on.
func (p *Proxy) Resume() {
	p.paused.mu.Lock()
	defer p.paused.mu.Unlock()
	since := p.paused.since.Swap(nil)
	if since == nil {
		return
	}
	p.rec.TellPaused(false)
	p.log.Info().Time("paused_at", *since).
		Int64("unrecorded", p.rec.Status().Gaps[recorder.GapUnrecorded]).
		Msg("resumed: what begins from now on is recorded")
	p.completions.wake()
}

// Paused returns since when exchanges pass unrecorded, or nil.
func (p *Proxy) Paused() *time.Time { return p.paused.since.Load() }

// discreet marks the context of a dial of which nothing is to be recorded.
type discreet struct{}

// isDiscreet reports whether the dial is for an exchange that is not recorded.
func isDiscreet(ctx context.Context) bool { return ctx.Value(discreet{}) != nil }
