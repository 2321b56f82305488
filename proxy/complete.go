package proxy

import (
	"fmt"
	"time"
)

// Complete says what is to be in the archive whole that a client has taken a part of, and what
// making it whole may take.
type Complete struct {
	What    string        // auto: by media type; always: whatever a GET gets; never
	Max     int64         // bytes of the largest body
	Quiet   time.Duration // without an exchange of the URL, until the whole is asked for
	Within  time.Duration // after which the URL need not be quiet
	Timeout time.Duration // for one, and for a fetch that goes on without its client
	Again   time.Duration // between two of one URL; or ten times as long as the first has taken
	PerHost int           // at a time, of one host
	AtOnce  int           // at a time, of all
	Waiting int           // that may wait
	Running int           // fetches that may go on without their client at a time; 0: none
}

// defaultComplete is Default's part.
func defaultComplete() Complete {
	return Complete{
		What:    completeAuto,
		Max:     1 << 30,
		Quiet:   2 * time.Second,
		Within:  10 * time.Second,
		Timeout: 30 * time.Minute,
		Again:   time.Minute,
		PerHost: 1,
		AtOnce:  4,
		Waiting: 1000,
		Running: 64,
	}
}

// What Complete.What may say.
const (
	completeAuto   = "auto"
	completeAlways = "always"
	completeNever  = "never"
)

// check is Config.Check's part.
func (c *Complete) check() error {
	switch {
	case c.What != completeAuto && c.What != completeAlways && c.What != completeNever:
		return fmt.Errorf("complete is %q: give auto, always or never", c.What)
	case c.Max <= 0:
		return fmt.Errorf("complete-max is %d: give a size above 0; what keeps all parts as they are "+
			"is complete: never", c.Max)
	case c.Quiet < 0:
		return fmt.Errorf("complete-quiet is %v: give a time, or 0 to ask at once", c.Quiet)
	case c.Within < c.Quiet:
		return fmt.Errorf("complete-within is %v: give at least complete-quiet, %v, or no URL could "+
			"have been quiet for so long", c.Within, c.Quiet)
	case c.Timeout <= 0:
		return fmt.Errorf("complete-timeout is %v: give a time above 0", c.Timeout)
	case c.Again < 0:
		return fmt.Errorf("complete-again is %v: give a time, or 0 to ask for each version at once",
			c.Again)
	case c.PerHost <= 0 || c.AtOnce <= 0 || c.Waiting <= 0:
		return fmt.Errorf("complete-per-host is %d, complete-at-once %d, complete-waiting %d: give "+
			"numbers above 0; what asks for nothing is complete: never", c.PerHost, c.AtOnce, c.Waiting)
	case c.Running < 0:
		return fmt.Errorf("complete-running is %d: give a number, or 0 to let no fetch go on without "+
			"its client", c.Running)
	}
	return nil
}

// wants reports whether the archive is to have an entity whole, as far as the answer says what it
// is.
func (c *Complete) wants(ent *entity) bool {
	if ent.length > c.Max {
		return false
	}
	switch c.What {
	case completeAlways:
		return true
	case completeAuto:
		return ent.nature == ending || ent.nature == sized && ent.length >= 0
	}
	return false
}
