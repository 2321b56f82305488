package verify

import (
	"fmt"
	"slices"
)

// together checks the records of all files against one another, and reports the findings by file.
func (c *Checker) together() error {
	found := c.byFile()
	err := c.byID.groups(len(mention{}.key), func(group []row) { c.checkGroup(found, group) })
	c.reportFiles(found)
	return err
}

// byFile returns room for the findings on each file.
func (c *Checker) byFile() []findings { return make([]findings, len(c.names)) }

func (c *Checker) reportFiles(found []findings) {
	for i := range found {
		c.reportAll(&found[i])
	}
}

// adder adds a finding on the record that a mention is of.
type adder func(code Code, note bool, format string, args ...any)

// checkGroup checks what is said of one record.
func (c *Checker) checkGroup(found []findings, group []row) {
	first := mentionOf(group[0])
	there := first.kind <= rowResponse
	for i, r := range group {
		m := mentionOf(r)
		add := func(code Code, note bool, format string, args ...any) {
			found[m.file].add(Finding{
				File:   c.names[m.file],
				Offset: m.offset,
				Code:   code,
				Note:   note,
				Text:   fmt.Sprintf(format, args...),
			})
		}
		switch {
		case m.kind == rowRecord && i > 0:
			add(IDTwice, false, "the record has the WARC-Record-ID of the one %s", c.where(first))
		case m.kind == rowRecord && m.recordType == 'R' && !asked(group):
			add(Pair, true, "no request belongs to the response")
		case m.kind == rowWarcinfo && !there:
			add(Warcinfo, true, "the record that WARC-Warcinfo-ID names is in none of the files")
		case m.kind == rowWarcinfo && first.recordType != 'w':
			add(Warcinfo, false, "WARC-Warcinfo-ID names a record that is no warcinfo record: %s",
				c.where(first))
		case m.kind == rowOriginal && there:
			c.checkOriginal(add, first, m)
		case m.kind == rowSame && m.recordType == 'v' && !(there && sameDigest(group, m)):
			c.summary.Outside++ // ours name by their ID what they have themselves
		case (m.kind == rowOriginal || m.kind == rowSame) && !there:
			c.addLost(add, m)
		case m.kind == rowSame && !sameDigest(group, m):
			add(Original, false,
				"no record of the URI and date that the revisit refers to has its payload digest")
		case m.kind == rowTogether && !there:
			add(Reference, true, "a record that WARC-Concurrent-To names is in none of the files")
		}
	}
}

// where says where a record is.
func (c *Checker) where(m mention) string {
	return fmt.Sprintf("in %s at %d", c.names[m.file], m.offset)
}

// asked reports whether a request names the record of the group.
func asked(group []row) bool {
	return slices.ContainsFunc(group, func(r row) bool { return r[16] == rowTogether && r[29] == 'q' })
}

// checkOriginal compares what a revisit says of its original with the original.
func (c *Checker) checkOriginal(add adder, original, said mention) {
	switch {
	case original.recordType == 'v':
		add(Original, true, "the revisit refers to a revisit, %s", c.where(original))
	case differ(said.digest, original.digest) && said.digest>>56 == original.digest>>56:
		add(Original, false, "the revisit has another payload digest than the record it refers to, %s",
			c.where(original))
	case differ(said.uri, original.uri):
		add(Original, false, "WARC-Refers-To-Target-URI is not that of the record, %s",
			c.where(original))
	case differ(said.date, original.date):
		add(Original, false, "WARC-Refers-To-Date is not that of the record, %s", c.where(original))
	}
}

// addLost reports a revisit whose original is not there. If the files are a collection, and the
// revisit is ours, its content is lost.
func (c *Checker) addLost(add adder, said mention) {
	const text = "the record that the revisit refers to is in none of the files"
	switch {
	case !c.whole || said.recordType != 'v':
		add(Original, true, text)
	case c.away:
		add(Original, true, text+" that were checked; it may be in one that is away, and that "+
			"warcorder verify --remote reads")
	case len(c.blind) > 0:
		add(Original, true, text+" that could be read")
	case c.passed:
		add(Original, true, text+" that were checked; it may be in one that is being written")
	default:
		add(Original, false, text+": its content is lost, unless the file is put back into archive/")
	}
}

// differ reports whether both hashes are known, and differ.
func differ(a, b uint64) bool { return a != 0 && b != 0 && a != b }

// sameDigest reports whether one of the records in the group may be the revisit's original.
func sameDigest(group []row, revisit mention) bool {
	for _, r := range group {
		m := mentionOf(r)
		if m.kind != rowResponse {
			break
		}
		if !differ(m.digest, revisit.digest) || m.digest>>56 != revisit.digest>>56 {
			return true
		}
	}
	return false
}
