package cmd

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/pprof"
	"net/netip"
	"strconv"
	"time"

	"github.com/rs/zerolog"

	"warcorder/proxy/admin"
)

// profilesPath is where go tool pprof looks for profiles.
const profilesPath = "/debug/pprof/"

// The bounds of the listener that gives profiles: a dump of all goroutines may take 64 MB in memory.
const (
	mostProfilers = 16 // connections
	mostProfiles  = 4  // at a time

	profilePatience = 30 * time.Second // with a client that takes nothing
)

// debugAt is the address at which profiles are to be given; none, if text is "". A profile tells what
// the program does for whom, and costs it time: so it is for this machine alone, and on a port that
// nobody is told to use for something else. beside are the addresses that have another use.
func debugAt(text string, beside ...listening) (l listening, err error) {
	l = listening{flag: "--debug-listen", text: text, usual: "127.0.0.1:6060"}
	if text == "" {
		return l, nil
	}
	if err := l.resolve(); err != nil {
		return l, err
	}
	if !l.isAlone() {
		return l, fmt.Errorf("--debug-listen %q lets other machines in, and profiles are for this one "+
			"alone: give an address of loopback, such as %s; from elsewhere, ssh -L leads to it", text, l.usual)
	}
	for _, other := range beside {
		if l.meets(other) {
			return l, fmt.Errorf("--debug-listen %q is the address of %s: give another port (127.0.0.1:0 "+
				"for a free one)", text, other.flag)
		}
	}
	return l, nil
}

// meets reports that who connects to one address may be answered at the other: not all systems refuse
// to have 127.0.0.1 taken where all addresses are.
func (l *listening) meets(other listening) bool {
	a, b := l.at.Addr().Unmap(), other.at.Addr().Unmap()
	return l.at.Port() != 0 && l.at.Port() == other.at.Port() && (a == b || b.IsUnspecified())
}

// openDebug takes that address, and gives profiles until it is closed; nil if there is none. Which
// address it is, is said whatever log-level is: the port may be a free one.
func openDebug(l *listening, log zerolog.Logger) (*aside, error) {
	if l.text == "" {
		return nil, nil
	}
	ln, err := l.open()
	if err != nil {
		return nil, err
	}
	a := &aside{ln: ln}
	a.start(debugServer(a.at(), profilePatience), mostProfilers)
	log = always(log)
	log.Info().Str("address", a.address()).Str("path", profilesPath).Msg("profiles are given")
	return a, nil
}

// debugServer gives profiles to programs of this machine, by its names of loopback, and to no page of
// another site. A profile takes as long as is asked for, or as its client waits; who takes nothing of
// it for the time of patience gives its place to others.
func debugServer(at netip.AddrPort, patience time.Duration) *http.Server {
	pages := admin.NewLocal(at)
	places := make(chan struct{}, mostProfiles)
	for pattern, handler := range map[string]http.HandlerFunc{
		"{$}":     profilesIndex(at),
		"profile": pprof.Profile,
		"trace":   pprof.Trace,
		"{name}":  pprof.Index, // which knows no cmdline: there may be an api-token in it
	} {
		pages.Add(admin.Page{Pattern: "GET " + profilesPath + pattern, Handler: oneOf(places, patience, handler)})
	}
	return &http.Server{
		Handler:           bodiless(pages),
		ConnState:         (&silentConns{}).state,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       30 * time.Second,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          log.New(io.Discard, "", 0),
	}
}

// oneOf refuses who finds no place.
func oneOf(places chan struct{}, patience time.Duration, handler http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case places <- struct{}{}:
			defer func() { <-places }()
			handler(&patient{w, patience}, r)
		default:
			http.Error(w, "Others take "+strconv.Itoa(mostProfiles)+" profiles just now: ask again when "+
				"one of them has its own.", http.StatusServiceUnavailable)
		}
	})
}

// patient writes for clients that take some of it within a time.
type patient struct {
	http.ResponseWriter
	patience time.Duration
}

func (p *patient) Write(some []byte) (int, error) {
	http.NewResponseController(p.ResponseWriter).SetWriteDeadline(time.Now().Add(p.patience))
	return p.ResponseWriter.Write(some)
}

// profilesIndex says how profiles are taken.
func profilesIndex(at netip.AddrPort) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		here := "http://" + at.String() + profilesPath
		fmt.Fprintf(w, "warcorder %s gives profiles here:\n\n"+
			"go tool pprof -top '%sprofile?seconds=10'   where time goes\n"+
			"go tool pprof -top %sheap                   what is in memory\n"+
			"curl '%sgoroutine?debug=2'                  what each goroutine does\n"+
			"curl -o trace.out '%strace?seconds=5'       for go tool trace\n\n"+
			"There are allocs and threadcreate too.\n", version, here, here, here, here)
	}
}

// checkDebug looks up where profiles are to be given.
func (c *recordFlags) checkDebug() (err error) {
	beside := []listening{c.front, c.previews}
	if c.second != nil {
		beside = append(beside, *c.second)
	}
	c.debug, err = debugAt(c.debug.text, beside...)
	return err
}
