// Package deflate compresses what a recorder has in memory, in one pass: an Encoder appends a
// stream of deflate (RFC 1951) to a slice.
//
// The invariant: any reader of RFC 1951 gets back the bytes that were put in, and a text that does
// not shrink grows by no more than 5 bytes for each piece of 32 KB, and a few once.
//
// There are good encoders. But a record is a thousand bytes of header and often little else, and
// the fastest level of the one that we used (klauspost/compress, level 1), which makes codes for
// each block, took a third of the time of recording. Here codes are made from samples, once and for
// all (tables.go, by TestTrain), and for a text only if it gains much from codes of its own. What
// repeats is looked for at every second byte, and counts from 8 bytes on.
//
// What that is worth, in microseconds of one core of an AMD EPYC (Zen 5), and what is left of the
// text; BenchmarkDeflate, which .ci/run prints, says it for any other machine:
//
//	                     klauspost 1        here        gzip -6
//	header of a record    7.6   0.70     1.9   0.73       0.66
//	10 KB of HTML        37     0.42    19     0.52       0.38
//	10 KB of script      33     0.43    23     0.55       0.39
//	100 KB of HTML      586     0.34   163     0.40       0.28
//	100 KB of script    404     0.34   155     0.41       0.29
//
// Half of what is recorded is encoded already, and stored: doc/performance.md has how much longer
// than those of gzip -6 the files get. The package may be dropped in one line, once
// klauspost/compress is as fast on headers: warc.Compressor then takes the way that it takes when an
// Inspector has found a wrong member. Loads and stores are unsafe; under the build tag purego they
// are checked, which costs a third more.
//
// A stream is made of blocks:
//
//	head       preset codes, or codes that the block declares
//	           text, in pieces of up to 32 KB, as literals and matches
//	           the end of the block
//	stored     a piece that would not shrink
//	fixed      a text of a few bytes; an empty one ends the stream
package deflate
