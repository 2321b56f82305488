// Package cdxserver lets others read the index of a collection while a recorder has it open: over
// HTTP, from the recorder, which is the server. A client begins with [At].
//
//	GET /export  ?url= &match= &from= &to= &key= &dialect= &bodies=none    a store.Query
//	             200 text/x-cdxj: the lines
//	               header   Warcorder-Captures        how many at most, if all are asked for
//	                        Warcorder-Request-Bodies  none, if they are left out
//	               trailer  Warcorder-Lines           how many there were
//	                        Warcorder-In-Open-Files   how many of them lie in unfinished files
//	GET /gaps    ?limit=N    only the newest
//	             200 application/json: a store.Gaps
//
// Each takes pid=N, the number of the process that is meant, and answers 409 if that is another:
// after a crash recorder.json can name an address that is another recorder's now.
//
// Invariant: a part is never taken for the whole. A server that comes to an error in the middle of
// the lines breaks off, and the client says so. No client waits for a recorder that answers
// nothing: an answer may take as long as it needs, and its reader may be slow; while the answer
// does not come the recorder must answer another question.
package cdxserver

// The fields of /export.
const (
	totalField  = "Warcorder-Captures"
	bodiesField = "Warcorder-Request-Bodies"
	linesField  = "Warcorder-Lines"
	openField   = "Warcorder-In-Open-Files"

	noBodies = "none" // in bodiesField, and as bodies= in the query
)
