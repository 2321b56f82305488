// Package replaying lets a collection answer a proxy's clients, whoever has it open: [Source] is what
// the proxy asks, and is there before and after any recorder.
//
//	nobody has it open      rest.go     its index and its files are read
//	a recorder has it open  beside.go   that recorder is asked for a replay listener, through which
//	                        forward.go  each request goes, for as long as it records
//
// Beside that: what is asked of a replay (options.go, moment.go), and the file that says what became
// of it (report.go).
//
// Invariant: nothing is written into the collection, and no lock is kept that would keep a recorder
// from starting. Each request is answered once, or its client is told why not; of what a recorder has
// answered nothing is counted twice.
package replaying
