// Package deflate compresses what a recorder has in memory, in one pass: an Encoder appends a
// stream of deflate (RFC 1951) to a slice.
//
// The invariant: any reader of RFC 1951 gets back the bytes that were put in, and a text that does
// not shrink grows by no more than 5 bytes for each piece of 32 KB, and a few once.
//
// There are good encoders. But a record is a thousand bytes of header and often little else, and
// the fastest level of the one we used (klauspost/compress, level 1), which makes codes for each
// block, took a third of the time of recording. Here codes are made from samples, once and for all
// (tables.go, by TestTrain), and for a text only if it gains much from its own. What repeats is
// looked for at every second byte, and counts from 8 bytes on. Microseconds of one core, and what
// is left of the text, on pages and scripts as they are found in the wild:
//
//	                    klauspost 1        here        gzip -6
//	header of a record   15.4   0.69     3.1   0.71       0.66
//	10 KB of HTML        68     0.35    31     0.43       0.31
//	10 KB of script      55     0.31    28     0.38       0.26
//	100 KB of HTML      410     0.22   248     0.27       0.18
//	100 KB of script    442     0.29   254     0.33       0.24
//
// Half of what is recorded is encoded already, and stored: doc/performance.md has how much longer
// than those of gzip -6 the files get.
//
// A stream is made of blocks:
//
//	head       preset codes, or codes that the block declares
//	           text, in pieces of up to 32 KB, as literals and matches
//	           the end of the block
//	stored     a piece that would not shrink
//	fixed      a text of a few bytes; an empty one ends the stream
package deflate
