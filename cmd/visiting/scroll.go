package visiting

import (
	"time"
)

// mostScreens is how far an endless page is scrolled.
const mostScreens = 100

// The paces of scrolling: between two steps, so that what is lazy sees that it is shown; and at the
// end, where a list may grow.
const (
	scrollPace = 150 * time.Millisecond
	endPace    = 500 * time.Millisecond
	endLooks   = 3
)

// scroll goes down to the end of the page, as far as mostScreens and as long as there is time, and up
// again. It looks once even if there is no time: most pages do not go on below.
func (t *tab) scroll(v *Visit, until time.Time) {
	for screens, ends := 0, 0; ends < endLooks; screens++ {
		if screens == mostScreens || screens > 0 && time.Now().After(until) {
			v.fault("it goes on below what was scrolled to (screens: %d)", screens)
			break
		}
		var at struct{ Top, Height, View float64 }
		if err := t.evaluate(down, &at); err != nil {
			if t.ctx.Err() == nil {
				v.fault("it could not be scrolled: %v", err)
			}
			return
		}
		if at.Height <= at.View+2 {
			return // all of it is on one screen
		}
		pace := scrollPace
		if at.Top+at.View < at.Height-2 {
			ends = 0
		} else {
			ends, pace = ends+1, endPace
		}
		if !t.pause(pace) {
			return
		}
	}
	var none any
	t.evaluate(up, &none)
}

// pause waits, unless the tab ends.
func (t *tab) pause(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-t.ctx.Done():
		return false
	}
}

// scroller is what scrolls: the document, or else the element in the middle that does.
const scroller = of + `
const root = of('scrollingElement') || document.documentElement;
let box = root;
if (!(root.scrollHeight > innerHeight + 1)) {
	let one = Document.prototype.elementFromPoint.call(document, innerWidth / 2, innerHeight / 2);
	for (let n = 0; one && n < 1000; one = one.parentElement, n++) {
		if (one.scrollHeight > one.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(one).overflowY)) {
			box = one;
			break;
		}
	}
}
`

const down = scroller + `
const view = box === root ? innerHeight : box.clientHeight;
box.scrollBy({top: Math.max(view * 0.8, 1), behavior: 'instant'});
return {top: box.scrollTop, height: box.scrollHeight, view};`

const up = scroller + `
box.scrollTo({top: 0, behavior: 'instant'});
return null;`
