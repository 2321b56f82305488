package cmd

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"warcorder/cmd/packing"
	"warcorder/store"
	"warcorder/store/extract"
	"warcorder/store/har"
	"warcorder/store/pages"
	"warcorder/store/readback"
	"warcorder/store/selection"
)

// downloads answers with a part of the collection that is being recorded, as a file: what the commands
// export, wacz, extract and har write of the same selection.
//
// A file that looks whole is whole: what goes wrong after its first byte breaks the connection off.
// What is selected and not in the collection any more, since its file is missing, is left out and
// counted in the trailer Warcorder-Lacks, as these commands say it in the end.
type downloads struct {
	*serving
	rules replayRules
	room  chan struct{} // has one for each download that goes on
}

const (
	downloadsAtOnce  = 2
	downloadRetry    = 10          // seconds after which who found no room may ask again
	downloadPatience = time.Minute // for a client to take what is sent
	lacksField       = "Warcorder-Lacks"
	checkParam       = "check" // true: only whether a download would begin
)

// downloadFormat is how a selection is handed on.
type downloadFormat struct {
	suffix, kind string
	write        func(*downloads, *download) error
}

var downloadFormats = map[string]downloadFormat{
	"cdxj": {".cdxj", "application/octet-stream", (*downloads).cdxj},
	"wacz": {packing.Suffix, "application/wacz", (*downloads).wacz},
	"warc": {".warc.gz", "application/gzip", (*downloads).warc},
	"har":  {".har", "application/json", (*downloads).har},
}

// download is one that is asked for.
type download struct {
	ctx    context.Context
	index  *store.Bolt
	source *selection.Source
	sel    selection.Selection
	name   string // without a suffix
	out    *bufio.Writer
	lacks  int64 // captures that are selected, and not in the collection any more
}

func newDownloads(s *serving, rules replayRules) *downloads {
	return &downloads{s, rules, make(chan struct{}, downloadsAtOnce)}
}

// ServeHTTP answers.
func (d *downloads) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		w.Header().Set("Allow", http.MethodGet)
		downloadError(w, http.StatusMethodNotAllowed, errors.New("a download is asked for by GET"))
		return
	}
	values := r.URL.Query()
	check := values.Get(checkParam) == "true"
	if check {
		values.Del(checkParam)
	}
	format, sel, err := downloadOf(values)
	if err != nil {
		downloadError(w, http.StatusBadRequest, err)
		return
	}
	select {
	case d.room <- struct{}{}:
		defer func() { <-d.room }()
	default:
		w.Header().Set("Retry-After", strconv.Itoa(downloadRetry))
		downloadError(w, http.StatusServiceUnavailable, fmt.Errorf(
			"%d downloads go on, and there is room for no more at once: ask again when one has ended",
			downloadsAtOnce))
		return
	}
	if check {
		d.check(w, r, sel)
		return
	}
	d.answer(w, r, format, sel)
}

// downloadOf takes the parameters of a request apart.
func downloadOf(values url.Values) (format downloadFormat, sel selection.Selection, err error) {
	for name, all := range values {
		switch name {
		case "format", "page", "url", "matchType", "from", "to":
		default:
			return format, sel, fmt.Errorf("%q is nothing that a download heeds", name)
		}
		if len(all) > 1 {
			return format, sel, fmt.Errorf("%s is given %d times: say it once", name, len(all))
		}
	}
	format, known := downloadFormats[values.Get("format")]
	if !known {
		return format, sel, fmt.Errorf("format is %q: say cdxj, wacz, warc or har", values.Get("format"))
	}
	sel = selection.Selection{
		URL: values.Get("url"), Match: store.Match(values.Get("matchType")), Page: values.Get("page"),
		From: values.Get("from"), To: values.Get("to"),
	}
	if sel.IsAll() {
		return format, sel, errors.New("say what is wanted, with page, url, from or to: the whole collection " +
			"is for the commands export, wacz, extract and har")
	}
	err = sel.Check()
	whole := sel
	if whole.URL = "http://" + sel.URL; err != nil && sel.URL != "" && whole.Check() == nil {
		return format, whole, nil // a person has left out the scheme, as they may at /cdx
	}
	return format, sel, err
}

// begin looks at the collection as it is now, until done is called.
func (d *downloads) begin(ctx context.Context, sel selection.Selection) (got *download, done func() error) {
	d.rec.SettleWithin(ctx, lastMoment) // what cannot be written at present cannot be waited for
	index := d.rec.IndexFor(ctx, store.Everything)
	files := readback.New(d.dir, index)
	got = &download{ctx: ctx, index: index, sel: sel}
	got.source = selection.New(index, files, pages.New(index, files))
	got.source.TempDir = index.TempDir
	return got, files.Close
}

// check answers as answer does where nothing comes of a download, and else that something will: a
// browser saves whatever a link leads to, and so can show an error instead.
func (d *downloads) check(w http.ResponseWriter, r *http.Request, sel selection.Selection) {
	got, done := d.begin(r.Context(), sel)
	defer done()
	if err := got.checkAny(); err != nil {
		code, err := whyNothing(err)
		downloadError(w, code, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(map[string]bool{"selected": true})
}

// checkAny returns an error unless something is selected.
func (d *download) checkAny() (err error) {
	if d.sel.Page != "" {
		for _, err := range d.source.Pages(d.ctx, d.sel) {
			return err
		}
		return extract.ErrNothing
	}
	some := false
	query := store.Query{URL: d.sel.URL, Match: d.sel.Match, From: d.sel.From, To: d.sel.To, All: true}
	err = d.index.Captures(query, func(*store.Capture) bool {
		some = true
		return false
	})
	if err == nil && !some {
		return extract.ErrNothing
	}
	return err
}

// answer sends what is selected.
func (d *downloads) answer(w http.ResponseWriter, r *http.Request, format downloadFormat,
	sel selection.Selection) {
	got, done := d.begin(r.Context(), sel)
	defer done()
	name, err := got.nameOf()
	got.name = name
	sent := &sentFile{ctx: r.Context(), w: w, name: got.name + format.suffix, kind: format.kind}
	got.out = bufio.NewWriterSize(sent, 256<<10)
	if err == nil {
		err = format.write(d, got)
	}
	if err == nil {
		err = got.out.Flush()
	}
	switch {
	case err == nil && sent.bytes > 0:
		w.Header().Set(lacksField, strconv.FormatInt(got.lacks, 10))
		d.log.Info().Str("file", sent.name).Int64("bytes", sent.bytes).Int64("lacks", got.lacks).
			Msg("downloaded")
	case sent.bytes == 0 && r.Context().Err() == nil:
		code, err := whyNothing(err)
		downloadError(w, code, err)
	default:
		if r.Context().Err() == nil {
			d.log.Warn().Err(err).Str("file", sent.name).Msg("a download was broken off")
		}
		panic(http.ErrAbortHandler) // so that nobody takes a part for the whole
	}
	http.NewResponseController(w).SetWriteDeadline(time.Time{})
}

// whyNothing is the answer where nothing was sent.
func whyNothing(err error) (int, error) {
	switch {
	case err == nil || errors.Is(err, packing.ErrNothing) || errors.Is(err, extract.ErrNothing) ||
		errors.Is(err, har.ErrNothing):
		return http.StatusNotFound, errors.New("nothing that was captured is selected")
	case errors.Is(err, store.ErrReplaced):
		return http.StatusServiceUnavailable, errors.New("something was removed meanwhile: ask again")
	}
	return http.StatusInternalServerError, err
}

// downloadError answers with an error, as programs read it.
func downloadError(w http.ResponseWriter, code int, err error) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	json.NewEncoder(w).Encode(map[string]string{"error": strings.ToValidUTF8(err.Error(), "\uFFFD")})
}

// sentFile is the body of an answer that is a file. Its head is sent with its first byte: until then
// the answer may still be an error.
type sentFile struct {
	ctx        context.Context
	w          http.ResponseWriter
	name, kind string
	bytes      int64
}

func (f *sentFile) Write(p []byte) (int, error) {
	if err := f.ctx.Err(); err != nil {
		return 0, err
	}
	if f.bytes == 0 {
		h := f.w.Header()
		h.Set("Content-Type", f.kind)
		h.Set("Content-Disposition", `attachment; filename="`+f.name+`"`)
		h.Set("Trailer", lacksField)
	}
	http.NewResponseController(f.w).SetWriteDeadline(time.Now().Add(downloadPatience))
	n, err := f.w.Write(p)
	f.bytes += int64(n)
	return n, err
}

// nameOf names the file: by its host, and by when its page was captured or when it is made.
func (d *download) nameOf() (string, error) {
	address, at := d.sel.URL, time.Now()
	if d.sel.Page != "" {
		for page, err := range d.source.Pages(d.ctx, d.sel) {
			if err != nil {
				return "", err
			}
			address, at = page.URL, page.Time
			break
		}
	}
	return downloadName(address, at), nil
}

// downloadName is a name that every file system and every field takes, whatever the URL is.
func downloadName(address string, at time.Time) string {
	parsed, err := url.Parse(address)
	host := ""
	if err == nil {
		host = parsed.Hostname()
	}
	const most = 100
	host = strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '.', c == '-':
			return c
		case c >= 'A' && c <= 'Z':
			return c - 'A' + 'a'
		}
		return '_'
	}, host[:min(len(host), most)])
	host = cmp.Or(strings.TrimLeft(host, ".-"), "collection") // no hidden file, and no flag
	return host + "-" + at.UTC().Format("20060102150405")
}
