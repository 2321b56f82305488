package warc

// RawHeader returns the WARC header as it stands in the file, from its version line to its empty
// line. It is valid until the next call of Next.
func (rec *Record) RawHeader() []byte { return rec.reader.head }
