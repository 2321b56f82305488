package replay

import (
	"context"
	"time"

	"warcorder/store"
)

// current is the index as one request reads it: beside a recorder, each look at it first waits for what
// it may find there.
type current struct {
	index *store.Bolt
	await func(store.Question)
}

// current returns the index for a request.
func (a *Archive) current(ctx context.Context) *current {
	await := func(q store.Question) {
		if a.cfg.Await != nil {
			a.cfg.Await(ctx, q)
		}
	}
	return &current{a.index, await}
}

// nearest is store.Bolt.Nearest.
func (c *current) nearest(name store.Key, text string, at time.Time, most int,
	yield func(*store.Capture) bool) error {
	c.await(store.OfKey(name, text))
	return c.index.Nearest(name, text, at, most, yield)
}

// under is store.Bolt.Under, or UnderWithBodies.
func (c *current) under(prefix string, most int, bodies bool, yield func(*store.Capture) bool) (
	more bool, err error) {
	c.await(store.OfPrefix(prefix))
	if bodies {
		return c.index.UnderWithBodies(prefix, most, yield)
	}
	return c.index.Under(prefix, most, yield)
}
