package cmd

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// module is the path before that of each room.
const module = "warcorder/"

// A room is a package, with those of our own that it may import and the reason why no others.
type room struct{ name, imports, reason string }

// house has every package of ours. One that imports another stands above it: no arrow runs back up.
var house = []room{
	{".", "cmd", "main says what the house is, and leaves the work to the command line"},
	{"cmd", "*", "a command joins the rooms that it needs; nothing imports a command"},
	{"cmd/help/man", "cmd/help", "what --help says in another form, and nothing else"},
	{"cmd/help", "", "a command line in, texts out; what its commands do is not its matter"},
	{"cmd/jobs", "", "processes, and nothing of what they are for"},
	{"cmd/logqueue", "", "lines in, lines out"},
	{"cmd/supervisor", "",
		"what a service manager hears; what the service does, and whether that is well, it is told"},
	{"cmd/environment", "certs cmd/browser",
		"what programs are told of a proxy; what is behind it is not its matter"},
	{"cmd/visiting", "cmd/browser cmd/browser/devtools",
		"pages in a browser that is driven; who records, and what becomes of a picture, is its caller's"},
	{"cmd/visiting/chromiumtest", "", "what speaks as a Chromium does, for tests"},
	{"cmd/browser/devtools", "", "commands in, events out, and nothing of what pages are"},
	{"cmd/browser", "certs store/scratch",
		"a browser that is told of a proxy; what is behind it is not its matter"},
	{"cmd/replaying", "proxy/hosts proxy/http1 store store/cdxserver store/collection store/holdings " +
		"store/readback store/replay store/replay/inject store/replay/rules",
		"a collection that answers, whoever has it open; it knows neither listener nor recorder"},
	{"cmd/removing", "recorder recorder/feed recorder/record recorder/recovery store store/collection store/holdings " +
		"store/pages " +
		"store/readback store/removal store/selection canon",
		"a removal and a recorder that stands aside for it; who asks for it is its caller"},
	{"cmd/uploading", "store store/collection store/fault store/holdings store/objects store/scratch store/warc",
		"files into object storage; who says when, and who asks how it goes, is its caller"},
	{"cmd/pushing", "store store/cdxline store/collection store/delta store/extsort store/objects " +
		"store/outbackcdx store/parquet store/scratch store/warc",
		"what has come, to those who are fed; who reads the index, and what is logged, is its caller's"},
	{"cmd/packing", "recorder/record store store/behind store/collection store/copying store/extsort " +
		"store/pages store/readback store/selection store/text store/wacz store/warc",
		"it joins what copies with what writes the form; flags and bars are the command's"},
	{"cmd/conversion", "store/collection store/warc store/warc/v09",
		"files to files, and nothing of an index"},
	{"cmd/taking", "recorder/recovery store/collection store/fromhar store/pagelist store/unpacking " +
		"store/warc",
		"what others have made to files of an import, and nothing of an index"},

	{"proxy/admin/metrics", "proxy recorder recorder/latency recorder/outside recorder/shared",
		"facts in, lines that Prometheus reads out; where the facts come from is its caller's"},
	{"proxy", "recorder recorder/record certs proxy/access proxy/dial proxy/hosts proxy/http1 " +
		"proxy/admin proxy/dns proxy/reach proxy/route store/chunks",
		"it knows exchanges, and not how they are kept; parts, versions and chunks have one reader; of " +
			"its own pages it knows the name"},
	{"proxy/admin", "recorder proxy/admin/live proxy/admin/trust proxy/hosts",
		"pages; who mounts them knows what they show. One writes a record"},
	{"proxy/admin/live", "",
		"files that are embedded; what they show, and who may see it, others know"},
	{"proxy/admin/trust", "", "facts in, a page out; whose request it is its caller knows"},
	{"proxy/access", "", "what a client shows in, who it is out; nothing of what then happens"},
	{"proxy/dns", "", "names and what was answered; what becomes of an answer is its caller's"},
	{"proxy/dial", "", "addresses in, a connection out; whether they may be dialled is its caller's"},
	{"proxy/reach", "proxy/hosts",
		"names and addresses in, a decision out; it neither looks up nor dials"},
	{"proxy/route", "proxy/hosts proxy/http1",
		"ways through parents, and what these are told; sockets, names and TLS are its caller's"},
	{"proxy/hosts", "proxy/http1", "sets of names and addresses, and nothing of what they are for"},
	{"proxy/route/routetest", "", "parents, for tests"},
	{"proxy/http1/http1test", "", "messages, for tests"},
	{"proxy/raced", "", "whether the race detector is at work, for tests"},
	{"certs/stores", "certs", "it compares certificates, and signs none"},
	{"certs", "", "the authority can be read, and judged, on its own"},

	{"store/har", "store store/chunks store/collection store/extsort store/readback store/selection " +
		"store/warc",
		"captures in, JSON out; which captures is its caller's matter"},
	{"store/extract", "store store/collection store/copying store/extsort store/scratch " +
		"store/selection store/warc",
		"a selection in, a directory of files out; who asks for it is its caller's"},
	{"store/lately", "canon recorder/feed recorder/record store store/pages store/readback store/report",
		"what was seen of a collection in, JSON out; who may ask is told by whoever mounts it"},
	{"store/report", "store store/cdxserver store/extsort store/pages store/readback " +
		"store/refusal store/selection store/warc",
		"captures and gaps in, what is wrong with a page out; what is done about it is its caller's"},
	{"store/inspect", "canon recorder/record store store/chunks store/copying store/readback store/text " +
		"store/warc",
		"a place in, what people see of it out; who may ask, and where images are shown, is its caller's"},
	{"store/copying", "recorder/record store store/extsort store/readback store/scratch " +
		"store/selection store/warc",
		"a selection in, whole WARC files out; where they are written is its caller's"},
	{"store/fromhar", "recorder/record store/pagelist store/warc",
		"a HAR in, records out; where these go is its caller's"},
	{"store/wayback", "canon store store/collection store/holdings store/readback",
		"collections over HTTP; who may ask, and who answers for the index, is told by whoever mounts it"},
	{"store/replay", "proxy/http1 recorder/record store store/objects store/readback store/replay/inject " +
		"store/replay/ranges store/replay/rules " +
		"store/warc",
		"a request in, what was recorded for it out, keyed as what is recorded; it is told of no proxy"},
	{"store/selection", "store store/cdxserver store/collection store/extsort store/pages " +
		"store/readback store/warc",
		"captures that belong together, whoever has the index open; what becomes of them is its caller's"},
	{"store/removal", "recorder/record store store/chunks store/collection store/fault store/holdings canon " +
		"store/pagelist store/pages store/readback store/removal/journal store/removal/tombstone store/warc",
		"what goes and what is written in its place; the index is made anew by who has it open"},
	{"store/pages", "recorder/record store store/collection store/pagelist store/readback store/text store/warc canon",
		"captures in, pages out; who shows them or hands them on is its caller"},
	{"proxy/http1", "", "bytes in, a decision out"},

	{"recorder", "recorder/outside recorder/recovery recorder/shared recorder/spill recorder/record " +
		"recorder/feed recorder/latency recorder/tally " +
		"store canon store/collection " +
		"store/refusal store/warc store/fault",
		"exchanges become files and index; who reads those does not ask the recorder"},
	{"recorder/feed/eventstream", "recorder/feed",
		"the feed over HTTP; who may ask is known by whoever mounts it"},
	{"recorder/feed", "", "what happens in, and out to who follows; how it is sent is not its matter"},
	{"recorder/latency", "", "times in, counts out; of what they are is not its matter"},
	{"recorder/tally", "", "numbers in, numbers out; who draws them is not its matter"},
	{"recorder/outside", "recorder/record store store/collection canon",
		"what is looked for in, an original of another archive out; whose response it is its caller knows"},
	{"recorder/shared", "store store/collection",
		"keys in, originals of other recorders out; whether a revisit may name one its caller judges"},
	{"recorder/shared/server", "proxy/unused", "a server of its own, for tests"},
	{"proxy/unused", "", "addresses at which nobody listens, for tests"},
	{"recorder/spill", "recorder/record store/collection store/warc store/fault",
		"bytes that wait, and nothing of where they go"},
	{"recorder/recovery", "recorder/record store store/chunks store/collection store/holdings " +
		"store/objects store/pagelist store/removal/journal store/removal/tombstone store/summing " +
		"store/warc store/fault",
		"files and index, and nothing of exchanges that are still to come"},
	{"recorder/recovery/foreign", "store/warc", "files of other tools, for tests"},
	{"recorder/record", "recorder/sha1pair store store/chunks store/refusal store/warc canon",
		"facts and messages in, records and captures out; it opens no file"},
	{"recorder/sha1pair", "", "digests, and nothing of records"},

	{"store/replay/rules", "store canon",
		"a request in, what it may have been out; who looks for it is its caller"},
	{"store/replay/inject", "", "a document in, a document out"},
	{"store/replay/ranges", "", "numbers in, numbers out; whose bytes they count is its caller's"},
	{"store/cdxserver", "store store/collection store/delta canon",
		"the index over HTTP; its server is handed the index by whoever has it open"},
	{"store/delta", "store store/collection store/extsort store/holdings store/removal/tombstone store/warc canon",
		"an index and a token in, lines out; where they go is its caller's"},
	{"store/outbackcdx/outbackcdxtest", "store/outbackcdx",
		"what speaks as an OutbackCDX does, for tests"},
	{"store/outbackcdx", "",
		"lines in, requests out; of whose index they are is its caller's"},
	{"store/removal/journal", "store store/collection store/fault",
		"names that take places; what is in the files is not its matter"},
	{"store/removal/tombstone", "store/warc", "what is said of what went, and nothing of where"},
	{"store/calendar", "store", "a query in, counts out; who may ask, and where, is its caller's"},
	{"store/cdxapi", "store canon",
		"parameters in, lines out; who may ask, and where, is its caller's"},
	{"store/readback", "store store/chunks store/collection store/holdings store/warc canon",
		"places in, messages out; which capture answers what is its caller's matter"},
	{"store/unpacking", "store/collection store/fault store/pagelist store/warc",
		"a file of somebody else's to what is in it; it opens no collection"},
	{"store/pagelist", "store/collection store/extsort",
		"lines of pages, and nothing of the captures that they are of"},
	{"store/wacz", "canon store store/extsort store/scratch store/zipnum",
		"files, captures and pages in, a package out; who selects them is its caller's matter"},
	{"store/zipnum", "store/cdxline store/inorder",
		"lines in, members and a list of them out; in which files is its caller's matter"},
	{"store/parquet", "store/cdxline store/inorder",
		"lines in, a table out; in which files is its caller's matter"},
	{"store/cdx11", "store/cdxline store/extsort", "lines in, lines out"},
	{"store/cdxline", "", "a line in, what it says out"},
	{"store/newdir", "store/behind store/collection store/scratch store/warc",
		"a directory, and nothing of what its files hold"},
	{"store/inorder", "", "jobs, and nothing of what they do"},
	{"store/verify", "store store/collection store/extsort store/objects store/summing store/warc",
		"it judges what the recorder makes, by eyes of its own"},
	{"store/summing", "store store/objects",
		"bytes in, the same bytes and their sums out; what the sums are for is its caller's"},
	{"store/holdings/awaytest", "store store/collection store/objects store/objects/gateway",
		"what an upload leaves, for tests"},
	{"store/holdings", "store store/collection store/fault store/objects",
		"what the index knows of a file in, the file out; what is read of it is its caller's"},
	{"store/objects/gateway", "", "object storage of one's own, for tests"},
	{"store/objects", "store",
		"places in, bytes in or out; which files go there, and when, is its caller's"},
	{"store", "canon store/boltcheck store/collection store/extsort store/fault",
		"the index knows keys and who has its directory, and nothing of WARC files"},
	{"store/collection", "store/warc", "a directory and its names, and nothing of what files say"},
	{"store/boltcheck", "", "bytes in, damage out"},
	{"store/refusal", "", "a head in, a verdict out"},
	{"store/chunks", "", "bytes in, bytes out"},
	{"store/text", "", "a document in, its text out"},
	{"store/behind", "", "a file, and nothing of what it holds"},
	{"store/extsort", "store/scratch", "lines in, lines out"},
	{"store/scratch", "", "temporary files, and nothing of what they hold"},

	{"store/warc/v09", "store/warc", "the draft of 2006 is read and written by what reads WARC 1.1"},
	{"store/warc", "store/warc/deflate store/fault", "the files know nothing of the index"},
	{"store/warc/deflate", "", "bytes in, bytes out"},
	{"store/fault", "", "nothing but names in a normal build"},

	{"canon/vector", "canon", "keys as JSON, for other implementations"},
	{"canon", "canon/amf canon/json canon/number", "keys depend on a request and nothing else"},
	{"canon/amf", "canon/number", "a body in, its text out"},
	{"canon/json", "", "a text in, its leaves out"},
	{"canon/number", "", "a number's literal in, its text out"},
}

// A library is one that few rooms may import: what replaces it one day is then one place.
type library struct{ path, rooms, reason string }

var libraries = []library{
	{"github.com/elazarl/goproxy", "proxy", "the proxy protocol"},
	{"go.etcd.io/bbolt", "store", "the index"},
	{"github.com/bits-and-blooms/bloom", "proxy/reach", "names that have led outside"},
	{"github.com/nlnwa/gowarc", "recorder/record store/warc", "records"},
	{"github.com/andybalholm/brotli", "store/readback", "bodies that were sent in br"},
	{"github.com/zeebo/blake3", "recorder/record", "originals are found by it"},
	{"github.com/alecthomas/kong", "cmd cmd/help cmd/help/man", "the command line"},
	{"golang.org/x/crypto/bcrypt", "proxy/access", "passwords"},
	{"github.com/chromedp/cdproto", "cmd/visiting cmd/visiting/chromiumtest cmd/browser/devtools",
		"the words of the DevTools protocol"},
	{"github.com/parquet-go/parquet-go", "store/parquet", "tables"},
	{"github.com/coreos/go-systemd", "cmd/supervisor", "systemd's protocols"},
	{"github.com/redis/go-redis", "recorder/shared", "the server by which recorders share originals"},
	{"github.com/aws", "store/objects", "object storage"},
	{"rsc.io/qr", "proxy/admin/trust", "QR codes"},
	{"github.com/prometheus/client_golang", "proxy/admin/metrics", "metrics"},
	{"github.com/rs/zerolog", "cmd cmd/uploading proxy recorder recorder/outside recorder/recovery recorder/shared",
		"canon, certs and store never log"},
}

// alone are the rooms that use nothing but the standard library, golang.org/x and what is named.
var alone = map[string]string{
	"canon": "",
	"certs": "github.com/hashicorp/golang-lru/v2 software.sslmate.com/src/go-pkcs12",
}

// pure are the rooms that read and write nothing, with all that they may import.
var pure = map[string]string{
	"proxy/reach": "encoding/binary fmt hash/maphash net/netip net/url strconv strings sync " +
		"github.com/bits-and-blooms/bloom/v3 warcorder/proxy/hosts",
	"proxy/http1":         "bytes errors fmt net/url slices strconv strings",
	"store/refusal":       "bytes",
	"store/replay/ranges": "cmp math slices strconv strings",
}

// TestImports holds every package to the arrows of the house.
func TestImports(t *testing.T) {
	found := map[string]map[string]bool{} // what each room imports
	eachSource(t, func(file string) {
		from := path.Dir(file)
		if found[from] == nil {
			found[from] = map[string]bool{}
		}
		for _, imported := range importsOf(t, file) {
			found[from][strings.TrimPrefix(imported, module)] = true
			if wrong := judgeImport(from, imported); wrong != "" {
				t.Errorf("%s: %s", file, wrong)
			}
		}
	})
	for name := range found {
		if roomAt(name) < 0 {
			t.Errorf("%s is not in the table of the house: add it, what it may import, and why", name)
		}
	}
	for _, r := range house {
		if found[r.name] == nil {
			t.Errorf("%s is in the table, and no package", r.name)
		}
		for _, to := range strings.Fields(r.imports) {
			if to != "*" && !found[r.name][to] {
				t.Errorf("%s may import %s, and does not: take that out of the table", r.name, to)
			}
		}
	}
}

// eachSource calls look with the path of each of our source files but tests, from the top level.
func eachSource(t *testing.T, look func(file string)) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(".."), ".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && file != "." && (strings.HasPrefix(file, ".") || entry.Name() == "testdata") {
			return fs.SkipDir
		}
		if strings.HasSuffix(file, ".go") && !strings.HasSuffix(file, "_test.go") {
			look(file)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// importsOf returns what a file imports.
func importsOf(t *testing.T, file string) (imports []string) {
	t.Helper()
	name := filepath.Join("..", filepath.FromSlash(file))
	parsed, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range parsed.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		imports = append(imports, imported)
	}
	return imports
}

// judgeImport says what is wrong with an import of a room, or "".
func judgeImport(from, imported string) string {
	if at := roomAt(from); at >= 0 && strings.HasPrefix(imported, module) {
		to := strings.TrimPrefix(imported, module)
		may := strings.Fields(house[at].imports)
		if !slices.Contains(may, to) && !slices.Contains(may, "*") {
			return fmt.Sprintf("may not import %s: %s", to, house[at].reason)
		}
	}
	for _, l := range libraries {
		if isOf(imported, l.path) && !slices.Contains(strings.Fields(l.rooms), from) {
			return fmt.Sprintf("may not import %s: only %s (%s)", imported, l.rooms, l.reason)
		}
	}
	if allowed, is := pure[from]; is && !slices.Contains(strings.Fields(allowed), imported) {
		return fmt.Sprintf("may not import %s: it reads and writes nothing", imported)
	}
	if allowed, is := alone[from]; is && isLibrary(imported) &&
		!slices.ContainsFunc(strings.Fields(allowed), func(l string) bool { return isOf(imported, l) }) {
		return fmt.Sprintf("may not import %s: it stands alone", imported)
	}
	return ""
}

// roomAt returns where in the table a room is, or -1.
func roomAt(name string) int {
	return slices.IndexFunc(house, func(r room) bool { return r.name == name })
}

// isOf reports whether an import is of a library.
func isOf(imported, library string) bool {
	return imported == library || strings.HasPrefix(imported, library+"/")
}

// isLibrary reports whether an import is neither ours nor of the standard library or golang.org/x.
func isLibrary(imported string) bool {
	host, _, _ := strings.Cut(imported, "/")
	return strings.Contains(host, ".") && host != "golang.org"
}
