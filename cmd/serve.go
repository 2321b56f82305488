package cmd

import (
	"context"
	"errors"
	"fmt"
	stdlog "log"
	"net"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/net/netutil"

	"warcorder/proxy/admin"
	"warcorder/proxy/hosts"
	"warcorder/store/collection"
	"warcorder/store/holdings"
	"warcorder/store/wayback"
)

// serveCommand serves collections over HTTP: index, files and what was recorded.
type serveCommand struct {
	Collection []string       `own:"" sep:"none" placeholder:"NAME"`
	Dir        string         `default:"collections" type:"path"`
	Listen     string         `own:"" default:"${serve_listen}" placeholder:"HOST:PORT"`
	Readers    hosts.Networks `default:"${readers}" placeholder:"NETWORK,…"`
	APIToken   string         `name:"api-token" placeholder:"TOKEN"`
	Debug      string         `own:"" name:"debug-listen" placeholder:"HOST:PORT"`
}

// serveListen is where collections are served by default: neither where one is recorded nor
// replayed.
const serveListen = "127.0.0.1:8070"

// The bounds of a server of collections.
const (
	mostServed      = 1000 // collections
	mostServedTo    = 512  // connections
	servedHead      = 64 << 10
	servedPatience  = 10 * time.Second // for a head to come, and for answers when it ends
	servedIdle      = time.Minute
	servedBody      = time.Second // for a body to come, which nobody wants
	serveMode       = "serve"
	collectionsPath = "/collections"
)

// Run serves until a signal.
func (c *serveCommand) Run(line *commandLine) error {
	outliveReaders()
	out := line.queue()
	defer out.Close(logPatience)
	log, person := line.logger(out)
	if err := checkToken(c.APIToken); err != nil {
		return err
	}
	front := listening{flag: "--listen", text: c.Listen, usual: serveListen}
	if err := front.resolve(); err != nil {
		return err
	}
	debug, err := debugAt(c.Debug, front)
	if err != nil {
		return err
	}
	shelves, err := c.shelves(log)
	if err != nil {
		return err
	}
	defer closeAll(shelves)
	ln, err := front.open()
	if err != nil {
		return err
	}
	profiles, err := openDebug(&debug, log)
	if err != nil {
		return errors.Join(err, ln.Close())
	}
	defer profiles.close()
	s := &server{serveCommand: c, shelves: shelves, started: time.Now(), address: ln.Addr().String()}
	if !front.isAlone() && c.APIToken == "" && c.Readers.String() == admin.DefaultReaders {
		log.Warn().Str("listen", c.Listen).Msg("other machines reach this address, and may read nothing: " +
			"set readers to their networks, or api-token")
	}
	if person {
		_, here := typable(s.address)
		fmt.Fprintf(out, "warcorder %s is serving %s\n  index   http://%s/NAME/cdx?url=URL\n"+
			"  files   http://%s/NAME/warc/FILE\n  shown   http://%s/NAME/web/TIMEid_/URL\n"+
			"Stop with Ctrl-C.\n", version, count(len(shelves), "collection"), here, here, here)
	} else {
		first := always(log)
		first.Info().Str("address", s.address).Int("collections", len(shelves)).
			Str("version", version).Msg("serving")
	}
	return s.serve(ln, log)
}

// shelves are the collections that are served: those that are named, or all.
func (c *serveCommand) shelves(log zerolog.Logger) (all []*shelf, err error) {
	names, isAll := c.Collection, len(c.Collection) == 0
	if isAll {
		more := false
		if names, more, err = collection.Names(c.Dir, mostServed); err != nil {
			return nil, fmt.Errorf("%w (--dir names another directory)", err)
		}
		if more {
			return nil, fmt.Errorf("%s holds more than %d collections: name those to serve with --collection",
				c.Dir, mostServed)
		}
		if len(names) == 0 {
			return nil, fmt.Errorf("%s holds no collection (--dir names another directory)", c.Dir)
		}
	}
	held := holdings.New("") // of no collection: it is what all of them share
	for i, name := range names {
		dir, err := collection.In(c.Dir, name)
		if err != nil {
			return nil, fmt.Errorf("--collection %w", err)
		}
		one := &shelf{dir: dir, held: held.Of(dir)}
		err = one.usable()
		switch {
		case slices.Contains(names[:i], name):
			continue
		case err == nil:
			all = append(all, one)
		case isAll:
			log.Warn().Str("collection", name).Str("reason", err.Error()).Msg("not served")
		default:
			return nil, errors.Join(err, closeAll(all))
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("none of the collections in %s can be served", c.Dir)
	}
	return all, nil
}

// usable says why a collection cannot be served, also if it could be read.
func (s *shelf) usable() error {
	if collection.IsOwnPath(s.dir.Name()) {
		return fmt.Errorf("%s cannot be served: %s", s.dir.Name(), s.dir.OtherName())
	}
	if !s.dir.Exists() {
		return noCollection(s.dir)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.look()
	if errors.Is(err, collection.ErrLocked) {
		return nil // for now
	}
	if err == nil {
		_, err = tellLacking(s.dir, s.now.Index)
	}
	return explainRead(err, s.dir)
}

func closeAll(shelves []*shelf) error {
	for _, s := range shelves {
		s.close()
	}
	return nil
}

// server is a server of collections.
type server struct {
	*serveCommand
	shelves []*shelf
	started time.Time
	address string
}

// serve serves until a signal, and lets answers come to their end for some time.
func (s *server) serve(ln net.Listener, log zerolog.Logger) error {
	http1 := &http.Server{
		Handler:           bodiless(s.pages()),
		ReadHeaderTimeout: servedPatience,
		IdleTimeout:       servedIdle,
		MaxHeaderBytes:    servedHead,
		ErrorLog:          stdlog.New(log.With().Str("part", "server").Logger(), "", 0),
	}
	ended := make(chan error, 1)
	go func() { ended <- http1.Serve(netutil.LimitListener(ln, mostServedTo)) }()
	signals := endings()
	select {
	case err := <-ended:
		return err
	case <-signals:
	}
	ctx, cancel := context.WithTimeout(context.Background(), servedPatience)
	defer cancel()
	go func() {
		<-signals // a second one ends at once
		cancel()
	}()
	if http1.Shutdown(ctx) != nil {
		return http1.Close()
	}
	return nil
}

// bodiless refuses requests with a body: nothing here takes one, and a connection would wait for its
// end, however long that takes.
func bodiless(pages http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength == 0 {
			pages.ServeHTTP(w, r)
			return
		}
		http.NewResponseController(w).SetReadDeadline(time.Now().Add(servedBody))
		w.Header().Set("Connection", "close")
		http.Error(w, "Nothing here takes a body: ask by GET, without one.", http.StatusBadRequest)
	})
}

// serveStatus is what /status tells of it.
type serveStatus struct {
	Mode        string    `json:"mode"`
	Dir         string    `json:"dir"`
	Collections []string  `json:"collections"`
	Address     string    `json:"address"`
	Started     time.Time `json:"started"`
	Now         time.Time `json:"now"`
	Version     string    `json:"version"`
	PID         int       `json:"pid"`
}

func (s *server) status() serveStatus {
	now := serveStatus{
		Mode: serveMode, Dir: s.Dir, Address: s.address, Started: s.started, Now: time.Now(),
		Version: version, PID: os.Getpid(),
	}
	for _, one := range s.shelves {
		now.Collections = append(now.Collections, one.dir.Name())
	}
	return now
}

// pages are those of the collections, and a front page that says which paths there are.
func (s *server) pages() *admin.Admin {
	listener, _ := netip.ParseAddrPort(s.address) // of a TCP listener
	pages := admin.NewBare(admin.Config{
		Listener: listener, Readers: s.Readers, Tokens: []string{s.APIToken},
		State: func() (any, bool) { return s.status(), true },
		Ready: func() error { return nil },
	})
	var all []wayback.Collection
	for _, one := range s.shelves {
		all = append(all, one.collection())
	}
	pages.Add(bareMetrics())
	pages.AddTree(siteTree(wayback.New(all...)))
	pages.Add(admin.Page{Pattern: "GET /{$}", For: admin.Everybody, Handler: wayback.Front(collectionsPath)})
	pages.Add(admin.Page{Pattern: "GET " + collectionsPath, JSON: true, Handler: wayback.List(all)})
	pages.Add(admin.Page{Pattern: "/", JSON: true, Handler: http.HandlerFunc(wayback.Nothing)})
	return pages
}
