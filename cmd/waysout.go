package cmd

import (
	"cmp"
	"fmt"
	"net"
	"os"
	"reflect"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/rs/zerolog"

	"warcorder/proxy"
	"warcorder/proxy/route"
	"warcorder/recorder/outside"
)

// parseRoutes reads a list of ways out. A flag that is given again adds to it.
func parseRoutes(ctx *kong.DecodeContext, target reflect.Value) error {
	text, err := ctx.Scan.PopValue("ways")
	if err != nil {
		return err
	}
	routes, err := route.Parse(fmt.Sprint(text.Value))
	if err = cmp.Or(refuseMask("upstream", fmt.Sprint(text.Value)), err); err != nil {
		return err
	}
	all := target.Interface().(route.Routes)
	if err := all.Add(routes); err != nil {
		return err
	}
	target.Set(reflect.ValueOf(all))
	return nil
}

// checkEnvironment refuses an environment that cannot be used, where it counts.
func checkEnvironment(upstream *route.Routes) error {
	if upstream.IsSet() {
		return nil
	}
	_, err := route.FromEnvironment(os.Getenv, func(string, string) bool { return false })
	return err
}

// checkDedupFrom refuses to ask this recorder itself for originals: what it has it finds without being
// asked, and would name as if another archive had it.
func (c *recordFlags) checkDedupFrom(listeners ...net.Addr) error {
	for _, text := range c.Recorder.DedupFrom {
		host, port, isURL := outside.Address(text)
		for _, ln := range listeners {
			if isURL && proxy.IsListener(ln, host, port) {
				return fmt.Errorf("dedup-from %s leads to this recorder itself: name another archive",
					outside.Names([]string{text})[0])
			}
		}
	}
	return nil
}

// addressesOf are those of the listeners that are there.
func addressesOf(listeners ...net.Listener) (all []net.Addr) {
	for _, ln := range listeners {
		if ln != nil {
			all = append(all, ln.Addr())
		}
	}
	return all
}

// waysOut sets by which ways origins are reached: as upstream says, or else as the environment
// does. Which of the two counts is said once, and a variable that cannot be used is an error: who
// has set one must not believe that it is heeded when it is not.
func waysOut(cfg *proxy.Config, listener net.Addr, log zerolog.Logger) error {
	isSelf := func(host, port string) bool { return proxy.IsListener(listener, host, port) }
	if cfg.Upstream.IsSet() {
		for _, way := range cfg.Upstream.Ways() {
			if isSelf(way.First()) {
				return fmt.Errorf("upstream %s begins with this recorder itself: name another proxy", way)
			}
		}
		event := log.Info().Str("ways", cfg.Upstream.String()).Str("from", "upstream")
		if unheeded := route.Variables(os.Getenv); len(unheeded) > 0 {
			event = event.Strs("unheeded", unheeded)
		}
		event.Msg("ways out")
		return nil
	}
	environment, err := route.FromEnvironment(os.Getenv, isSelf)
	if err != nil {
		return err
	}
	for _, name := range environment.Own {
		log.Warn().Str("variable", name).
			Msg("the environment names this recorder itself as a proxy: it is not used")
	}
	if len(environment.Used) > 0 {
		log.Info().Str("ways", environment.Routes.String()).
			Str("from", strings.Join(environment.Used, ", ")).Msg("ways out")
	}
	cfg.Upstream = environment.Routes
	return nil
}
