// Package cdxserver lets others read the index of a collection while a recorder has it open: over
// HTTP, from the recorder, which is the server. A client begins with [At]. What else the recorder
// does when it is asked (Recorder.Switch, Recorder.Work) is whoever's who mounts its pages.
//
//	GET /export  ?url= &match= &method= &from= &to= &key= &dialect= &bodies=none &all=yes  a store.Query
//	             &since= &until=  tokens of package delta: only what came since; until is for one that broke off
//	             200 text/x-cdxj: the lines
//	               header   Warcorder-Captures        how many at most, if all are asked for
//	                        Warcorder-Request-Bodies  none, if they are left out
//	                        Warcorder-Token           with since: the token of what is written
//	               trailer  Warcorder-Lines           how many there were
//	                        Warcorder-In-Open-Files   how many of them lie in unfinished files
//	                        Warcorder-Left-Out        how many captures have no line, for want of all
//	                        Warcorder-Delta           with since: the rest of a delta.Done, as JSON
//	             410 if what until says is there no more, 422 if since is of another collection
//	GET /pages   ?from= &to=  of a time, as a store.Query says it
//	             200 application/x-ndjson: a line for each page, in the order of time
//	               trailer  Warcorder-Pages           how many there were
//	                        Warcorder-Untimed         how many captures are not in the timeline
//	GET /pages/report  ?page= &from= &to=  a selection of package report
//	             200 application/x-ndjson: a line for each page, and at the end one with the total
//	GET /gaps    ?limit=N    only the newest
//	             200 application/json: a store.Gaps; errors are {"error": …}
//	GET /selection  a selection, and what is to be listed of it, as package selection says
//	             200 application/x-ndjson: a line for each, and at the end one that says so
//	POST /hold   until the client goes: a recorder that belongs to a command does not end with it
//	             200, and nothing more while it goes on; 503 if it is ending
//	POST /replay  until the client goes; a form, as whoever mounts it says
//	             200 application/json: a line for each thing that it tells; 503 if it is ending
//
// Each takes pid=N, the number of the process that is meant, and answers 409 if that is another:
// after a crash recorder.json can name an address that is another recorder's now.
//
// Invariant: a part is never taken for the whole. A server that comes to an error in the middle of
// the lines breaks off, and the client says so. No client waits for a recorder that answers
// nothing: an answer may take as long as it needs, and its reader may be slow; while the answer
// does not come the recorder must answer another question.
package cdxserver

import (
	"net/url"

	"warcorder/canon"
	"warcorder/store"
)

// The paths of the pages.
const (
	ExportPath = "/export"
	PagesPath  = "/pages"
	ReportPath = "/pages/report"
	GapsPath   = "/gaps"
	HoldPath   = "/hold"
	ReplayPath = "/replay"

	SelectionPath = "/selection"
)

// The parameters of the pages.
const (
	paramPID     = "pid"
	paramLimit   = "limit"
	paramURL     = "url"
	paramMatch   = "match"
	paramMethod  = "method"
	paramFrom    = "from"
	paramTo      = "to"
	paramKey     = "key"
	paramDialect = "dialect"
	paramBodies  = "bodies"
	paramAll     = "all"
	paramSince   = "since"
	paramUntil   = "until"
)

// The fields of /export.
const (
	totalField  = "Warcorder-Captures"
	bodiesField = "Warcorder-Request-Bodies"
	linesField  = "Warcorder-Lines"
	openField   = "Warcorder-In-Open-Files"
	leftField   = "Warcorder-Left-Out"
	tokenField  = "Warcorder-Token"
	deltaField  = "Warcorder-Delta"

	noBodies = "none" // in bodiesField, and as paramBodies
	yes      = "yes"  // as paramAll
)

// The fields of /pages.
const (
	pagesField   = "Warcorder-Pages"
	untimedField = "Warcorder-Untimed"
)

// formOf returns a query as the parameters of ExportPath.
func formOf(query store.Query) url.Values {
	bodies, all := "", ""
	if query.NoBodies {
		bodies = noBodies
	}
	if query.All {
		all = yes
	}
	return url.Values{
		paramURL:     {query.URL},
		paramMatch:   {string(query.Match)},
		paramMethod:  {query.Method},
		paramFrom:    {query.From},
		paramTo:      {query.To},
		paramKey:     {string(query.Key)},
		paramDialect: {string(query.Dialect)},
		paramBodies:  {bodies},
		paramAll:     {all},
	}
}

// queryOf is the inverse of formOf. It does not judge what the parameters say.
func queryOf(form url.Values) store.Query {
	return store.Query{
		URL:      form.Get(paramURL),
		Match:    store.Match(form.Get(paramMatch)),
		Method:   form.Get(paramMethod),
		From:     form.Get(paramFrom),
		To:       form.Get(paramTo),
		Key:      store.Key(form.Get(paramKey)),
		Dialect:  canon.Dialect(form.Get(paramDialect)),
		NoBodies: form.Get(paramBodies) == noBodies,
		All:      form.Get(paramAll) == yes,
	}
}
