package store

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"go.etcd.io/bbolt"
)

// Gap is an exchange, a connection, a file or a span of time of which nothing, or not all, could be
// recorded.
type Gap struct {
	// Time is the moment, or the beginning of a span of time that ends at Until.
	Time  time.Time `json:"time"`
	Until time.Time `json:"until,omitzero"`

	Reason string `json:"reason"` // one of a small set of words: "upstream"

	// URL is that of the exchange; host:port of a connection, or the client's address if it came no
	// further; the name of a file; else "".
	URL string `json:"url"`

	Detail string `json:"detail,omitempty"` // what happened, in words

	// Visit is what the head of the request says of the page for which it was made; zero if there was
	// no request, or nothing is known of it.
	Visit Visit `json:"-"`
}

// Gaps are what a collection lacks.
type Gaps struct {
	Counts map[string]int64 `json:"counts"` // by reason, since the index was made
	Latest []Gap            `json:"latest"` // newest first
}

// MaxGaps is how many gaps the index keeps one by one, the newest. Older ones are only counted.
const MaxGaps = 10_000

// The key of a gap is its number: each has the one that follows the newest. Its value:
//
//	version(1)  1; 2 if there is an until; 3 if there is a Visit, and no until
//	time(8)     microseconds since 1970
//	until(8)    the same; only in version 2
//	visit(12)   big endian: 2 bytes Traits, 1 Dest, 1 Site, 8 Referer; only in version 3
//	text        reason, and then URL, detail
const (
	gapVersion      = 1
	gapVersionUntil = 2
	gapVersionVisit = 3

	gapVisitSize = 12

	maxReasons   = 64 // that are counted one by one, beside otherReason
	otherReason  = "other"
	maxGapReason = 64 // bytes
	maxGapURL    = 2 << 10
	maxGapDetail = 1 << 10
)

// gapTables are the buckets of the gaps, in a transaction that writes.
type gapTables struct {
	gaps, meta *bbolt.Bucket
}

// gapTablesOf makes the bucket of the gaps if there is none.
func gapTablesOf(tx *bbolt.Tx) (gapTables, error) {
	gaps, err := tx.CreateBucketIfNotExists(bucketGaps)
	if err != nil {
		return gapTables{}, err
	}
	gaps.FillPercent = 0.9 // its keys come in order
	return gapTables{gaps, tx.Bucket(bucketMeta)}, nil
}

// putGaps counts gaps, and more of which only the reasons are known, and stores the newest.
func putGaps(tx *bbolt.Tx, gaps []Gap, more map[string]int64) error {
	t, err := gapTablesOf(tx)
	if err != nil {
		return err
	}
	if err := t.count(countGaps(gaps, more)); err != nil {
		return err
	}
	return t.put(gaps[max(0, len(gaps)-MaxGaps):])
}

// readGaps returns how many gaps there were and the newest of those that are kept.
func readGaps(s snapshot, limit int) (Gaps, error) {
	g := Gaps{Counts: make(map[string]int64), Latest: []Gap{}}
	if err := readCounts(s.bucket(bucketMeta), g.Counts); err != nil {
		return g, err
	}
	latest, err := latestGaps(s.bucket(bucketGaps), limit)
	g.Latest = append(g.Latest, latest...)
	return g, err
}

// countGaps counts gaps and more by reason.
func countGaps(gaps []Gap, more map[string]int64) map[string]int64 {
	counts := make(map[string]int64)
	for reason, n := range more {
		if n > 0 {
			counts[gapReason(reason)] += n
		}
	}
	for i := range gaps {
		counts[gapReason(gaps[i].Reason)]++
	}
	return counts
}

// gapReason returns a reason as it is stored.
func gapReason(reason string) string { return cmp.Or(cutText(reason, maxGapReason), otherReason) }

// count adds to the counts that are stored.
func (t gapTables) count(add map[string]int64) error {
	counts := make(map[string]int64)
	if err := readCounts(written{t.meta}, counts); err != nil {
		return err
	}
	changed := make(map[string]int64)
	for _, reason := range slices.Sorted(maps.Keys(add)) {
		n := add[reason]
		if _, known := counts[reason]; !known && reason != otherReason && reasons(counts) >= maxReasons {
			reason = otherReason
		}
		counts[reason] += n
		changed[reason] = counts[reason]
	}
	for reason, n := range changed {
		key := append(metaGap[:len(metaGap):len(metaGap)], reason...)
		if err := t.meta.Put(key, binary.BigEndian.AppendUint64(nil, uint64(n))); err != nil {
			return err
		}
	}
	return nil
}

// reasons returns how many reasons are counted one by one.
func reasons(counts map[string]int64) int {
	if _, found := counts[otherReason]; found {
		return len(counts) - 1
	}
	return len(counts)
}

// readCounts reads the counts into counts.
func readCounts(meta table, counts map[string]int64) error {
	c := meta.walk()
	for k, v := c.Seek(metaGap); bytes.HasPrefix(k, metaGap); k, v = c.Next() {
		if len(v) != 8 || v[0]&0x80 != 0 {
			return fmt.Errorf("%w: %q is %x", ErrDamaged, k, v)
		}
		counts[string(k[len(metaGap):])] = int64(binary.BigEndian.Uint64(v))
	}
	return nil
}

// put stores gaps and forgets the oldest of those that were there before.
func (t gapTables) put(gaps []Gap) error {
	newest, _ := t.gaps.Cursor().Last()
	if newest != nil && len(newest) != 8 {
		return fmt.Errorf("%w: a gap's key %x", ErrDamaged, newest)
	}
	var number uint64
	if newest != nil {
		number = binary.BigEndian.Uint64(newest)
	}
	if number > math.MaxUint64-MaxGaps {
		return fmt.Errorf("%w: a gap's key %x", ErrDamaged, newest)
	}
	for i := range gaps {
		number++
		key := binary.BigEndian.AppendUint64(nil, number)
		if err := t.gaps.Put(key, gaps[i].appendValue(nil)); err != nil {
			return err
		}
	}
	return t.forget(number)
}

// forget removes all but the newest MaxGaps; newest is the number of the last one.
func (t gapTables) forget(newest uint64) error {
	for {
		oldest, _ := t.gaps.Cursor().First()
		if len(oldest) != 8 || binary.BigEndian.Uint64(oldest)+MaxGaps > newest {
			return nil
		}
		if err := t.gaps.Delete(oldest); err != nil {
			return err
		}
	}
}

// latestGaps returns the newest gaps, the newest first.
func latestGaps(table table, limit int) ([]Gap, error) {
	var gaps []Gap
	c := table.walk()
	for k, v := c.Last(); k != nil && (limit <= 0 || len(gaps) < limit); k, v = c.Prev() {
		g, err := decodeGap(v)
		if err != nil {
			return nil, err
		}
		gaps = append(gaps, g)
	}
	return gaps, nil
}

// appendValue appends the value of g.
func (g *Gap) appendValue(dst []byte) []byte {
	version := byte(gapVersion)
	switch {
	case !g.Until.IsZero():
		version = gapVersionUntil
	case g.Visit != Visit{}:
		version = gapVersionVisit
	}
	dst = append(dst, version)
	dst = binary.BigEndian.AppendUint64(dst, uint64(FourDigitYear(g.Time).UnixMicro()))
	switch version {
	case gapVersionUntil:
		dst = binary.BigEndian.AppendUint64(dst, uint64(FourDigitYear(g.Until).UnixMicro()))
	case gapVersionVisit:
		v := &g.Visit
		dst = binary.BigEndian.AppendUint16(dst, uint16(v.Traits))
		dst = append(dst, byte(v.Dest), byte(v.Site))
		dst = binary.BigEndian.AppendUint64(dst, uint64(v.Referer))
	}
	dst = appendText(dst, gapReason(g.Reason))
	cut := g.Cut()
	return appendText(appendText(dst, cut.URL), cut.Detail)
}

// decodeGap returns the gap of that value.
func decodeGap(value []byte) (Gap, error) {
	if len(value) < 9 {
		return Gap{}, errGap(value)
	}
	g, v := Gap{Time: momentOf(value[1:])}, reader{rest: value[9:]}
	switch version := value[0]; {
	case version == gapVersion:
	case version == gapVersionUntil && len(v.rest) >= 8:
		g.Until, v.rest = momentOf(v.rest), v.rest[8:]
	case version == gapVersionVisit && len(v.rest) >= gapVisitSize:
		g.Visit = Visit{
			Traits:  Traits(binary.BigEndian.Uint16(v.rest)),
			Dest:    Dest(v.rest[2]),
			Site:    Site(v.rest[3]),
			Referer: URLHash(binary.BigEndian.Uint64(v.rest[4:])),
		}
		v.rest = v.rest[gapVisitSize:]
	default:
		return Gap{}, errGap(value)
	}
	g.Reason, g.URL, g.Detail = string(v.text()), string(v.text()), string(v.text())
	if v.failed || len(v.rest) > 0 || value[0] == gapVersionVisit && g.Visit == (Visit{}) {
		return Gap{}, errGap(value)
	}
	return g, nil
}

// errGap says that a value is none of a gap.
func errGap(value []byte) error {
	return fmt.Errorf("%w: a gap %q", ErrDamaged, value[:min(len(value), 100)])
}

// Cut returns the gap as it is stored: with texts that are not too long.
func (g *Gap) Cut() Gap {
	return Gap{
		Time:   g.Time,
		Until:  g.Until,
		Reason: gapReason(g.Reason),
		URL:    cutText(g.URL, maxGapURL),
		Detail: cutText(g.Detail, maxGapDetail),
		Visit:  g.Visit,
	}
}

// cutText returns at most limit bytes of s, in valid UTF-8.
func cutText(s string, limit int) string {
	return cutRunes(strings.ToValidUTF8(cutRunes(s, limit), "\uFFFD"), limit)
}

// cutRunes returns at most limit bytes of s, and no part of a rune at their end.
func cutRunes(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	end := limit
	for end > 0 && limit-end < utf8.UTFMax && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end]
}
