package cmd

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"
	"github.com/dustin/go-humanize"
	"go.yaml.in/yaml/v3"

	"warcorder/proxy"
	"warcorder/proxy/access"
	"warcorder/proxy/hosts"
	"warcorder/store"
	"warcorder/store/replay/rules"
)

// parseSize reads a number of bytes: 1000000, 1MB, 64MiB.
func parseSize(ctx *kong.DecodeContext, target reflect.Value) error {
	text, err := ctx.Scan.PopValue("size")
	if err != nil {
		return err
	}
	n, err := humanize.ParseBytes(fmt.Sprint(text.Value))
	if err != nil || n > 1<<62 {
		return fmt.Errorf("%q is not a size: write 500MB or 64MiB", text.Value)
	}
	target.SetInt(int64(n))
	return nil
}

// parseRules reads the path profiles of the configuration file, which arrive as JSON.
func parseRules(ctx *kong.DecodeContext, target reflect.Value) error {
	return parseMappings[store.ProfileRules](ctx, target, "name, host, path, decode, encode")
}

// parseClientCerts reads the client certificates of the configuration file, which arrive as JSON.
func parseClientCerts(ctx *kong.DecodeContext, target reflect.Value) error {
	return parseMappings[[]proxy.ClientCert](ctx, target, "host, cert, key")
}

// replayRules are own rules of replay, as YAML.
type replayRules string

// parseReplayRules reads the rules of the configuration file, which arrive as JSON.
func parseReplayRules(ctx *kong.DecodeContext, target reflect.Value) error {
	text, err := ctx.Scan.PopValue("rules")
	if err != nil {
		return err
	}
	if _, err := rules.Parse([]byte(fmt.Sprint(text.Value))); err != nil {
		return err
	}
	target.SetString(fmt.Sprint(text.Value))
	return nil
}

// json are the rules as a WACZ has them; nil if there are none. Where they stood in the configuration
// file says nothing to others.
func (r replayRules) json() ([]byte, error) {
	if r == "" {
		return nil, nil
	}
	var all []map[string]any
	if err := yaml.Unmarshal([]byte(r), &all); err != nil {
		return nil, fmt.Errorf("replay-rules: %w", err)
	}
	if len(all) == 0 {
		return nil, nil
	}
	for _, one := range all {
		delete(one, "line")
	}
	text, err := json.MarshalIndent(all, "", "  ")
	return append(text, '\n'), err
}

// parseMappings reads a list of mappings with the keys that are named.
func parseMappings[T any](ctx *kong.DecodeContext, target reflect.Value, keys string) error {
	text, err := ctx.Scan.PopValue("mappings")
	if err != nil {
		return err
	}
	var list T
	decoder := json.NewDecoder(strings.NewReader(fmt.Sprint(text.Value)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&list); err != nil {
		return fmt.Errorf("expected a list of %s in the configuration file: %w", keys, err)
	}
	target.Set(reflect.ValueOf(list))
	return nil
}

// wholeNumber reads what kong reads, and says in the words of a person what it cannot read.
func wholeNumber(kind reflect.Type) kong.MapperFunc {
	number := kong.NewRegistry().RegisterDefaults().ForType(kind)
	return func(ctx *kong.DecodeContext, target reflect.Value) error {
		text := fmt.Sprint(ctx.Scan.Peek().Value)
		err := number.Decode(ctx, target)
		if err != nil && strings.HasPrefix(err.Error(), "expected a valid ") {
			return fmt.Errorf("%q is not a whole number", text)
		}
		return err
	}
}

// hostListMapper reads --insecure-upstream, which may stand alone for all hosts, or be a list.
type hostListMapper struct{}

// IsBool tells kong that the flag needs no value.
func (hostListMapper) IsBool() bool { return true }

// Decode reads true, false, "host,host" or a list of hosts.
func (hostListMapper) Decode(ctx *kong.DecodeContext, target reflect.Value) error {
	if ctx.Scan.Peek().Type == kong.FlagValueToken {
		return parseHosts(hosts.ParseList)(ctx, target)
	}
	target.Set(reflect.ValueOf(hosts.List{All: true}))
	return nil
}

// parseHosts reads a list of hosts that must be there. A flag that is given again adds to it: else
// the first --no-record of two would be forgotten in silence, and its hosts recorded. false empties
// it.
func parseHosts(parse func(string) (hosts.List, error)) kong.MapperFunc {
	return func(ctx *kong.DecodeContext, target reflect.Value) error {
		if ctx.Scan.Peek().IsEOL() {
			return errors.New("say which hosts: bank.example,*.internal.example, or * for all")
		}
		text, err := ctx.Scan.PopValue("hosts")
		if err != nil {
			return err
		}
		list, err := parse(fmt.Sprint(text.Value))
		if err != nil {
			return err
		}
		if before := target.Interface().(hosts.List); list.All || len(list.Hosts) > 0 {
			list.All = list.All || before.All
			list.Hosts = slices.Concat(before.Hosts, list.Hosts)
		}
		target.Set(reflect.ValueOf(list))
		return nil
	}
}

// parseNetworks reads a list of networks. A flag that is given again adds to it.
func parseNetworks(ctx *kong.DecodeContext, target reflect.Value) error {
	text, err := ctx.Scan.PopValue("networks")
	if err != nil {
		return err
	}
	before := target.Interface().(hosts.Networks).String()
	all := strings.TrimLeft(before+","+fmt.Sprint(text.Value), ",")
	networks, err := hosts.ParseNetworks(all)
	if err == nil {
		target.Set(reflect.ValueOf(networks))
	}
	return err
}

// parseUsers reads a list of users with the hashes of their passwords. A flag that is given again
// adds to it.
func parseUsers(ctx *kong.DecodeContext, target reflect.Value) error {
	text, err := ctx.Scan.PopValue("users")
	if err != nil {
		return err
	}
	users, err := access.ParseUsers(fmt.Sprint(text.Value))
	if err = cmp.Or(refuseMask("proxy-users", fmt.Sprint(text.Value)), err); err == nil {
		users, err = target.Interface().(access.Users).With(users)
	}
	if err == nil {
		target.Set(reflect.ValueOf(users))
	}
	return err
}

// parseSet reads hosts and networks, and like parseHosts adds to what another flag has said.
func parseSet(ctx *kong.DecodeContext, target reflect.Value) error {
	text, err := ctx.Scan.PopValue("set")
	if err != nil {
		return err
	}
	set, err := hosts.ParseSet(fmt.Sprint(text.Value))
	if before := target.Interface().(hosts.Set); err == nil && !set.IsEmpty() && !before.IsEmpty() {
		set, err = hosts.ParseSet(before.String() + "," + set.String())
	}
	if err == nil {
		target.Set(reflect.ValueOf(set))
	}
	return err
}

// textMapper reads a value that its package parses. A flag that is given again counts alone.
func textMapper[T any](parse func(string) (T, error)) kong.MapperFunc {
	return func(ctx *kong.DecodeContext, target reflect.Value) error {
		text, err := ctx.Scan.PopValue("value")
		if err != nil {
			return err
		}
		value, err := parse(fmt.Sprint(text.Value))
		if err == nil {
			target.Set(reflect.ValueOf(value))
		}
		return err
	}
}

// sizeUnits are the units that sizeText knows.
var sizeUnits = []struct {
	name  string
	bytes int64
}{
	{"kB", humanize.KByte}, {"MB", humanize.MByte}, {"GB", humanize.GByte}, {"TB", humanize.TByte},
	{"KiB", humanize.KiByte}, {"MiB", humanize.MiByte}, {"GiB", humanize.GiByte},
	{"TiB", humanize.TiByte},
}

// sizeText writes a size as parseSize reads it, in the unit of which it takes the fewest.
func sizeText(size int64) string {
	least, name := size, ""
	for _, unit := range sizeUnits {
		if size%unit.bytes == 0 && size/unit.bytes < least {
			least, name = size/unit.bytes, unit.name
		}
	}
	return strconv.FormatInt(least, 10) + name
}

// durationText writes a duration without the units that are 0: 10m and not 10m0s.
func durationText(d time.Duration) string {
	text := d.String()
	if short, ok := strings.CutSuffix(text, "m0s"); ok {
		text = short + "m"
	}
	if short, ok := strings.CutSuffix(text, "h0m"); ok {
		text = short + "h"
	}
	return text
}
