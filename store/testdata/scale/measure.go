package main

import (
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"warcorder/store"
	"warcorder/store/cdxapi"
)

// measure measures an index, first by its functions, then over HTTP.
func measure(flags *flag.FlagSet, args []string) error {
	a := archiveFlags(flags)
	path := flags.String("index", "", "file of the index")
	lasting := flags.Duration("duration", 10*time.Second, "of each kind of question")
	flags.Parse(args)
	if err := starts(*path); err != nil {
		return err
	}
	index, err := store.Open(*path, store.Options{})
	if err != nil {
		return err
	}
	err = a.measureOpen(index, *lasting)
	return errors.Join(err, index.Close())
}

// starts tells how long it takes to open the index, to write and to read.
func starts(path string) error {
	var write, read []time.Duration
	for range 5 {
		started := time.Now()
		index, err := store.Open(path, store.Options{})
		if err != nil {
			return err
		}
		write = append(write, time.Since(started))
		if err := index.Close(); err != nil {
			return err
		}
		started = time.Now()
		if index, err = store.OpenReadOnly(path); err != nil {
			return err
		}
		_, err = index.Count()
		read = append(read, time.Since(started))
		if err = errors.Join(err, index.Close()); err != nil {
			return err
		}
	}
	say(os.Stdout, "open, to record", write, "")
	say(os.Stdout, "open, to read", read, "")
	return nil
}

// measureOpen measures what an open index answers.
func (a archive) measureOpen(index *store.Bolt, lasting time.Duration) error {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/cdx", cdxapi.Pywb(cdxapi.Collection{
		Name: "scale", Index: func() *store.Bolt { return index },
	}))
	mux.HandleFunc("/export", func(w http.ResponseWriter, r *http.Request) {
		q := store.Query{URL: r.FormValue("url"), Match: store.Match(r.FormValue("match"))}
		if _, err := index.Export(w, q, nil); err != nil {
			panic(http.ErrAbortHandler)
		}
	})
	server := &http.Server{Handler: mux}
	go server.Serve(listener)
	defer server.Close()
	base := "http://" + listener.Addr().String()
	asking := newAsker(base + "/cdx")
	for _, q := range append(a.questions(), a.ofOne()...) {
		took, err := asking.many(q, 1, lasting)
		if err != nil {
			return err
		}
		say(os.Stdout, q.name, took, "")
	}
	if err := a.pages(asking, lasting); err != nil {
		return err
	}
	whole := newAsker(base + "/export")
	if err := scan("domain", whole, url.Values{"url": {"http://big.example/"}, "match": {"domain"}},
		(a.captures+bigShare-1)/bigShare, 5); err != nil {
		return err
	}
	return scan("export", whole, nil, a.captures, 1)
}

// pages reads pages of a domain's results, as cdx_toolkit does.
func (a archive) pages(asking *asker, lasting time.Duration) error {
	took, err := asking.many(question{"page of a domain's results", func(n uint64) url.Values {
		return url.Values{"url": {"*.big.example"}, "page": {fmt.Sprint(n % 3)}, "pageSize": {"1"}}
	}, some}, 1, lasting)
	if err == nil {
		say(os.Stdout, "page of a domain's results", took, "")
	}
	return err
}

// scan reads all that is asked for, some times.
func scan(name string, whole *asker, values url.Values, want, times int) error {
	var took []time.Duration
	for range times {
		started := time.Now()
		n, err := whole.lines(values)
		if err == nil && n > want || n < want*9/10 {
			err = fmt.Errorf("%d lines, and not %d", n, want)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		took = append(took, time.Since(started))
	}
	say(os.Stdout, name, took, fmt.Sprintf("%d lines, %s", want, memory()))
	return nil
}

// memory is what the process has of its own, and at most had with the pages of the index that are
// mapped.
func memory() string {
	text, _ := os.ReadFile("/proc/self/status")
	var found []string
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(line, ":")
		if name == "RssAnon" || name == "VmHWM" {
			found = append(found, name+" "+strings.TrimSpace(value))
		}
	}
	return strings.Join(found, ", ")
}
