package recovery

// Found is what a recovery, or the making of a new index, has found and done.
type Found struct {
	Files    int // that were read
	Captures int // that were put into the index
	// bytes of no whole exchange that were cut off, or out of, files that had not been finished
	Cut     int64
	Torn    []string  // paths of the copies of what was cut; they may hold more than that
	Damaged []Damaged // places in finished files; they stay as they are
	Missing []string  // base names of files that the index knows and that are not there
	Short   []string  // base names of files that are shorter than the index says
	// base names of files that keep two names, or the one with .open: what is in them is in the index
	Left     []string
	Rebuilt  bool   // the index was made anew
	Replaced string // where the old index is now; "" if it is not there any more
}

// Damaged is a place in a finished file where there is no whole exchange.
type Damaged struct {
	File          string // base name
	Offset, Bytes int64
	Reason        error
	Kept          bool // the record there is in the index nevertheless
}

// foundIn is what a finished file held that was not in the index.
type foundIn struct {
	captures int
	damaged  []Damaged
}

// Progress is told how far a recovery has come: done of total bytes that are to be read, the last
// ones in file.
type Progress func(file string, done, total int64)
