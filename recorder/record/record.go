// Package record makes the WARC records and the capture of an exchange: facts and messages in,
// headers, digests and keys out.
//
// [Facts] are what is known of an exchange beside its bytes, a [Message] is one of its two sides,
// and [Records] makes of both what stands in the WARC file and in the index. [Style] is how all
// records of a collection are written: which digests, which version of the format. [Reference] is
// what a revisit says of its original, [Content] the hash by which an original is found.
//
// Invariant: nothing here opens a file, asks the clock, or remembers an exchange: the same facts
// and messages make the same records, but for the record IDs, which are given. So what is made
// live, what recovery makes of the files after a crash, and what a rebuild makes years later agree.
package record
