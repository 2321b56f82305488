package recovery

// Found is what a recovery, or the making of a new index, has found and done.
type Found struct {
	Files    int // number of files that were read
	Captures int // number of captures that were put into the index

	// Cut is how many bytes of no whole exchange were cut off, or out of, files that had not been
	// finished. Torn are the paths of the copies, which may hold whole exchanges too.
	Cut  int64
	Torn []string

	Damaged []Damaged // damaged places in finished files, which stay as they are
	Missing []string  // base names of files that the index knows and that are not there
	Short   []string  // base names of files that are shorter than the index says

	Unread  []string // base names of files that are away, and that could not be read into the index
	Refused []string // objects of a bucket that could not be taken, and why

	// Left are the base names of files that keep both their names, or the one with .open, and of files
	// of an earlier recovery that a person has to look at.
	Left []string

	Rebuilt  bool   // whether the index was made anew
	Replaced string // path of the old index, set aside; "" if it was not kept
}

// Damaged is a place in a finished file where there is no whole exchange.
type Damaged struct {
	File          string // base name
	Offset, Bytes int64  // where the place begins in the file as stored, and how long it is
	Reason        error  // ErrUnended if the file ends before its last record does
	Kept          bool   // whether the record there is in the index nevertheless
}

// foundIn is what a finished file held beyond the index.
type foundIn struct {
	captures int
	damaged  []Damaged
}

// Progress is called with how far a recovery has come: done of total bytes are read, the last ones
// of them in the file of that base name. Calls come one at a time.
type Progress func(file string, done, total int64)
