// Command warcorder is a recording forward proxy for web archiving: what passes through it is kept
// byte for byte in WARC files and in an index of captures.
//
// # The house
//
//	main.go                what you read; it calls cmd
//	cmd/                   the command line: one file a command
//	  help/                  what --help says
//	    man/                   that as a manual page
//	  browser/               a browser with a profile that is thrown away
//	    devtools/              commands to one that is driven, and its events
//	  visiting/              pages in a browser that is driven, one after another
//	  environment/           what leads other programs through the proxy
//	  replaying/             what answers a replay: the files, or the recorder that has them open
//	  removing/              a removal, by a recorder that stands aside for it
//	  uploading/             finished files into object storage, and local copies that go
//	  pushing/               what is new, to those who are fed with it
//	  packing/               a part of a collection into WACZ files
//	  conversion/            WARC 0.9 files to WARC 1.1 files, for an import
//	  taking/                WACZ files and HARs to the files of an import
//	  jobs/                  processes that are asked for over HTTP, one after another
//	  logqueue/              the log, where nobody may be reading it
//	  supervisor/            what has started the process, and is told how it goes
//	proxy/                 between client and origin
//	  access/                who may use it, by name and password
//	  reach/                 where connections may go
//	  route/                 ways out through other proxies
//	  dial/                  a host's addresses to one connection
//	  hosts/                 sets of hosts that settings name, by name or by address
//	  http1/                 framing: where a message begins and ends
//	  dns/                   what name servers answer
//	  admin/                 own pages: status, certificate, POST /record
//	    live/                  the page on which people see what happens
//	    trust/                 the page by which a person sets up a browser
//	    metrics/               what Prometheus asks for
//	certs/                 the root certificate, and a certificate for each origin
//	  stores/                where browsers and systems keep what they trust
//	recorder/              exchanges to files and index, while they happen
//	  outside/               what other archives have already
//	  shared/                what other recorders have, by a server of all
//	  recovery/              what a crash or another tool has left
//	  spill/                 bytes that wait for their records, in memory and on disk
//	  record/                facts and messages to records and captures
//	  sha1pair/              the two digests of a record at once
//	  feed/                  what happens, numbered, for who follows
//	    eventstream/           that over HTTP, as server-sent events
//	  latency/               how long things took, for who watches it
//	  tally/                 how much of what was recorded, for who draws it
//	store/                 the archive at rest: captures, gaps, the index, CDXJ lines
//	  collection/            the directory: its names, files and lock, who has it open
//	  cdxserver/             the index over HTTP, while a recorder has it open: server and client
//	  cdxapi/                what CDX servers are asked: pywb's API, Wayback's
//	  calendar/              how many captures there are of each day
//	  wayback/               what was recorded, and its files, over HTTP
//	  delta/                 what has come since an export, and what is void by now
//	  outbackcdx/            an index server of that name, which is fed with it
//	  replay/                answers in the origins' place
//	    rules/                 what changes by chance from one request to the next
//	    inject/                a fixed clock and seed for documents
//	    ranges/                which bytes are wanted, and which parts have them
//	  inspect/               one exchange as people look at it
//	  holdings/              WARC files wherever they are, here or away
//	  readback/              a capture's place to what was recorded there
//	  unpacking/             takes WACZ files apart
//	  fromhar/               makes records of a HAR
//	  pagelist/              pages that imports have brought
//	  copying/               records as they are, into WARC files that stand alone
//	  pages/                 what people think in, and which captures belong to each
//	  extract/               a part of a collection, as WARC files in a directory of their own
//	  report/                what is wrong with a page
//	  selection/             what is handed on or removed: a part of a collection, with what it needs
//	  removal/               what is taken out of files, and how they are written anew
//	    journal/               what takes whose place, also after a crash
//	    tombstone/             what is left in the place of what went
//	  lately/                the newest pages while they are recorded, and what each lacks
//	  har/                   what was recorded as HAR, which browsers' tools read
//	  cdx11/                 the index as CDX with 11 fields
//	  wacz/                  WARC files, captures and pages to one file that is handed on
//	  zipnum/                lines of the index in gzip members, and a list of these
//	  parquet/               the index as a table, with the columns of Common Crawl
//	  cdxline/               takes a line of the index apart
//	  newdir/                a directory that appears as a whole
//	  inorder/               jobs at once, and what comes of them in order
//	  objects/               object storage that speaks S3
//	  summing/               a file read in any order, and what it comes to
//	  verify/                judges WARC files, and an index by them
//	  chunks/                takes the transfer coding off bodies
//	  text/                  the text of a document that a person sees
//	  warc/                  WARC files: writer, reader
//	    deflate/               compression in one pass
//	    v09/                   the draft of 2006
//	  refusal/               tells from a head whether the other side refused
//	  boltcheck/             finds what is damaged in the file of an index
//	  extsort/               sorts what does not fit into memory
//	  scratch/               files for that
//	  behind/                a long file that goes to disk while it is written
//	  fault/                 where tests break things on purpose
//	canon/                 a request to its keys
//	  amf/                   Action Message Format: what Flash posted, as pywb reads it
//	  json/                  a JSON text to its leaves
//	  number/                numbers as pywb and JavaScript print them
//	  vector/                the keys as JSON, for other implementations
//
// A package imports those below it and none above; cmd/imports_test.go has the whole table, with
// reasons.
//
// # The words
//
//	client, origin   who asks the proxy; the server that it asks in turn
//	user             a client that has shown a name and a password (access)
//	stranger         one whose address may not use the proxy
//	foreign          what speaks to the proxy as to one of another kind: SOCKS, TLS
//	token            what shows that somebody may read and change all (admin)
//	way, parent      how an origin is reached: directly, or through parents, which are other proxies
//	tunnel           what passes behind a CONNECT, or behind a 101
//	exchange         one request and its response, as they crossed the wire
//	record           a piece of a WARC file: response, revisit, request, metadata, resource, …
//	payload          what a record is about: of a response its body
//	entity           what a URL has, in one version; a 200 brings the whole of it, a 206 a part
//	completion       an exchange that the recorder makes itself, for the whole of what came in part
//	page             a document that somebody went to, and what it takes (store/pages)
//	visit            somebody's going to a page: what came of it when a browser was driven there
//	                 (visiting), what the heads of an exchange tell of it (store)
//	selection        what part of a collection is handed on or removed: by URL, time, page, file
//	refusal          an answer that turns a request away: the other side's, or the proxy's own
//	source           what answers in the origins' place: an archive that is replayed; of a selection,
//	                 what gives its captures
//	miss             a request of a replay that has no answer
//	revisit          a response record without its payload, which an earlier record holds
//	original         that earlier record
//	segment          one of the records that a record too long for its file is cut into
//	capture          a response or revisit as the index has it: its keys, and where it lies
//	trait            one thing that a visit's heads tell, true or not: a prefetch, HTML, status 200
//	timeline         all captures in the order of time, with their visits, in the index
//	moment           a capture in the timeline; those of 16.8 seconds are a stretch of it
//	chosen           of a capture: it is selected, or one that is selected needs it
//	key              what a capture is found by: the SURT that its CDXJ line begins with, or another
//	gap              an exchange, or a time, that is not or not wholly in the archive, and why
//	collection       one archive: a directory of WARC files and their index
package main

import (
	"os"

	"warcorder/cmd"
)

func main() { os.Exit(cmd.Main(os.Args[1:])) }
