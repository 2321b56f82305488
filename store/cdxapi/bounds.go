package cdxapi

// bounds are those of one answer: what it may look at and hold in memory, whatever is asked and
// whatever is in the index. They are told in doc/cdx-server.md.
type bounds struct {
	looked  int // captures that are looked at, one after another, without giving a line
	kept    int // lines that are kept to be put in order
	bytes   int // of these, and of the originals
	digests int // originals that are kept to resolve revisits
	block   int // captures of a block, of which pages have some
	places  int // bytes of the ends of pages that are kept, of one range of URLs
}

// usual are the bounds, but for those that tests make smaller.
var usual = bounds{looked: 250_000, kept: 10_000, bytes: 64 << 20, digests: 100_000, block: 3000,
	places: 4 << 20}

const (
	maxText    = 64 << 10 // bytes of a URL, or of a requestBody, in a parameter
	maxParams  = 100      // of different names
	maxFilters = 16
	maxFilter  = 512      // bytes of one
	maxProgram = 1000     // about so many steps has the regular expression of one
	maxValue   = 64 << 10 // bytes of a value that a filter reads
	perLooked  = 1024     // bytes that a filter reads count as a capture that is looked at
	perStep    = 16       // steps of a regular expression count as another reading of the bytes
	maxFields  = 32       // that are asked for
	maxNumber  = 1<<31 - 1

	maxTemplate = 2 << 10 // bytes of where captures are said to be had
	maxURLs     = 2       // in it

	pywbLimit    = 100_000 // lines, unless the client says how many: pywb's own
	waybackLimit = 150_000 // the same: that of the Wayback Machine

	pageBlocks = 10 // blocks of a page
	maxBlocks  = 100

	heldBack = 64 << 10 // bytes of an answer that wait, since it may still become an error
)
