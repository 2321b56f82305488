package replay

import (
	"net/http"
	"slices"
	"time"

	"warcorder/store"
)

// addPart keeps a part, if no other has a URL that is nearer to the one asked for. Of what is cut
// it keeps some: all of that begins at the beginning.
func (s *search) addPart(c *store.Capture, near int) {
	if len(s.parts) > 0 && near > s.partNear {
		return
	}
	if len(s.parts) > 0 && near < s.partNear {
		s.parts, s.cut = s.parts[:0], 0
	}
	if c.Status != http.StatusPartialContent {
		if s.cut++; s.cut > maxCut {
			return
		}
	}
	s.parts, s.partNear = append(s.parts, *c), near
}

// byEntity returns the parts: first those of the entity that is there as a whole, if there is such
// a one, else of that of the nearest part; then those of others. What has neither the status of a
// part nor that of a whole stands alone, if there is nothing else.
func (s *search) byEntity() []store.Capture {
	if len(s.parts) == 0 {
		return nil
	}
	lead := slices.IndexFunc(s.parts, func(c store.Capture) bool { return c.Whole && isOfEntity(c) })
	if lead < 0 {
		lead = max(slices.IndexFunc(s.parts, isOfEntity), 0)
	}
	of := s.parts[lead]
	if !isOfEntity(of) {
		return []store.Capture{of}
	}
	all := slices.DeleteFunc(s.parts, func(c store.Capture) bool { return !isOfEntity(c) })
	others := make([]store.Capture, 0, len(all))
	all = slices.DeleteFunc(all, func(c store.Capture) bool {
		if c.Entity != of.Entity {
			others = append(others, c)
		}
		return c.Entity != of.Entity
	})
	return append(all, others...)
}

// isOfEntity reports whether what is there of a capture may be joined with other parts.
func isOfEntity(c store.Capture) bool {
	return c.Method == "" && (c.Status == http.StatusOK || c.Status == http.StatusPartialContent)
}

// sortNearest sorts captures by how near they are to a moment, to the millisecond, and of two that
// are as near the later one first. The zero time has the latest first. That is how store.Nearest
// gives them.
func sortNearest(captures []store.Capture, at time.Time) {
	slices.SortStableFunc(captures, func(a, b store.Capture) int {
		if at.IsZero() {
			return b.Time.Compare(a.Time)
		}
		if d := distance(a.Time, at) - distance(b.Time, at); d != 0 {
			return int(max(min(d, 1), -1))
		}
		return b.Time.Compare(a.Time)
	})
}

func distance(a, b time.Time) int64 {
	d := a.UnixMilli() - b.UnixMilli()
	return max(d, -d)
}
